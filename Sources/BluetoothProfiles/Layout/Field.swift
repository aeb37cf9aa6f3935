// SPDX-License-Identifier: MIT

/// One field of a characteristic, as in the tables of the GATT Specification Supplement.
struct Field: Hashable, Sendable {
    /// The condition for the presence of a field: some bits of the flags are set, and others are clear; or the first
    /// octet of the flags, which is an op code then, has one of several values.
    struct Condition: Hashable, Sendable {
        let set: UInt64
        let clear: UInt64
        /// The values that the first octet of the flags may have; empty if any will do.
        var opCodes: [UInt64] = []

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

        /// Present after some op codes.
        static func opCode(_ codes: UInt64...) -> Self { opCode(codes) }

        static func opCode(_ codes: [UInt64]) -> Self {
            // A single op code is a pattern of eight bits. A writer takes the flags to set from the same pattern.
            if codes.count == 1, let code = codes.first { return Self(set: code, clear: ~code & 0xFF) }
            return Self(set: 0, clear: 0, opCodes: codes)
        }

        func isMet(by flags: UInt64) -> Bool {
            guard flags & set == set, flags & clear == 0 else { return false }
            return opCodes.isEmpty || opCodes.contains(flags & 0xFF)
        }
    }

    /// The name in lower case.
    let name: String
    /// The name in snake case with the unit; empty for fields without a value of their own.
    let key: String
    let unit: FieldUnit
    let condition: Condition
    let kind: FieldKind
    /// The words before the value in the text, if there are several fields; empty if the value speaks for itself.
    var label: String
    /// Whether the field follows the others in the text.
    var isShownLast = false
    /// Whether the text has the field only if it says something else than the field before it.
    var isShownOnce = false
    /// Whether the value may end before the field.
    var mayBeMissing = false
    /// A bit of the flags above those on the wire, which is set if the value of the field is not 0.
    var mark: Int?

    init(_ name: String, unit: FieldUnit = .none, if condition: Condition = .always, _ kind: FieldKind) {
        self.name = name
        self.unit = unit
        let ending = unit.keyEnding.isEmpty ? "" : "_" + unit.keyEnding
        key = AssignedNumber.slug(name).map { $0 == "-" ? "_" : String($0) }.joined() + ending
        self.condition = condition
        self.kind = kind
        label = name
    }

    /// A field whose key is that of the specification, without a unit.
    init(key: String, _ name: String, unit: FieldUnit = .none, _ kind: FieldKind) {
        self.name = name
        self.unit = unit
        self.key = key
        condition = .always
        self.kind = kind
        label = name
    }

    private func with<Value>(_ property: WritableKeyPath<Field, Value>, _ value: Value) -> Field {
        var field = self
        field[keyPath: property] = value
        return field
    }

    /// The field with other words before its value in the text.
    func labelled(_ label: String) -> Field { with(\.label, label) }

    /// The field, which may be missing at the end of the value.
    var optional: Field { with(\.mayBeMissing, true) }

    /// The field, whose value sets a bit of the flags unless it is 0. The flags have no such bit on the wire.
    func marking(_ bit: Int) -> Field { with(\.mark, bit) }

    /// The field, which the text leaves out if it says the same as the field before it. The members have both.
    var once: Field { with(\.isShownOnce, true) }

    /// The field, which is shown after the others in the text.
    var last: Field { with(\.isShownLast, true) }
}

// MARK: - Fields that control others

extension Field {
    /// The flags, which announce the fields that are present.
    static func flags(_ format: IntegerFormat) -> Field { Field("", .flags(format)) }

    /// An integer that several fields share. They follow as `part` or `bit`.
    static func word(_ format: IntegerFormat, if condition: Condition = .always) -> Field {
        Field("", if: condition, .word(format))
    }

    /// A number of bits of the flags, or of the last word, that select one of several names.
    static func part(_ name: String, _ bits: ClosedRange<Int>, _ names: [UInt64: String]) -> Field {
        Field(name, .part(bits, names))
    }

    /// The op code of a control point, in the place of the flags.
    static func opCode(_ names: [UInt64: String]) -> Field { .part("op code", 0...7, names) }

    /// One bit of the flags, or of the latest word.
    static func bit(_ name: String, _ bit: Int) -> Field { Field(name, .bit(bit)) }

    /// A bit of the flags with a meaning other than the presence of a field; shown only if it is set.
    static func flag(_ name: String, bit: Int) -> Field { Field(name, .flag(bit)) }

    /// Octets without a meaning; zeros unless the specification has other ones.
    static func skipped(_ octets: [UInt8]) -> Field { Field("", .skipped(octets)) }
}

// MARK: - Numbers

extension Field {
    /// An integer × `times` × 10^`e` × 2^`b`. Values in `not` mean that there is no number, with the reason as text.
    /// Integers above `upTo` are reserved, and those out of `in` are not allowed. A bit of the flags may select a
    /// `wider` integer.
    static func number(
        _ name: String,
        _ format: IntegerFormat,
        _ unit: FieldUnit = .none,
        times multiplier: UInt64 = 1,
        e decimalExponent: Int = 0,
        b binaryExponent: Int = 0,
        not special: [UInt64: String] = [:],
        upTo highest: Int128? = nil,
        in allowed: ClosedRange<Int128>? = nil,
        wider: NumberFormat.Wider? = nil,
        if condition: Condition = .always
    ) -> Field {
        let number = NumberFormat(
            integer: format,
            wider: wider,
            multiplier: multiplier,
            decimalExponent: decimalExponent,
            binaryExponent: binaryExponent,
            special: special,
            highest: highest,
            allowed: allowed
        )
        return Field(name, unit: unit, if: condition, .number(number))
    }

