// SPDX-License-Identifier: MIT

import Bluetooth

struct FieldReader {
    /// The flags, which announce the fields that are present.
    private var flags: UInt64 = 0
    /// The integer from which parts take their bits; `nil` if it was absent.
    private var word: UInt64?

    /// Whether the flags of the group were read, if it has any.
    private var hasFlags = false
    /// The most informative fault. If it ended the decoding, fields after it are absent.
    private var fault: DecodingFault?
    /// Whether a fault has ended the decoding.
    private var isEnded = false

    /// Decodes a group up to the first fault that leaves no way to go on. Each of its fields has a member in the
    /// result, `null` if the flags say that it is absent, so that all records of a characteristic have the same
    /// members.
    static func decode(_ group: FieldGroup, _ reader: inout ByteReader) -> DecodedValue {
        var fields = FieldReader()
        guard group.isSized else { return fields.members(of: group, &reader) }
        do throws(DecodeError) {
            let size = Int(try reader.uint8("size"))
            // Before the subtractions below: a size of 0 would make the length of the rest negative.
            guard size >= group.lowestOctets else {
                throw DecodeError("size", .inconsistent("\(count: size, "octet") cannot hold the fields"))
            }
            let available = reader.remaining
            // A record that claims more octets than there are still gives the fields that have come.
            var slice = try reader.slice(min(size - 1, available), "record")
            let value = fields.members(of: group, &slice)
            guard available < size - 1 else { return value }
            let cut = DecodingFault("record", .tooShort(needed: size - 1, available: available))
            // The fault within the record names the field. If no field was read, only the record itself can be named.
            let inner = value.fault.flatMap { $0.isEnd && !value.text.isEmpty ? $0 : nil }
            return DecodedValue(text: value.text, content: value.content, fault: inner ?? cut)
        } catch {
            fields.end(DecodingFault(error))
            return fields.members(of: group, &reader)
        }
    }

    private mutating func end(_ fault: DecodingFault) {
        DecodingFault.keep(fault, in: &self.fault)
        isEnded = true
    }

    /// Reads the fields of a group. Some are shown after the others, although they come earlier on the wire.
    private mutating func members(of group: FieldGroup, _ reader: inout ByteReader) -> DecodedValue {
        var members: [DecodedValue.Member] = []
        var text = ""
        var lastText = ""
        var previous = ""
        members.reserveCapacity(group.fields.count)
        for field in group.fields {
            let reading = readOrSkip(field, &reader)
            guard !field.key.isEmpty else { continue }
            members.append(.init(field.key, reading.content))
            guard let value = reading.text else { continue }
            if field.isShownOnce, value == previous { continue }
            previous = value
            let label = group.isAlone ? "" : field.label
            if field.isShownLast {
                Self.append(value, label: label, to: &lastText, group.separator)
            } else {
                Self.append(value, label: label, to: &text, group.separator)
            }
        }
        if !lastText.isEmpty { Self.append(lastText, label: "", to: &text, group.separator) }
        return DecodedValue(text: text, content: .object(members), fault: fault)
    }

    private mutating func readOrSkip(_ field: Field, _ reader: inout ByteReader) -> Field.Reading {
        // The flags were read before the fault, so that their parts are known.
        if isEnded { return field.kind.isPart && hasFlags ? part(field) : skipAbsent(field) }
        guard isThere(field, reader) else { return skipAbsent(field) }
        let start = reader.remaining
        do throws(DecodeError) {
            return try read(field, &reader)
        } catch {
            end(cut(field, error, remaining: start))
            return skipAbsent(field)
        }
    }

    /// The fault of a field that could not be read.
    private func cut(_ field: Field, _ error: DecodeError, remaining: Int) -> DecodingFault {
        let lowest = field.kind.lowestOctets
        let name = field.name.isEmpty ? error.field : field.name
        let fault =
            remaining < lowest
            ? DecodingFault(name, .tooShort(needed: lowest, available: remaining))
            : DecodingFault(DecodeError(name, error.reason))
        return fault.under(.member(field.key.isEmpty ? error.field : field.key))
    }

