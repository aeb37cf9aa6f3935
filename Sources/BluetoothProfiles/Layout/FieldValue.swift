// SPDX-License-Identifier: MIT

import Bluetooth

/// Encodes the content of one field that has octets of its own.
struct FieldValue {
    typealias Content = DecodedValue.Content

    let field: Field
    /// The way from the whole value to the field, for errors.
    let path: [FieldError.Step]
    let flags: UInt64

    /// Writes the content; `nil` if there is none, or if it is `null`.
    func write(_ content: Content?, isNull: Bool, to writer: inout ByteWriter) throws(FieldError) {
        if let content { return try write(content, to: &writer) }
        switch field.kind {
        case .number(let number):
            guard isNull, let bits = number.unknown else { break }
            return integer(of: number).write(bits, to: &writer)
        // NaN is how these three say that a number is missing.
        case .sfloat where isNull: return writer.uint16(0x07FF)
        case .medicalFloat where isNull: return writer.uint32(MedicalFloat.notANumber.floatBits)
        case .float32 where isNull: return writer.uint32(Float.nan.bitPattern)
        case .timeExponential where isNull: return writer.uint8(0xFF)
        case .timeZone where isNull: return writer.int8(-128)
        case .dateUTC where isNull: return writer.uint24(0)
        // Without a content, these have no octets.
        case .text(nil, _), .hex(nil), .uuid(isOptional: true): return
        case .series(_, let series) where series.isEmptyWhenAbsent: return
        default: break
        }
        throw isNull ? notAllowed(.null) : FieldError(path, nil, .missing(allowed: field.allowed))
    }

    /// The integer that the flags announce.
    private func integer(of number: NumberFormat) -> IntegerFormat {
        guard let wider = number.wider, flags >> UInt64(wider.bit) & 1 == 1 else { return number.integer }
        return wider.integer
    }

    private func notAllowed(_ content: Content) -> FieldError {
        FieldError(path, content.quoted, .notAllowed(field.allowed))
    }

    /// Writes the content of a field. Fields that are bits of others are written with those.
    private func write(_ content: Content, to writer: inout ByteWriter) throws(FieldError) {
        switch field.kind {
        case .number(let number):
            try write(content, as: number, to: &writer)
        case .series(let number, _):
            for (index, element) in try elements(of: content).enumerated() {
                let value = FieldValue(
                    field: Field(field.name, .number(number)),
                    path: path + [.element(index)],
                    flags: flags
                )
                try value.write(element, as: number, to: &writer)
            }
        case .sfloat, .medicalFloat, .float32, .timeExponential, .timeZone, .elapsedTime:
            try writeReal(content, to: &writer)
        case .choice(let integer, let names):
            integer.write(try content.choice(names, in: integer.range, path), to: &writer)
        case .bits(let integer, let names):
            integer.write(try content.bits(names, of: integer, path), to: &writer)
        case .repeated(let element):
            for (index, content) in try elements(of: content).enumerated() {
                let value = FieldValue(field: element, path: path + [.element(index)], flags: flags)
                try value.write(content == .null ? nil : content, isNull: content == .null, to: &writer)
            }
        case .object(let group):
            writer.append(try FieldWriter.encode(group, content, at: path))
        case .dateTime, .date, .dateUTC, .epochTime:
            try writeDate(content, to: &writer)
        case .text, .terminatedText, .hex, .address, .eui64, .hidVersion, .unit, .uuid16, .uuid:
            try writeText(content, to: &writer)
        case .handle:
            writer.uint16(UInt16(truncatingIfNeeded: try content.integer(in: 0...0xFFFF, path)))
        case .flags, .word, .skipped, .part, .partNumber, .bit, .flag, .supportedBit:
            break
        }
    }

    private func elements(of content: Content) throws(FieldError) -> [Content] {
        guard case .array(let elements) = content else { throw notAllowed(content) }
        return elements
    }

    // MARK: - Numbers

    private func write(_ content: Content, as number: NumberFormat, to writer: inout ByteWriter) throws(FieldError) {
        let format = integer(of: number)
        switch content {
        case .string(let name):
            guard let bits = number.special(named: name) else { throw notAllowed(content) }
            format.write(bits, to: &writer)
        case .number(let value):
            guard let integer = number.integer(of: value) else {
                let (lowest, highest) = number.range
                throw FieldError(
                    path,
                    content.quoted,
                    .outOfRange(lowest: lowest.description, highest: highest.description)
                )
            }
            format.write(number.bits(integer, as: format), to: &writer)
        default:
            throw notAllowed(content)
        }
    }