    /// A number of a sensor with its own formula: as `number`, plus an offset, with the other sign, without the low
    /// bits of the integer, and rounded to some digits after the decimal point.
    static func sensor(
        _ name: String,
        _ format: IntegerFormat,
        _ unit: FieldUnit,
        times multiplier: UInt64 = 1,
        e decimalExponent: Int = 0,
        b binaryExponent: Int,
        plus offset: DecimalNumber = .zero,
        isNegated: Bool = false,
        ignoredBits: Int = 0,
        places: Int
    ) -> Field {
        let number = NumberFormat(
            integer: format,
            multiplier: multiplier,
            decimalExponent: decimalExponent,
            binaryExponent: binaryExponent,
            offset: offset,
            isNegated: isNegated,
            ignoredBits: ignoredBits,
            places: places
        )
        return Field(name, unit: unit, .number(number))
    }

    /// Integers as those of `number`, up to the end of the value.
    static func series(
        _ name: String,
        _ format: IntegerFormat,
        _ unit: FieldUnit,
        times multiplier: UInt64 = 1,
        b binaryExponent: Int = 0,
        _ series: FieldKind.Series = .init(),
        if condition: Condition = .always
    ) -> Field {
        let number = NumberFormat(integer: format, multiplier: multiplier, binaryExponent: binaryExponent)
        return Field(name, unit: unit, if: condition, .series(number, series))
    }

    /// An IEEE 11073 number of 16 bits × 10^`e`.
    static func sfloat(
        _ name: String,
        _ unit: FieldUnit,
        e exponent: Int = 0,
        if condition: Condition = .always
    ) -> Field {
        Field(name, unit: unit, if: condition, .sfloat(exponent: exponent))
    }

    /// An IEEE 11073 number of 32 bits.
    static func medicalFloat(_ name: String, _ unit: FieldUnit, if condition: Condition = .always) -> Field {
        Field(name, unit: unit, if: condition, .medicalFloat)
    }

    /// An IEEE 754 number of 32 bits.
    static func float32(_ name: String, _ unit: FieldUnit = .none) -> Field { Field(name, unit: unit, .float32) }

    /// An octet n that means 1.1^(n−64) seconds.
    ///
    /// Spec: GATT Specification Supplement, Time Exponential 8
    static func timeExponential(_ name: String) -> Field { Field(name, unit: .seconds, .timeExponential) }
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
        Field(name, if: condition, .choice(format, names))
    }

    /// Bits with a name each, in the order of the bits; bits with empty names are reserved. Some bits may together
    /// select one of several names.
    static func bits(
        _ name: String,
        _ format: IntegerFormat,
        _ names: [String],
        selections: [BitNames.Selection] = [],
        none: String = "none",
        if condition: Condition = .always
    ) -> Field {
        Field(name, if: condition, .bits(format, BitNames(names: names, selections: selections, none: none)))
    }

    static func dateTime(_ name: String, if condition: Condition = .always) -> Field {
        Field(name, if: condition, .dateTime)
    }

    /// A date without a time.
    static func date(_ name: String) -> Field { Field(name, .date) }

    /// Days since 1970-01-01, as a date.
    static func dateUTC(_ name: String, if condition: Condition = .always) -> Field {
        Field(name, if: condition, .dateUTC)
    }

    /// Seconds since the start of 1900, or of 2000 if bit 6 of the flags is set.
    static func epochTime(_ name: String, if condition: Condition) -> Field { Field(name, if: condition, .epochTime) }

    /// UTF-8 text: the given number of octets, or all that are left. A bit of the flags may say whether there is any.
    static func text(
        _ name: String,
        octets: Int? = nil,
        announcedBy bit: Int? = nil,
        if condition: Condition = .always
    ) -> Field {
        Field(name, if: condition, .text(octets: octets, announcedBy: bit))
    }

    /// UTF-8 text that ends with a zero octet.
    static func terminatedText(_ name: String, if condition: Condition) -> Field {
        Field(name, if: condition, .terminatedText)
    }

    /// Octets without a known meaning, as hex digits: the given number, or all that are left.
    static func hex(_ name: String, octets: Int? = nil, if condition: Condition = .always) -> Field {
        Field(name, if: condition, .hex(octets: octets))
    }

    static func handle(_ name: String) -> Field { Field(name, .handle) }

    /// A UUID of two or sixteen octets, up to the end of the value.
    static func uuid(_ name: String, isOptional: Bool = false) -> Field { Field(name, .uuid(isOptional: isOptional)) }

    /// A UUID of two octets.
    static func uuid16(_ name: String) -> Field { Field(name, .uuid16) }

    /// A checksum of two octets, which only some devices append.
    static var checksum: Field { .hex("e2e crc", octets: 2).optional }

    /// The same field, repeated up to the end of the value.
    static func repeated(_ name: String, _ field: Field, if condition: Condition = .always) -> Field {
        Field(name, if: condition, .repeated(field))
    }

    /// Fields of their own within a field. An octet before them may state their size.
    static func object(_ name: String, separator: String = ", ", isSized: Bool = false, _ fields: Field...) -> Field {
        Field(name, .object(FieldGroup(fields, separator: separator, isSized: isSized)))
    }
}
