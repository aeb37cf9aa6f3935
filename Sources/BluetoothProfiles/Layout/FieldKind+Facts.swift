// SPDX-License-Identifier: MIT

/// Facts about kinds of fields: sizes, ranges, special values.
extension FieldKind {
    var described: FieldDescription.Kind {
        switch self {
        case .number, .partNumber, .sfloat, .medicalFloat, .float32, .timeExponential, .timeZone, .elapsedTime, .handle:
            .number
        case .part, .choice, .unit: .choice
        case .bits: .flags
        case .bit, .flag, .supportedBit: .bool
        case .dateTime, .date, .dateUTC, .epochTime: .date
        case .text, .terminatedText, .address, .eui64, .hidVersion, .uuid16, .uuid: .text
        case .hex, .flags, .word, .skipped: .hex
        case .series, .repeated: .array
        case .object: .object
        }
    }

    /// Whether it is some bits of the flags or of a shared integer.
    var isPart: Bool {
        switch self {
        case .part, .partNumber, .bit, .flag, .supportedBit: true
        default: false
        }
    }

    var range: (lowest: DecimalNumber, highest: DecimalNumber)? {
        switch self {
        case .number(let number):
            return number.range
        case .partNumber(let bits):
            return (.zero, DecimalNumber(UInt64(lowBits: bits.count)))
        case .handle:
            return (.zero, DecimalNumber(0xFFFF))
        case .sfloat(let exponent):
            // The largest mantissa of 12 bits that is a number, and the largest exponent of 4 bits. 0x7FE and
            // 0x7FF are special.
            let highest = DecimalNumber(2_045, exponent: 7 + exponent)
            return (highest.negated, highest)
        case .medicalFloat:
            // The largest mantissa of 24 bits that is a number, and the largest exponent of 8 bits.
            let highest = DecimalNumber(8_388_605, exponent: 127)
            return (highest.negated, highest)
        case .float32:
            let highest = DecimalNumber(Float.greatestFiniteMagnitude) ?? .zero
            return (highest.negated, highest)
        case .timeExponential:
            // 0xFE and 0xFF have special meanings.
            return (.zero, ExponentialTime.seconds(0xFD))
        // UTC-12:00 to UTC+14:00 in minutes.
        case .timeZone:
            return (DecimalNumber(-720), DecimalNumber(840))
        case .elapsedTime:
            return (.zero, DecimalNumber((1 << 48) - 1))
        default:
            return nil
        }
    }

    /// The distance between neighbouring numbers, if it is the same everywhere.
    var resolution: DecimalNumber? {
        switch self {
        case .number(let number): number.resolution
        case .partNumber, .handle: DecimalNumber(1)
        case .timeZone: DecimalNumber(15)
        default: nil
        }
    }

    /// The texts of the values that are not numbers, with their bits on the wire.
    var special: [(name: String, bits: UInt64)] {
        switch self {
        case .number(let number): number.special.map { ($0.value, $0.key) }
        case .timeExponential: ExponentialTime.special.map { ($0.value, $0.key) }
        case .timeZone: [("not known", 0x80)]
        case .dateUTC: [("not known", 0)]
        case .sfloat:
            [0x07FE, 0x07FF, 0x0800, 0x0801, 0x0802].map {
                (MedicalFloat(sfloat: $0).description, UInt64($0))
            }
        case .medicalFloat:
            [0x007F_FFFE, 0x007F_FFFF, 0x0080_0000, 0x0080_0001, 0x0080_0002].map {
                (MedicalFloat(float: $0).description, UInt64($0))
            }
        case .float32:
            [Float.nan, .infinity, -.infinity].map { ($0.description, UInt64($0.bitPattern)) }
        default: []
        }
    }

    /// The bits of a special value; `nil` if there is none of that name. The signs of the infinities count.
    func special(named name: String) -> UInt64? {
        let wanted = name.lowercased()
        return special.first { $0.name == wanted }?.bits
    }

    /// The integer whose bits hold a real number.
    var realInteger: IntegerFormat {
        switch self {
        case .sfloat: .u16
        case .medicalFloat, .float32: .u32
        case .elapsedTime: .u48
        default: .u8
        }
    }

