// SPDX-License-Identifier: MIT

extension CharacteristicFormat {
    /// The format of a private characteristic.
    public init(_ definitions: [FieldDefinition]) throws(FieldDefinitionError) {
        self.init(.fields(FieldGroup(try DefinitionBuilder.fields(definitions, at: []))))
    }
}

private struct DefinitionBuilder {
    /// The maximum number of fields of a value: no value has more octets than that.
    private static let limit = 512
    /// The maximum number of lists inside of each other.
    private static let maximumDepth = 8

    private let path: [Int]
    private var fields: [Field] = []
    private var keys: Set<String> = []
    /// The bits of the flags; 0 if there are none yet.
    private var flagBits = 0

    static func fields(_ definitions: [FieldDefinition], at path: [Int]) throws(FieldDefinitionError) -> [Field] {
        // Definitions come from files, and each level of a list is a recursion.
        guard path.count <= maximumDepth else {
            throw FieldDefinitionError(path, "there are more than \(maximumDepth) lists inside of each other")
        }
        guard definitions.count <= limit else {
            throw FieldDefinitionError(path, "there are more than \(limit) fields")
        }
        var builder = DefinitionBuilder(path: path)
        for (index, definition) in definitions.enumerated() {
            try builder.add(definition, index, isLast: index == definitions.count - 1)
        }
        guard !builder.keys.isEmpty else { throw FieldDefinitionError(path, "no field has a name") }
        return builder.fields
    }

    private init(path: [Int]) { self.path = path }

    private mutating func add(
        _ definition: FieldDefinition,
        _ index: Int,
        isLast: Bool
    ) throws(FieldDefinitionError) {
        let here = path + [index]
        let condition = try condition(definition.presence, here)
        switch definition.kind {
        case .flags(let integer, let parts):
            guard flagBits == 0 else { throw FieldDefinitionError(here, "there are flags already") }
            guard condition == .always else { throw FieldDefinitionError(here, "flags cannot depend on flags") }
            flagBits = 8 * integer.format.octets
            fields.append(.flags(integer.format))
            try add(parts, of: integer, here)
            return
        case .word(let integer, let parts):
            guard !parts.isEmpty else { throw FieldDefinitionError(here, "no part of the integer has a name") }
            fields.append(.word(integer.format, if: condition))
            try add(parts, of: integer, here)
            return
        case .skipped(let count):
            guard (1...512).contains(count) else {
                throw FieldDefinitionError(here, "\(count) octets cannot be skipped")
            }
            guard condition == .always else {
                throw FieldDefinitionError(here, "skipped octets cannot depend on flags; give them a name as hex")
            }
            fields.append(.skipped([UInt8](repeating: 0, count: count)))
            return
        default: break
        }
        let kind = try kind(definition.kind, here)
        guard isLast || kind.octets.highest != nil else {
            throw FieldDefinitionError(here, "it reaches to the end of the value, so that it must be the last field")
        }
        guard path.isEmpty || kind.octets.highest != nil else {
            throw FieldDefinitionError(here, "an element of a list cannot reach to the end of the value")
        }
        guard isLast || !definition.isOptional else {
            throw FieldDefinitionError(here, "only the last field may be missing without a flag")
        }
        var field = Field(definition.name, unit: .named(definition.unit), if: condition, kind)
        field.mayBeMissing = definition.isOptional
        try take(field.key, definition.name, here)
        fields.append(field)
    }

    private mutating func take(
        _ key: String,
        _ name: String,
        _ path: [Int],
        part: Int? = nil
    ) throws(FieldDefinitionError) {
        guard !NameKey(name.utf8).octets.isEmpty else {
            throw FieldDefinitionError(path, part: part, "the name '\(name)' has neither a letter nor a digit")
        }
        guard keys.insert(key).inserted else {
            throw FieldDefinitionError(path, part: part, "two fields have the key '\(key)'")
        }
    }

    private mutating func add(
        _ parts: [FieldDefinition.Part],
        of integer: FieldDefinition.Integer,
        _ path: [Int]
    ) throws(FieldDefinitionError) {
        let bits = 0...(8 * integer.format.octets - 1)
        for (index, part) in parts.enumerated() {
            guard bits.contains(part.bits.lowerBound), bits.contains(part.bits.upperBound) else {
                throw FieldDefinitionError(
                    path,
                    part: index,
                    "\(integer.rawValue) has the bits 0 to \(bits.upperBound)"
                )
            }
            let highest = UInt64(lowBits: part.bits.count)
            if let value = part.names.keys.first(where: { $0 > highest }) {
                throw FieldDefinitionError(path, part: index, "the value \(value) does not fit the bits")
            }
            let field: Field
            if !part.names.isEmpty {
                field = .part(part.name, part.bits, part.names)
            } else if part.bits.count == 1 {
                field = .bit(part.name, part.bits.lowerBound)
            } else {
                field = Field(part.name, .partNumber(part.bits))
            }
            try take(field.key, part.name, path, part: index)
            fields.append(field)
        }
    }

    // MARK: - Conditions and kinds

