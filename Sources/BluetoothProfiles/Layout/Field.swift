// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// One field of a characteristic, as in the tables of the GATT Specification Supplement.
struct Field: Sendable {
    /// The condition for the presence of a field: some bits of the flags are set, and others are clear.
    struct Condition: Sendable {
        let set: UInt64
        let clear: UInt64

        static var always: Self { Self(set: 0, clear: 0) }

        /// Present if a bit of the flags is set, and another is clear.
        static func set(_ bit: Int, clear: Int? = nil) -> Self {
            Self(set: 1 << UInt64(bit), clear: clear.map { 1 << UInt64($0) } ?? 0)
        }

        /// Present if two bits of the flags are set.
        static func set(_ bit: Int, and other: Int) -> Self {
            Self(set: 1 << UInt64(bit) | 1 << UInt64(other), clear: 0)
        }

        /// Present if a bit of the flags is clear.
        static func clear(_ bit: Int) -> Self { Self(set: 0, clear: 1 << UInt64(bit)) }

        func isMet(by flags: UInt64) -> Bool { flags & set == set && flags & clear == 0 }
    }

    /// The decoded field.
    struct Reading {
        let content: DecodedValue.Content
        /// The field's text; `nil` if the field is not shown.
        let text: String?

        init(_ content: DecodedValue.Content, _ text: String?) {
            self.content = content
            self.text = text
        }
    }

    /// The data that earlier fields provide for later ones.
    struct Context {
        /// The flags, which announce the fields that are present.
        var flags: UInt64 = 0
        /// The integer from which `part` and `bit` take their bits; `nil` if it was absent.
        var word: UInt64?
    }

    /// The name in the text, in lower case.
    let name: String
    /// The name in snake case with the unit; empty for fields without a value of their own.
    let key: String
    let condition: Condition
    let read: @Sendable (inout ByteReader, inout Context) throws(DecodeError) -> Reading

    init(
        _ name: String,
        unit: FieldUnit = .none,
        if condition: Condition = .always,
        _ read: @escaping @Sendable (inout ByteReader, inout Context) throws(DecodeError) -> Reading
    ) {
        self.name = name
        let ending = unit.keyEnding.isEmpty ? "" : "_" + unit.keyEnding
        key = AssignedNumber.slug(name).map { $0 == "-" ? "_" : String($0) }.joined() + ending
        self.condition = condition
        self.read = read
    }
}

// MARK: - Fields that control others

extension Field {
    /// The flags, which announce the fields that are present.
    static func flags(_ format: IntegerFormat) -> Field {
        Field("") { (reader, context) throws(DecodeError) in
            context.flags = try format.read(&reader, "flags").bits
            context.word = context.flags
            return Reading(.null, nil)
        }
    }

    /// An integer that several fields share. They follow as `part` or `bit`.
    static func word(_ format: IntegerFormat, if condition: Condition = .always) -> Field {
        Field("") { (reader, context) throws(DecodeError) in
            context.word = condition.isMet(by: context.flags) ? try format.read(&reader, "bits").bits : nil
            return Reading(.null, nil)
        }
    }

    /// A number of bits of the flags, or of the last word, that select one of several names.
    static func part(_ name: String, _ bits: ClosedRange<Int>, _ names: [UInt64: String]) -> Field {
        Field(name) { (_, context) throws(DecodeError) in
            guard let word = context.word else { return Reading(.null, nil) }
            let value = word >> UInt64(bits.lowerBound) & ((1 << UInt64(bits.count)) - 1)
            let text = names[value] ?? "reserved (\(value))"
            return Reading(.string(text), text)
        }
    }

    /// One bit of the flags, or of the latest word.
    static func bit(_ name: String, _ bit: Int) -> Field {
        Field(name) { (_, context) throws(DecodeError) in
            guard let word = context.word else { return Reading(.null, nil) }
            let isSet = word >> UInt64(bit) & 1 == 1
            return Reading(.bool(isSet), isSet ? "yes" : "no")
        }
    }
}

// MARK: - Numbers

extension Field {
    /// An integer × `times` × 10^`e` × 2^`b`. Values in `not` mean that there is no number, with the reason as text.
    ///
    /// Spec: GATT Specification Supplement, 2.3.1 (multiplier M, decimal exponent d, binary exponent b)
    static func number(
        _ name: String,
        _ format: IntegerFormat,
        _ unit: FieldUnit = .none,
        times multiplier: UInt64 = 1,
        e decimalExponent: Int = 0,
        b binaryExponent: Int = 0,
        not special: [UInt64: String] = [:],
        if condition: Condition = .always
    ) -> Field {
        Field(name, unit: unit, if: condition) { (reader, _) throws(DecodeError) in
            let (value, bits) = try format.read(&reader, name)
            if let text = special[bits] { return Reading(.null, text) }
            let number = value.multiplied(by: multiplier).scaled(byPowerOfTwo: binaryExponent)
                .scaled(byPowerOfTen: decimalExponent)
            return reading(number, unit)
        }
    }

    /// An IEEE 11073 number of 16 bits × 10^`e`.
    static func sfloat(
        _ name: String,
        _ unit: FieldUnit,
        e exponent: Int = 0,
        if condition: Condition = .always
    ) -> Field {
        Field(name, unit: unit, if: condition) { (reader, _) throws(DecodeError) in
            reading(MedicalFloat(sfloat: try reader.uint16(name)), unit, exponent)
        }
    }