    /// The names to choose from, in the order of their numbers.
    var choices: [String] {
        switch self {
        case .part(_, let names), .choice(_, let names): names.sorted { $0.key < $1.key }.map(\.value)
        case .bits(_, let names): names.all
        default: []
        }
    }

    /// Whether a field of this kind need not be there, because its value may be empty, or because its bits are then
    /// clear.
    var hasDefault: Bool {
        switch self {
        case .bit, .flag, .supportedBit: true
        case .part(_, let names): names[0] != nil
        case .text(nil, _), .hex(nil), .uuid(isOptional: true): true
        case .series(_, let series): series.isEmptyWhenAbsent
        default: false
        }
    }

    /// The smallest and the largest size on the wire; the latter is `nil` if there is no limit.
    var octets: (lowest: Int, highest: Int?) {
        switch self {
        case .flags(let integer), .word(let integer), .choice(let integer, _), .bits(let integer, _):
            return (integer.lowestOctets, integer.octets)
        case .skipped(let octets): return (octets.count, octets.count)
        case .part, .partNumber, .bit, .flag, .supportedBit: return (0, 0)
        case .number(let number):
            return (number.integer.lowestOctets, max(number.integer.octets, number.wider?.integer.octets ?? 0))
        case .timeExponential, .timeZone: return (1, 1)
        case .sfloat, .unit, .handle, .hidVersion, .uuid16: return (2, 2)
        case .dateUTC: return (3, 3)
        case .medicalFloat, .float32, .date, .epochTime: return (4, 4)
        case .address, .elapsedTime: return (6, 6)
        case .dateTime: return (7, 7)
        case .eui64: return (8, 8)
        case .text(let octets?, _), .hex(let octets?): return (octets, octets)
        case .uuid(let isOptional): return (isOptional ? 0 : 2, 16)
        case .terminatedText: return (1, nil)
        case .text(nil, _), .hex(nil), .series, .repeated: return (0, nil)
        case .object(let group): return group.octets
        }
    }
}

extension FieldKind {
    /// The smallest size on the wire. Unlike both sizes, it takes no search in a group.
    var lowestOctets: Int {
        if case .object(let group) = self { return group.lowestOctets }
        return octets.lowest
    }
}

extension FieldGroup {
    /// The maximum number of bits of the flags of which all combinations are tried. Definitions come from files, and
    /// each bit doubles the time.
    private static let mostDecidingBits = 12

    /// The smallest size on the wire.
    var lowestOctets: Int {
        fields.reduce(isSized ? 1 : 0) { $0 + ($1.isAlwaysThere ? $1.kind.lowestOctets : 0) }
    }

    /// The smallest and the largest size on the wire; the latter is `nil` if there is no limit, and the size of all
    /// fields together if many bits of the flags decide about them.
    var octets: (lowest: Int, highest: Int?) {
        let highest = highestOctetsOfFields
        return (lowestOctets, isSized ? min(highest ?? 254, 254) + 1 : highest)
    }

    private var highestOctetsOfFields: Int? {
        var sizes: [(condition: Field.Condition, octets: Int)] = []
        for field in fields {
            guard let octets = field.kind.octets.highest else { return nil }
            sizes.append((field.condition, octets))
        }
        // Fields that exclude each other depend on the bits that must be clear for one of them.
        let deciding = fields.reduce(UInt64(0)) { $0 | $1.condition.clear | ($1.condition.opCodes.isEmpty ? 0 : 0xFF) }
        guard deciding.nonzeroBitCount <= Self.mostDecidingBits else { return sizes.reduce(0) { $0 + $1.octets } }
        var highest = 0
        var flags: UInt64 = 0
        repeat {
            let present = flags | ~deciding
            highest = max(highest, sizes.reduce(0) { $0 + ($1.condition.isMet(by: present) ? $1.octets : 0) })
            // The next subset of the deciding bits.
            flags = (flags &- deciding) & deciding
        } while flags != 0
        return highest
    }
}

extension Field {
    var isAlwaysThere: Bool { condition == .always && !mayBeMissing }
}
