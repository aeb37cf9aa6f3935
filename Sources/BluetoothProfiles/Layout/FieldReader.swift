// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Decodes fields, one after the other.
struct FieldReader {
    /// The flags, which announce the fields that are present.
    private var flags: UInt64 = 0
    /// The integer from which parts take their bits; `nil` if it was absent.
    private var word: UInt64?

    /// Decodes a group. Each of its fields has a member in the result, `null` if the flags say that it is absent, so
    /// that all records of a characteristic have the same members.
    static func decode(_ group: FieldGroup, _ reader: inout ByteReader) throws(DecodeError) -> DecodedValue {
        guard group.isSized else { return try members(of: group, &reader) }
        let size = try reader.uint8("size")
        guard Int(size) >= group.octets.lowest else { throw DecodeError("size", .invalid(value: UInt64(size))) }
        var slice = try reader.slice(Int(size) - 1, "record")
        return try members(of: group, &slice)
    }

    private static func members(of group: FieldGroup, _ reader: inout ByteReader) throws(DecodeError) -> DecodedValue {
        var fields = FieldReader()
        var members: [DecodedValue.Member] = []
        var text = ""
        var lastText = ""
        members.reserveCapacity(group.fields.count)
        for field in group.fields {
            let reading = fields.isThere(field, reader) ? try fields.read(field, &reader) : fields.absent(field)
            guard !field.key.isEmpty else { continue }
            members.append(.init(field.key, reading.content))
            guard let value = reading.text else { continue }
            let label = group.isAlone ? "" : field.label
            if field.isShownLast {
                append(value, label: label, to: &lastText, group.separator)
            } else {
                append(value, label: label, to: &text, group.separator)
            }
        }
        if !lastText.isEmpty { append(lastText, label: "", to: &text, group.separator) }
        return DecodedValue(text: text, content: .object(members))
    }

    private static func append(_ value: String, label: String, to text: inout String, _ separator: String) {
        if !text.isEmpty { text += separator }
        if !label.isEmpty {
            text += label
            text += " "
        }
        text += value
    }

    private func isThere(_ field: Field, _ reader: ByteReader) -> Bool {
        // Octets that are too few for the field are left over.
        if field.mayBeMissing, reader.remaining < max(1, field.kind.octets.lowest) { return false }
        return field.condition.isMet(by: flags)
    }

    /// A field that the flags do not announce.
    private mutating func absent(_ field: Field) -> Field.Reading {
        switch field.kind {
        case .word: word = nil
        case .series(_, let series) where series.isEmptyWhenAbsent: return .init(.array([]), nil)
        case .hex where field.mayBeMissing: return .init(.string(""), nil)
        default: break
        }
        return .init(.null, nil)
    }

    private mutating func read(_ field: Field, _ reader: inout ByteReader) throws(DecodeError) -> Field.Reading {
        switch field.kind {
        case .flags(let integer):
            flags = try integer.bits(&reader, "flags")
            word = flags
            return .init(.null, nil)
        case .word(let integer):
            word = try integer.bits(&reader, "bits")
            return .init(.null, nil)
        case .skipped(let octets):
            _ = try reader.bytes(octets.count, "unused")
            return .init(.null, nil)
        case .part, .partNumber, .bit, .flag, .supportedBit:
            return part(field)
        case .number(let number):
            return try read(number, field, &reader)
        case .series(let number, let series):
            return try read(number, series, field, &reader)
        case .sfloat(let exponent):
            return Field.reading(MedicalFloat(sfloat: try reader.uint16(field.name)), field.unit, exponent)
        case .medicalFloat:
            return Field.reading(MedicalFloat(float: try reader.uint32(field.name)), field.unit)
        case .float32:
            let value = Float(bitPattern: try reader.uint32(field.name))
            guard let number = DecimalNumber(value) else { return .init(.null, value.description) }
            return Field.reading(number, field.unit)
        case .timeExponential:
            let octet = try reader.uint8(field.name)
            if let name = ExponentialTime.special[UInt64(octet)] { return .init(.null, name) }
            return Field.reading(ExponentialTime.seconds(octet), field.unit)
        case .timeZone:
            return Field.timeZone(quarters: Int(try reader.int8(field.name)))
        case .elapsedTime:
            let number = DecimalNumber(try reader.uint48(field.name))
            return Field.reading(number.scaled(byPowerOfTen: ElapsedTime.exponent(flags: flags)), field.unit)
        case .choice(let integer, let names):
            let bits = try integer.bits(&reader, field.name)
            if let mark = field.mark, bits != 0 { flags |= 1 << UInt64(mark) }
            return .named(bits, names)
        case .bits(let integer, let names):
            let found = names.names(in: try integer.bits(&reader, field.name))
            return .init(.array(found.map { .string($0) }), found.isEmpty ? names.none : found.joined(separator: " + "))
        case .repeated(let element):
            return try read(element, &reader, until: field)
        case .object(let group):
            let value = try Self.decode(group, &reader)
            return .init(value.content, value.text)
        case .unit, .dateTime, .date, .dateUTC, .epochTime, .text, .terminatedText, .hex, .handle, .address, .eui64,
            .hidVersion, .uuid16, .uuid:
            return try text(of: field, &reader)
        }
    }

