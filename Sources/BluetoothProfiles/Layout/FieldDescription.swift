// SPDX-License-Identifier: MIT

/// A field of a characteristic, as lists, documentation and generators of values need it.
public struct FieldDescription: Hashable, Sendable {
    /// The kind of content.
    public enum Kind: String, Hashable, Sendable {
        /// A number, or the text of a special value.
        case number
        /// One of several names.
        case choice
        /// An array of names.
        case flags
        /// A date, or a date and time, as text.
        case date
        /// Text.
        case text
        /// Hex digits.
        case hex
        /// An array.
        case array
        /// True or false.
        case bool
        /// An object with members.
        case object
    }

    /// The key of the member; empty if the value is not an object.
    public let key: String
    /// The name in lower case, without the unit.
    public let name: String
    /// The words before the value in a text; empty if the value speaks for itself.
    let label: String
    /// The kind of content.
    public let kind: Kind
    /// The symbol of the unit; empty if there is none.
    public let unit: String
    /// The lowest number; `nil` for other kinds.
    public let lowest: DecimalNumber?
    /// The highest number; `nil` for other kinds.
    public let highest: DecimalNumber?
    /// The distance between neighbouring numbers; `nil` if it depends on the number, and for other kinds.
    public let resolution: DecimalNumber?
    /// The names to choose from, in the order of their numbers; those of units are not listed.
    public let choices: [String]
    /// The texts for values that are not numbers: `not known`.
    public let special: [String]
    /// Whether the member may be missing.
    public let isOptional: Bool
    /// The members of an object or of each element of an array; one description without a key if they are not objects.
    public let members: [FieldDescription]
    /// Whether only an earlier edition of the format has the field, so that it is decoded and never encoded.
    public internal(set) var isOfEarlierEdition = false
}

extension FieldDescription {
    init(_ field: Field, isElement: Bool = false) {
        let kind = field.kind
        key = isElement ? "" : field.key
        name = field.name
        label = field.label
        self.kind = kind.described
        unit = field.unit.symbol
        let range = kind.range
        lowest = range?.lowest
        highest = range?.highest
        resolution = kind.resolution
        choices = kind.choices
        special = kind.special.sorted { $0.bits < $1.bits }.map(\.name)
        isOptional = !field.isAlwaysThere || kind.hasDefault
        switch kind {
        case .repeated(let element): members = [FieldDescription(element, isElement: true)]
        case .series(let number, _):
            members = [FieldDescription(Field(field.name, unit: field.unit, .number(number)), isElement: true)]
        case .object(let group): members = group.keyed.map { FieldDescription($0) }
        default: members = []
        }
    }

    /// A member that is an object, and may be missing.
    init(key: String, _ name: String, members: [FieldDescription]) {
        self.key = key
        self.name = name
        label = name
        kind = .object
        unit = ""
        lowest = nil
        highest = nil
        resolution = nil
        choices = []
        special = []
        isOptional = true
        self.members = members
    }

    /// A member that hand-written code reads and writes.
    ///
    /// - Parameter places: The digits after the decimal point.
    init(
        key: String,
        _ name: String,
        _ kind: Kind,
        unit: FieldUnit = .none,
        range: ClosedRange<Int>? = nil,
        places: Int = 0,
        choices: [String] = [],
        isOptional: Bool = false
    ) {
        self.key = key
        self.name = name
        label = name
        self.kind = kind
        self.unit = unit.symbol
        lowest = range.map { DecimalNumber($0.lowerBound) }
        highest = range.map { DecimalNumber($0.upperBound) }
        resolution = range.map { _ in DecimalNumber(1, exponent: -places) }
        self.choices = choices
        special = []
        self.isOptional = isOptional
        members = []
    }
}

extension Field {
    /// The contents that the field accepts, as the rest of the sentence `'x' is not …`.
    var allowed: String {
        let description = FieldDescription(self)
        let special = description.special.map { "'\($0)'" }
        switch kind {
        case .number, .sfloat, .medicalFloat, .float32, .timeExponential, .timeZone, .elapsedTime:
            let range = kind.range.map { " between \($0.lowest) and \($0.highest)" } ?? ""
            return (["a number\(range)"] + special).joined(separator: " or ")
        case .partNumber, .handle: return "a number"
        case .part, .choice: return DecodedValue.Content.oneOf(description.choices, near: .null) + ", or a number"
        case .bits: return "an array of names, or a number"
        case .bit, .flag, .supportedBit: return "true or false"
        case .dateTime, .epochTime: return "a time like '2026-05-17T13:45:09'"
        case .date: return "a date like '2026-05-17'"
        case .dateUTC: return "a date like '2026-05-17' or 'not known'"
        case .text: return "a text"
        case .terminatedText: return "a text without a zero octet"
        case .hex(let octets):
            return octets.map { "\(2 * $0) hex digits" } ?? "an even number of hex digits"
        case .address: return "an address like 'C0:FF:EE:00:00:01'"
        case .eui64: return "eight octets like '00:11:22:FF:FE:33:44:55'"
        case .hidVersion: return "a version like '01.11'"
        case .unit: return "the name of a unit, or its UUID"
        case .uuid, .uuid16: return "a UUID"
        case .repeated, .series: return "an array"
        case .object(let group): return "an object with \(group.keyed.map(\.key).joined(separator: ", "))"
        case .flags, .word, .skipped: return "there"
        }
    }
}