    /// An IEEE 754 number of 32 bits.
    static func float32(_ name: String) -> Field {
        Field(name) { (reader, _) throws(DecodeError) in
            let value = Float(bitPattern: try reader.uint32(name))
            guard let number = DecimalNumber(value) else { return Reading(.null, value.description) }
            return reading(number, .none)
        }
    }

    /// An octet n that means 1.1^(n−64) seconds.
    ///
    /// Spec: GATT Specification Supplement, Time Exponential 8
    static func timeExponential(_ name: String) -> Field {
        Field(name, unit: .seconds) { (reader, _) throws(DecodeError) in
            let raw = try reader.uint8(name)
            switch raw {
            case 0x00: return reading(.zero, .seconds)
            case 0xFE: return Reading(.null, "the life of the device")
            case 0xFF: return Reading(.null, "not known")
            default: break
            }
            var seconds = 1.0
            for _ in 0..<abs(Int(raw) - 64) { seconds = raw < 64 ? seconds / 1.1 : seconds * 1.1 }
            // Three significant digits suffice, because neighbouring values differ by 10 %.
            let places = seconds < 10 ? 4 : seconds < 1_000 ? 2 : 0
            return reading((DecimalNumber(seconds) ?? .zero).rounded(toPlaces: places), .seconds)
        }
    }

    static func reading(_ number: DecimalNumber, _ unit: FieldUnit) -> Reading {
        Reading(.number(number), unit.symbol.isEmpty ? number.description : "\(number) \(unit.symbol)")
    }

    static func reading(_ value: MedicalFloat, _ unit: FieldUnit, _ exponent: Int = 0) -> Reading {
        guard let number = value.number else { return Reading(.null, value.description) }
        return reading(number.scaled(byPowerOfTen: exponent), unit)
    }
}

// MARK: - Names, text and times

extension Field {
    /// An integer that selects one of several names.
    static func choice(
        _ name: String,
        _ format: IntegerFormat = .u8,
        _ names: [UInt64: String],
        if condition: Condition = .always
    ) -> Field {
        Field(name, if: condition) { (reader, _) throws(DecodeError) in
            let value = try format.read(&reader, name).bits
            let text = names[value] ?? "reserved (\(value))"
            return Reading(.string(text), text)
        }
    }

    /// Bits with a name each, in the order of the bits; bits with empty names are reserved.
    static func bits(
        _ name: String,
        _ format: IntegerFormat,
        _ names: [String],
        if condition: Condition = .always
    ) -> Field {
        Field(name, if: condition) { (reader, _) throws(DecodeError) in
            let value = try format.read(&reader, name).bits
            var found: [String] = []
            for bit in 0..<64 where value >> UInt64(bit) & 1 == 1 {
                let known = bit < names.count ? names[bit] : ""
                found.append(known.isEmpty ? "reserved (bit \(bit))" : known)
            }
            return Reading(.array(found.map { .string($0) }), found.isEmpty ? "none" : found.joined(separator: " + "))
        }
    }

    /// A date and time.
    static func dateTime(_ name: String, if condition: Condition = .always) -> Field {
        Field(name, if: condition) { (reader, _) throws(DecodeError) in
            let time = try DateTime(from: &reader)
            return Reading(.string(time.description), time.description)
        }
    }

    /// Days since 1970-01-01, as a date.
    static func dateUTC(_ name: String, if condition: Condition = .always) -> Field {
        Field(name, if: condition) { (reader, _) throws(DecodeError) in
            let days = try reader.uint24(name)
            if days == 0 { return Reading(.null, "not known") }
            let date = CivilDate(daysSinceEpoch: Int(days)).description
            return Reading(.string(date), date)
        }
    }

    /// UTF-8 text: the given number of octets, or all that are left.
    static func text(_ name: String, octets: Int? = nil, if condition: Condition = .always) -> Field {
        Field(name, if: condition) { (reader, _) throws(DecodeError) in
            let bytes = if let octets { try reader.bytes(octets, name) } else { reader.rest() }
            let text = DecodedValue.string(utf8: bytes)
            return Reading(.string(text), text)
        }
    }

    /// Octets without a known meaning, as hex digits: the given number, or all that are left.
    static func hex(_ name: String, octets: Int? = nil, if condition: Condition = .always) -> Field {
        Field(name, if: condition) { (reader, _) throws(DecodeError) in
            let bytes = if let octets { try reader.bytes(octets, name) } else { reader.rest() }
            let text = Hex.string(bytes)
            return Reading(.string(text), text.isEmpty ? nil : text)
        }
    }

    /// An attribute handle.
    static func handle(_ name: String) -> Field {
        Field(name) { (reader, _) throws(DecodeError) in
            let handle = try Handle(from: &reader)
            return Reading(.number(handle.rawValue), handle.description)
        }
    }

    /// The same field, repeated up to the end of the value.
    static func repeated(_ name: String, _ field: Field) -> Field {
        Field(name) { (reader, context) throws(DecodeError) in
            var contents: [DecodedValue.Content] = []
            var texts: [String] = []
            while !reader.isAtEnd {
                let reading = try field.read(&reader, &context)
                contents.append(reading.content)
                if let text = reading.text { texts.append(text) }
            }
            return Reading(.array(contents), texts.isEmpty ? "none" : texts.joined(separator: " + "))
        }
    }
}