    // MARK: - Parts of integers

    private func part(_ field: Field) -> Field.Reading {
        func bit(_ number: Int) -> Bool { flags >> UInt64(number) & 1 == 1 }
        switch field.kind {
        case .flag(let number):
            return .init(.bool(bit(number)), bit(number) ? "yes" : nil)
        case .supportedBit(let number, let supported, let texts):
            guard bit(supported) else { return .init(.null, nil) }
            return .init(.bool(bit(number)), texts[bit(number) ? 1 : 0])
        case .bit(let number):
            guard let word else { return .init(.null, nil) }
            let isSet = word >> UInt64(number) & 1 == 1
            return .init(.bool(isSet), isSet ? "yes" : "no")
        case .part(let bits, let names):
            guard let word else { return .init(.null, nil) }
            return .named(word.part(bits), names)
        case .partNumber(let bits):
            guard let word else { return .init(.null, nil) }
            return Field.reading(DecimalNumber(word.part(bits)), field.unit)
        default:
            return .init(.null, nil)
        }
    }

    // MARK: - Numbers

    private func read(
        _ number: NumberFormat,
        _ field: Field,
        _ reader: inout ByteReader
    ) throws(DecodeError) -> Field.Reading {
        var integer = number.integer
        if let wider = number.wider, flags >> UInt64(wider.bit) & 1 == 1 { integer = wider.integer }
        let bits = try integer.bits(&reader, field.name)
        if !number.special.isEmpty, let text = number.special[bits] { return .init(.null, text) }
        if let highest = number.highest, Int128(bits) > highest { return .init(.null, "reserved (\(bits))") }
        return Field.reading(number.number(bits, as: integer), field.unit)
    }

    private func read(
        _ number: NumberFormat,
        _ series: FieldKind.Series,
        _ field: Field,
        _ reader: inout ByteReader
    ) throws(DecodeError) -> Field.Reading {
        var contents: [DecodedValue.Content] = []
        var texts: [String] = []
        while !reader.isAtEnd {
            let value = number.number(try number.integer.bits(&reader, field.name), as: number.integer)
            contents.append(.number(value))
            if let places = series.places {
                texts.append("\(value.rounded(toPlaces: places)) \(field.unit.symbol)")
            } else {
                texts.append(value.description)
            }
        }
        let text = texts.joined(separator: " ") + (series.places == nil ? " \(field.unit.symbol)" : "")
        return .init(.array(contents), contents.isEmpty ? nil : text)
    }

    // MARK: - Fields of fields

    private mutating func read(
        _ element: Field,
        _ reader: inout ByteReader,
        until field: Field
    ) throws(DecodeError) -> Field.Reading {
        var contents: [DecodedValue.Content] = []
        var texts: [String] = []
        while !reader.isAtEnd {
            let reading = try read(element, &reader)
            contents.append(reading.content)
            if let text = reading.text { texts.append(text) }
        }
        return .init(.array(contents), texts.isEmpty ? "none" : texts.joined(separator: " + "))
    }

    // MARK: - Text