    private func condition(
        _ presence: FieldDefinition.Presence,
        _ path: [Int]
    ) throws(FieldDefinitionError) -> Field.Condition {
        if presence == .always { return .always }
        guard flagBits > 0 else {
            throw FieldDefinitionError(path, "it depends on flags, and there are none before it")
        }
        guard presence.opCodes.isEmpty || presence.set.isEmpty && presence.clear.isEmpty else {
            throw FieldDefinitionError(path, "it depends on an op code and on bits of the same octet")
        }
        for bit in presence.set + presence.clear where !(0..<flagBits).contains(bit) {
            throw FieldDefinitionError(path, "the flags have the bits 0 to \(flagBits - 1), and not \(bit)")
        }
        if let bit = presence.set.first(where: presence.clear.contains) {
            throw FieldDefinitionError(path, "bit \(bit) cannot be set and clear")
        }
        func mask(_ bits: [Int]) -> UInt64 { bits.reduce(0) { $0 | 1 << UInt64($1) } }
        if !presence.opCodes.isEmpty { return .opCode(presence.opCodes.map { UInt64($0) }) }
        return Field.Condition(set: mask(presence.set), clear: mask(presence.clear))
    }

    private func kind(_ kind: FieldDefinition.Kind, _ path: [Int]) throws(FieldDefinitionError) -> FieldKind {
        switch kind {
        case .flags, .word, .skipped:
            throw FieldDefinitionError(path, "it has no value of its own")
        case .number(let integer, let scale, let special):
            try check(special.keys, fit: integer, path)
            return .number(try number(integer, scale, special, path))
        case .numbers(let integer, let scale):
            return .series(try number(integer, scale, [:], path), .init())
        case .choice(let integer, let names):
            try check(names.keys, fit: integer, path)
            guard !names.isEmpty else { throw FieldDefinitionError(path, "no value has a name") }
            return .choice(integer.format, names)
        case .bits(let integer, let names):
            guard names.count <= 8 * integer.format.octets else {
                throw FieldDefinitionError(path, "\(integer.rawValue) has \(8 * integer.format.octets) bits")
            }
            return .bits(integer.format, BitNames(names: names))
        case .sfloat: return .sfloat(exponent: 0)
        case .medicalFloat: return .medicalFloat
        case .float32: return .float32
        case .text(let octets):
            try check(octets, path)
            return .text(octets: octets, announcedBy: nil)
        case .hex(let octets):
            try check(octets, path)
            return .hex(octets: octets)
        case .dateTime: return .dateTime
        case .date: return .date
        case .address: return .address
        case .uuid: return .uuid(isOptional: false)
        case .list(let definitions):
            let group = FieldGroup(try Self.fields(definitions, at: path))
            // Otherwise a list would never come to the end of a value.
            guard group.lowestOctets > 0 else {
                throw FieldDefinitionError(path, "an element of the list may be empty")
            }
            return .repeated(Field("element", .object(group)))
        }
    }

    private func number(
        _ integer: FieldDefinition.Integer,
        _ scale: FieldDefinition.Scale,
        _ special: [UInt64: String],
        _ path: [Int]
    ) throws(FieldDefinitionError) -> NumberFormat {
        guard let multiplier = UInt64(exactly: scale.factor.magnitude), multiplier > 0,
            (-40...20).contains(scale.factor.exponent)
        else {
            throw FieldDefinitionError(
                path,
                "the scale \(scale.factor) is not between 1e-40 and 1e20, or has too many digits"
            )
        }
        guard (-64...64).contains(scale.binaryExponent) else {
            throw FieldDefinitionError(path, "the binary exponent \(scale.binaryExponent) is not between -64 and 64")
        }
        return NumberFormat(
            integer: integer.format,
            multiplier: multiplier,
            decimalExponent: scale.factor.exponent,
            binaryExponent: scale.binaryExponent,
            special: special,
            offset: scale.offset,
            isNegated: scale.factor.isNegative
        )
    }

    private func check(
        _ values: some Sequence<UInt64>,
        fit integer: FieldDefinition.Integer,
        _ path: [Int]
    ) throws(FieldDefinitionError) {
        let highest = UInt64(lowBits: 8 * integer.format.octets)
        if let value = values.first(where: { $0 > highest }) {
            throw FieldDefinitionError(path, "the value \(value) does not fit \(integer.rawValue)")
        }
    }

    private func check(_ octets: Int?, _ path: [Int]) throws(FieldDefinitionError) {
        guard let octets, !(1...512).contains(octets) else { return }
        throw FieldDefinitionError(path, "a value has 1 to 512 octets, and not \(octets)")
    }
}

extension FieldDefinition.Integer {
    fileprivate var format: IntegerFormat {
        switch self {
        case .u8: .u8
        case .u16: .u16
        case .u24: .u24
        case .u32: .u32
        case .u48: .u48
        case .u64: .u64
        case .s8: .s8
        case .s16: .s16
        case .s24: .s24
        case .s32: .s32
        case .s48: .s48
        case .s64: .s64
        case .u16be: .u16be
        case .u24be: .u24be
        case .u32be: .u32be
        case .s16be: .s16be
        case .s24be: .s24be
        case .s32be: .s32be
        }
    }
}