    /// Writes a number that is not a plain integer: a medical float, a time on a logarithmic scale, a time zone.
    private func writeReal(_ content: Content, to writer: inout ByteWriter) throws(FieldError) {
        if case .string(let name) = content {
            guard let bits = field.kind.special(named: name) else { throw notAllowed(content) }
            field.kind.realInteger.write(bits, to: &writer)
            return
        }
        guard case .number(let value) = content else { throw notAllowed(content) }
        let bits: UInt64? =
            switch field.kind {
            case .sfloat(let exponent): MedicalFloat.sfloat(value.scaled(byPowerOfTen: -exponent)).map { UInt64($0) }
            case .medicalFloat: MedicalFloat.float(value).map { UInt64($0) }
            // From the digits, because a conversion by way of Double would round twice.
            case .float32: Float(value.description).flatMap { $0.isFinite ? UInt64($0.bitPattern) : nil }
            case .timeExponential: ExponentialTime.octet(value).map { UInt64($0) }
            case .timeZone:
                value.rounded(dividedBy: 15).flatMap { (-48...56).contains($0) ? IntegerFormat.s8.bits(of: $0) : nil }
            case .elapsedTime:
                value.scaled(byPowerOfTen: -ElapsedTime.exponent(flags: flags)).rounded(dividedBy: 1).flatMap {
                    IntegerFormat.u48.range.contains($0) ? IntegerFormat.u48.bits(of: $0) : nil
                }
            default: nil
            }
        guard let bits else {
            let range = field.kind.range ?? (.zero, .zero)
            throw FieldError(
                path,
                content.quoted,
                .outOfRange(lowest: range.lowest.description, highest: range.highest.description)
            )
        }
        field.kind.realInteger.write(bits, to: &writer)
    }

    // MARK: - Dates

    /// Writes a date or a time, from its text.
    private func writeDate(_ content: Content, to writer: inout ByteWriter) throws(FieldError) {
        guard case .string(let text) = content else { throw notAllowed(content) }
        switch field.kind {
        case .dateTime:
            guard let time = DateTime(text) else { throw notAllowed(content) }
            writer.append(time)
        case .date:
            guard let date = DateTime(date: text) else { throw notAllowed(content) }
            writer.uint16(date.year)
            writer.uint8(date.month)
            writer.uint8(date.day)
        case .dateUTC:
            if NameKey(text.utf8) == NameKey("not known".utf8) { return writer.uint24(0) }
            guard let days = CivilDate(iso: text)?.daysSinceEpoch else { throw notAllowed(content) }
            guard (1...0xFF_FFFF).contains(days) else {
                let highest = CivilDate(daysSinceEpoch: 0xFF_FFFF).description
                throw FieldError(path, content.quoted, .outOfRange(lowest: "1970-01-02", highest: highest))
            }
            writer.uint24(UInt32(days))
        default:
            // A month or a day of 0 means "not known" in a time of seven octets, and no moment in a count of
            // seconds.
            guard let time = DateTime(text), time.month > 0, time.day > 0 else { throw notAllowed(content) }
            let epoch = EpochTime(flags: flags)
            guard let seconds = epoch.seconds(time) else {
                throw FieldError(
                    path,
                    content.quoted,
                    .outOfRange(lowest: epoch.text(seconds: 0), highest: epoch.text(seconds: Int(UInt32.max)))
                )
            }
            writer.uint32(seconds)
        }
    }

    // MARK: - Text

    /// Writes a text, or a value whose content is a text such as an address. Texts of a fixed length are filled with
    /// zeros.
    private func writeText(_ content: Content, to writer: inout ByteWriter) throws(FieldError) {
        guard case .string(let text) = content else { throw notAllowed(content) }
        switch field.kind {
        case .text(let octets, _):
            guard text.utf8.count <= octets ?? .max else {
                throw FieldError(path, content.quoted, .tooLong(octets: octets ?? 0))
            }
            writer.append(text.utf8)
            if let octets { writer.append(repeatElement(0, count: octets - text.utf8.count)) }
        case .terminatedText:
            guard !text.utf8.contains(0) else { throw notAllowed(content) }
            writer.append(text.utf8)
            writer.uint8(0)
        case .hex(let octets):
            guard let bytes = Hex.bytes(text), octets == nil || bytes.count == octets else { throw notAllowed(content) }
            writer.append(bytes)
        case .address:
            guard let address = BluetoothAddress(text) else { throw notAllowed(content) }
            writer.append(address)
        case .eui64:
            guard let bytes = Hex.bytes(text.filter { $0 != ":" && $0 != "-" }), bytes.count == 8 else {
                throw notAllowed(content)
            }
            // Text has the most significant octet first, and the wire the least significant one.
            writer.append(bytes.reversed())
        case .hidVersion:
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }), let bytes = Hex.bytes(parts.joined())
            else { throw notAllowed(content) }
            writer.append(bytes.reversed())
        case .unit:
            // One without a name is decoded as its UUID.
            let unknown = text.hasPrefix("unknown (") && text.hasSuffix(")") ? text.dropFirst(9).dropLast() : ""
            guard let unit = AssignedNumbers.unit(named: text) ?? BluetoothUUID(unknown)?.short16 else {
                throw notAllowed(content)
            }
            writer.uint16(unit)
        case .uuid16:
            guard let short = BluetoothUUID(text)?.short16 else { throw notAllowed(content) }
            writer.uint16(short)
        case .uuid:
            guard let uuid = BluetoothUUID(text)?.attForm else { throw notAllowed(content) }
            if let short = uuid.short16 { writer.uint16(short) } else { writer.uint128(uuid.value) }
        default:
            break
        }
    }
}