    private func text(of field: Field, _ reader: inout ByteReader) throws(DecodeError) -> Field.Reading {
        switch field.kind {
        case .dateTime:
            return .text(try DateTime(from: &reader).description)
        case .date:
            let (year, month, day) = (try reader.uint16("year"), try reader.uint8("month"), try reader.uint8("day"))
            return .text(CivilDate(year: Int(year), month: Int(month), day: Int(day)).description)
        case .dateUTC:
            let days = try reader.uint24(field.name)
            return days == 0 ? .init(.null, "not known") : .text(CivilDate(daysSinceEpoch: Int(days)).description)
        case .epochTime:
            return .text(EpochTime(flags: flags).text(seconds: Int(try reader.uint32(field.name))))
        case .text(let octets, _):
            let bytes = if let octets { try reader.bytes(octets, field.name) } else { reader.rest() }
            return .text(DecodedValue.string(utf8: bytes))
        case .terminatedText:
            var bytes: [UInt8] = []
            while true {
                let byte = try reader.uint8(field.name)
                if byte == 0 { return .text(DecodedValue.string(utf8: bytes)) }
                bytes.append(byte)
            }
        case .hex(let octets):
            let bytes = if let octets { try reader.bytes(octets, field.name) } else { reader.rest() }
            let text = Hex.string(bytes)
            return .init(.string(text), text.isEmpty ? nil : text)
        case .handle:
            let handle = try Handle(from: &reader)
            return .init(.number(handle.rawValue), handle.description)
        case .address:
            return .text(try BluetoothAddress(from: &reader).description)
        case .eui64:
            let digits = Hex.string(try reader.uint64(field.name), minimumDigits: 16)
            let octets = stride(from: 0, to: 16, by: 2).map { digits.dropFirst($0).prefix(2) }
            return .text(octets.joined(separator: ":"))
        case .hidVersion:
            let version = Hex.string(try reader.uint16(field.name), minimumDigits: 4)
            return .text("\(version.prefix(2)).\(version.suffix(2))")
        case .unit:
            let uuid = BluetoothUUID(try reader.uint16(field.name))
            return .text(AssignedNumbers.unit(uuid)?.name ?? "unknown (\(uuid))")
        case .uuid16:
            return .text(BluetoothUUID(try reader.uint16(field.name)).description)
        case .uuid(let isOptional):
            if isOptional, reader.isAtEnd { return .init(.null, nil) }
            return .text(try BluetoothUUID(restOf: &reader, field.name).description)
        default:
            return .init(.null, nil)
        }
    }
}

extension UInt64 {
    /// Some of the bits as a number.
    func part(_ bits: ClosedRange<Int>) -> UInt64 {
        self >> UInt64(bits.lowerBound) & ((1 << UInt64(bits.count)) - 1)
    }
}

extension Field {
    /// The decoded field.
    struct Reading {
        let content: DecodedValue.Content
        /// The field's text; `nil` if the field is not shown.
        let text: String?

        init(_ content: DecodedValue.Content, _ text: String?) {
            self.content = content
            self.text = text
        }

        static func text(_ text: String) -> Reading { Reading(.string(text), text) }

        /// One of several names.
        static func named(_ value: UInt64, _ names: [UInt64: String]) -> Reading {
            .text(names[value] ?? "reserved (\(value))")
        }
    }

    static func reading(_ number: DecimalNumber, _ unit: FieldUnit) -> Reading {
        // Appended, because interpolation takes longer.
        var text = number.description
        if !unit.symbol.isEmpty {
            text += " "
            text += unit.symbol
        }
        return Reading(.number(number), text)
    }

    static func reading(_ value: MedicalFloat, _ unit: FieldUnit, _ exponent: Int = 0) -> Reading {
        guard let number = value.number else { return Reading(.null, value.description) }
        return reading(number.scaled(byPowerOfTen: exponent), unit)
    }

    /// Quarters of an hour from UTC: `UTC-05:00`.
    ///
    /// Spec: GATT Specification Supplement, Time Zone
    fileprivate static func timeZone(quarters: Int) -> Reading {
        if quarters == -128 { return Reading(.null, "not known") }
        guard (-48...56).contains(quarters) else { return Reading(.null, "reserved (\(quarters))") }
        let minutes = abs(quarters) * 15
        let offset = "\(CivilDate.padded(minutes / 60, 2)):\(CivilDate.padded(minutes % 60, 2))"
        return Reading(.number(quarters * 15), "UTC\(quarters < 0 ? "-" : "+")\(offset)")
    }
}