    private mutating func note(_ reason: DecodingFault.Reason, _ field: Field, part: String = "") {
        let name = part.isEmpty ? field.name : "\(part) of \(field.name)"
        DecodingFault.keep(DecodingFault(name, reason).under(.member(field.key)), in: &fault)
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
        if field.mayBeMissing {
            // Octets that are too few for the field are left over. A checksum is the whole rest, or there is none.
            let octets = field.kind.lowestOctets
            if reader.remaining < max(1, octets) { return false }
            if case .hex(octets: _?) = field.kind, reader.remaining > octets { return false }
        }
        return field.condition.isMet(by: flags)
    }

    /// A field that the flags do not announce.
    private mutating func skipAbsent(_ field: Field) -> Field.Reading {
        switch field.kind {
        // Parts of an absent integer would otherwise take bits of the one before it.
        case .word: word = nil
        case .series(_, let series) where series.isEmptyWhenAbsent: return .init(.array([]), nil)
        case .hex where field.mayBeMissing: return .init(.string(""), nil)
        default: break
        }
        return .init(.null, nil)
    }

    /// Reads one field. Flags and shared integers give no content of their own: the fields that follow take their
    /// bits.
    private mutating func read(_ field: Field, _ reader: inout ByteReader) throws(DecodeError) -> Field.Reading {
        switch field.kind {
        case .flags(let integer):
            flags = try integer.bits(&reader, "flags")
            hasFlags = true
            // Parts without an integer of their own are bits of the flags.
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
            return read(number, series, field, &reader)
        case .sfloat(let exponent):
            return Field.reading(MedicalFloat(sfloat: try reader.uint16(field.name)), field.unit, exponent)
        case .medicalFloat:
            return Field.reading(MedicalFloat(float: try reader.uint32(field.name)), field.unit)
        case .float32:
            let value = Float(bitPattern: try reader.uint32(field.name))
            // JSON has neither NaN nor infinities.
            guard let number = DecimalNumber(value) else { return .init(.null, value.description) }
            return Field.reading(number, field.unit)
        case .timeExponential:
            let octet = try reader.uint8(field.name)
            if let name = ExponentialTime.special[UInt64(octet)] { return .init(.null, name) }
            return Field.reading(ExponentialTime.seconds(octet), field.unit)
        case .timeZone:
            // Quarters of an hour from UTC-12:00 to UTC+14:00; -128 means that the zone is not known.
            let quarters = Int(try reader.int8(field.name))
            if !(-48...56).contains(quarters), quarters != -128 { note(.reserved(value: .init(quarters)), field) }
            return Field.timeZone(quarters: quarters)
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
            return elements(element, &reader, of: field)
        case .object(let group):
            let value = Self.decode(group, &reader)
            take(value.fault, under: .member(field.key))
            return .init(value.content, value.text)
        case .unit, .dateTime, .date, .dateUTC, .epochTime, .text, .terminatedText, .hex, .handle, .address, .eui64,
            .hidVersion, .uuid16, .uuid:
            return try text(of: field, &reader)
        }
    }

    // MARK: - Parts of integers

    /// The meaning of bits that were read before, with the flags or with a shared integer.
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

    /// Reads a number. Reserved and impossible values are noted as faults and shown, so that the rest of the value is
    /// decoded nevertheless.
    private mutating func read(
        _ number: NumberFormat,
        _ field: Field,
        _ reader: inout ByteReader
    ) throws(DecodeError) -> Field.Reading {
        var integer = number.integer
        if let wider = number.wider, flags >> UInt64(wider.bit) & 1 == 1 { integer = wider.integer }
        let bits = try integer.bits(&reader, field.name)
        // Before the limit, because special values usually lie above the highest number.
        if !number.special.isEmpty, let text = number.special[bits] { return .init(.null, text) }
        if let highest = number.highest, Int128(bits) > highest {
            note(.reserved(value: DecimalNumber(bits)), field)
            return .init(.null, "reserved (\(bits))")
        }
        let value = number.number(bits, as: integer)
        let reading = Field.reading(value, field.unit, places: number.textPlaces)
        guard let allowed = number.allowed, !allowed.contains(integer.integer(of: bits)) else { return reading }
        let range = number.range
        note(.outOfRange(value: value, lowest: range.lowest, highest: range.highest), field)
        return .init(reading.content, (reading.text ?? "") + " (out of range)")
    }

