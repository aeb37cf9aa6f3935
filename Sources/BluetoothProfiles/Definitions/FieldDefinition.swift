// SPDX-License-Identifier: MIT

/// The definition of one field of a private characteristic, for a `CharacteristicFormat` of one's own.
///
/// ```
/// let format = try CharacteristicFormat([
///     FieldDefinition("temperature", .number(.s16, Scale(factor: DecimalNumber(1, exponent: -2))), unit: "celsius"),
///     FieldDefinition("mode", .choice(.u8, [0: "off", 1: "on"])),
/// ])
/// ```
public struct FieldDefinition: Hashable, Sendable {
    /// An integer type. The least significant octet comes first, unless the name ends with `be`.
    public enum Integer: String, Hashable, Sendable, CaseIterable {
        /// Unsigned.
        case u8, u16, u24, u32, u48, u64
        /// In two's complement.
        case s8, s16, s24, s32, s48, s64
        /// With the most significant octet first.
        case u16be, u24be, u32be, s16be, s24be, s32be
    }

    /// The number of an integer n: n × `factor` × 2^`binaryExponent` + `offset`.
    public struct Scale: Hashable, Sendable {
        /// The factor, with at most 19 digits.
        public var factor: DecimalNumber
        /// The power of two by which the integer is multiplied: -64 to 64.
        public var binaryExponent: Int
        /// The number of the integer 0.
        public var offset: DecimalNumber

        /// Creates a scale.
        public init(factor: DecimalNumber = DecimalNumber(1), binaryExponent: Int = 0, offset: DecimalNumber = .zero) {
            self.factor = factor
            self.binaryExponent = binaryExponent
            self.offset = offset
        }
    }

    /// Some bits of an integer as a field of their own.
    public struct Part: Hashable, Sendable {
        /// The name in lower case.
        public var name: String
        /// The bits, from 0 for the lowest one. A single one without names is true or false.
        public var bits: ClosedRange<Int>
        /// The names of the values; empty for a number.
        public var names: [UInt64: String]

        /// Creates a part.
        public init(_ name: String, _ bits: ClosedRange<Int>, names: [UInt64: String] = [:]) {
            self.name = name
            self.bits = bits
            self.names = names
        }
    }

    /// The encoding of a field.
    public indirect enum Kind: Hashable, Sendable {
        /// The flags that announce later fields; some of their bits may be fields themselves.
        case flags(Integer, [Part])
        /// An integer whose bits are fields.
        case word(Integer, [Part])
        /// Octets without a meaning, that many.
        case skipped(Int)
        /// A number. Some values, as bits on the wire, mean that there is none.
        case number(Integer, Scale = Scale(), special: [UInt64: String] = [:])
        /// Numbers up to the end of the value.
        case numbers(Integer, Scale = Scale())
        /// One of several names.
        case choice(Integer, [UInt64: String])
        /// A set of names, one for each bit; an empty name is a reserved bit.
        case bits(Integer, [String])
        /// An IEEE 11073 number of 16 bits.
        case sfloat
        /// An IEEE 11073 number of 32 bits.
        case medicalFloat
        /// An IEEE 754 number of 32 bits.
        case float32
        /// Text in UTF-8 of that many octets, or up to the end of the value.
        case text(octets: Int? = nil)
        /// Octets as hex digits, that many or up to the end of the value.
        case hex(octets: Int? = nil)
        /// A date and time of seven octets.
        case dateTime
        /// A date of four octets.
        case date
        /// A device address.
        case address
        /// A UUID of 2 or 16 octets, up to the end of the value.
        case uuid
        /// Objects with these fields, up to the end of the value.
        case list([FieldDefinition])
    }

    /// When a field is there: some bits of the flags are set and others are clear, or the first octet of the flags is
    /// one of several op codes.
    public struct Presence: Hashable, Sendable {
        /// The bits that must be set.
        public var set: [Int]
        /// The bits that must be clear.
        public var clear: [Int]
        /// The op codes; empty if it does not depend on one.
        public var opCodes: [UInt8]

        /// Creates a condition; without arguments the field is always there.
        public init(set: [Int] = [], clear: [Int] = [], opCodes: [UInt8] = []) {
            self.set = set
            self.clear = clear
            self.opCodes = opCodes
        }

        /// Always.
        public static var always: Self { Self() }
    }

    /// The name in lower case. Flags, integers with parts and skipped octets have none.
    public var name: String
    /// The encoding of the octets.
    public var kind: Kind
    /// The unit: a name or a symbol of the assigned numbers, or any other symbol; empty for none.
    public var unit: String
    /// When the field is there.
    public var presence: Presence
    /// Whether the value may end before the field.
    public var isOptional: Bool

    /// Creates a definition. `CharacteristicFormat` checks it.
    public init(
        _ name: String = "",
        _ kind: Kind,
        unit: String = "",
        if presence: Presence = .always,
        isOptional: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.unit = unit
        self.presence = presence
        self.isOptional = isOptional
    }
}

/// The fault of a definition.
public struct FieldDefinitionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The indices of the field and of the fields around it, the outermost first; empty for all fields together.
    public let path: [Int]
    /// The index of the faulty part; `nil` if it is the field itself.
    public let part: Int?
    /// The fault, as a sentence without a full stop.
    public let message: String

    init(_ path: [Int], part: Int? = nil, _ message: String) {
        self.path = path
        self.part = part
        self.message = message
    }

    /// `field 2: two fields have the key 'level'`
    public var description: String {
        path.isEmpty ? message : "field \(path.map { "\($0)" }.joined(separator: ".")): \(message)"
    }
}