    /// Reads numbers up to the end, or up to octets that are too few for one.
    private mutating func read(
        _ number: NumberFormat,
        _ series: FieldKind.Series,
        _ field: Field,
        _ reader: inout ByteReader
    ) -> Field.Reading {
        var contents: [DecodedValue.Content] = []
        var texts: [String] = []
        while !reader.isAtEnd {
            let value: DecimalNumber
            do throws(DecodeError) {
                value = number.number(try number.integer.bits(&reader, field.name), as: number.integer)
            } catch {
                end(DecodingFault(error).under(.element(contents.count)).under(.member(field.key)))
                break
            }
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

    /// Reads elements up to the end, or up to the first that cannot be read. Of that, the fields before the fault are
    /// kept.
    private mutating func elements(_ element: Field, _ reader: inout ByteReader, of field: Field) -> Field.Reading {
        var contents: [DecodedValue.Content] = []
        var texts: [String] = []
        while !reader.isAtEnd, !isEnded {
            let step = FieldError.Step.element(contents.count)
            if case .object(let group) = element.kind {
                let value = Self.decode(group, &reader)
                take(value.fault?.under(step), under: .member(field.key))
                // An element of which nothing could be read is left out.
                if isEnded, value.text.isEmpty { break }
                contents.append(value.content)
                texts.append(value.text)
                continue
            }
            let start = reader.remaining
            do throws(DecodeError) {
                let reading = try read(element, &reader)
                contents.append(reading.content)
                if let text = reading.text { texts.append(text) }
            } catch {
                var fault = cut(element, error, remaining: start)
                fault.path = [.member(field.key), step]
                end(fault)
            }
        }
        return .init(.array(contents), texts.isEmpty ? (isEnded ? nil : "none") : texts.joined(separator: " + "))
    }

    private mutating func take(_ inner: DecodingFault?, under step: FieldError.Step) {
        guard let inner else { return }
        DecodingFault.keep(inner.under(step), in: &fault)
        if inner.isEnd { isEnded = true }
    }

    // MARK: - Text

    private mutating func text(of field: Field, _ reader: inout ByteReader) throws(DecodeError) -> Field.Reading {
        switch field.kind {
        case .dateTime:
            let time = try DateTime(from: &reader)
            check(time, field)
            return .text(time.description)
        case .date:
            let (year, month, day) = (try reader.uint16("year"), try reader.uint8("month"), try reader.uint8("day"))
            check(DateTime(year: year, month: month, day: day, hours: 0, minutes: 0, seconds: 0), field)
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

extension FieldReader {
    /// Notes a part of a time that is out of its range.
    private mutating func check(_ time: DateTime, _ field: Field) {
        guard let (part, value, range) = time.partOutOfRange else { return }
        let ends = (DecimalNumber(range.lowerBound), DecimalNumber(range.upperBound))
        note(.outOfRange(value: DecimalNumber(value), lowest: ends.0, highest: ends.1), field, part: part)
    }
}

extension UInt64 {
    /// The integer whose lowest bits are set, 1 to 64 of them. It is the highest number of that many bits.
    init(lowBits count: Int) {
        // Shifted down, because 2 to the power of 64 does not fit.
        self = .max >> UInt64(64 - count)
    }

    /// The integer in which those bits are set.
    init(bits: ClosedRange<Int>) { self = UInt64(lowBits: bits.count) << UInt64(bits.lowerBound) }

    func part(_ bits: ClosedRange<Int>) -> UInt64 { self >> UInt64(bits.lowerBound) & UInt64(lowBits: bits.count) }
}

extension Field {
    struct Reading {
        /// The content of the member; `null` if the field has no value.
        let content: DecodedValue.Content
        /// The field's text; `nil` if the field is not shown.
        let text: String?

        init(_ content: DecodedValue.Content, _ text: String?) {
            self.content = content
            self.text = text
        }

        /// A content that is text, and that is shown as it is.
        static func text(_ text: String) -> Reading { Reading(.string(text), text) }

        static func named(_ value: UInt64, _ names: [UInt64: String]) -> Reading {
            .text(names[value] ?? "reserved (\(value))")
        }
    }

    /// - Parameter places: The digits after the decimal point that its text keeps; `nil` for all.
    static func reading(_ number: DecimalNumber, _ unit: FieldUnit, places: Int? = nil) -> Reading {
        // Appended, because interpolation takes longer.
        var text = (places.map { number.rounded(toPlaces: $0) } ?? number).description
        if !unit.symbol.isEmpty {
            text += " "
            text += unit.symbol
        }
        return Reading(.number(number), text)
    }

    /// A medical number × 10^`exponent`; `null` with its name as text for one that is not a number, such as NaN.
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
