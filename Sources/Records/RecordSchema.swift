// SPDX-License-Identifier: GPL-2.0-or-later

/// The schema of one kind of JSON record: its keys, and the commands that print it.
///
/// The manual pages contain the schemas, and tests compare the records of the commands with them, so that neither can
/// be wrong alone.
package struct RecordSchema: Sendable {
    /// The value of the key `type`.
    package let type: String
    /// The meaning of a record, as one line in lower case without a full stop.
    package let summary: String
    /// The keys besides the common ones. Every record contains all of them, with null for missing values.
    package let keys: [RecordKey]

    /// All keys of the record, the common ones first.
    package var allKeys: [RecordKey] { Self.commonKeys + keys }

    package init(_ type: String, _ summary: String, keys: [RecordKey]) {
        self.type = type
        self.summary = summary
        self.keys = keys
    }

    /// The name of the member that records have with `--timing`.
    package static let timingName = "timing"

    /// Whether every command can print the record: it is that of a failure.
    package var isCommon: Bool { type == "error" }
}

@usableFromInline
package struct RecordKey: Sendable {
    /// The key. If its value is a quantity, the key ends with the unit.
    package let name: String
    package let type: RecordType
    package let isNullable: Bool
    /// The meaning, as one line in lower case without a full stop.
    package let meaning: String

    @usableFromInline
    package init(_ name: String, _ type: RecordType, orNull isNullable: Bool = false, _ meaning: String) {
        self.name = name
        self.type = type
        self.isNullable = isNullable
        self.meaning = meaning
    }
}

@usableFromInline
package indirect enum RecordType: Sendable {
    case string
    /// A moment as text: RFC 3339 in UTC with microseconds.
    case time
    /// Bytes as text, with two lower-case hexadecimal digits for each.
    case hex
    /// A UUID as text: `0x180D`, or 128 bits in lower case with dashes.
    case uuid
    case integer(unit: String?)
    /// A number that need not be whole.
    case number
    case boolean
    /// An object with these keys. An open object has further keys, which depend on its content.
    case object([RecordKey], isOpen: Bool = false)
    case array(of: RecordType)
    /// A value of that type, or null; for the elements of an array.
    case optional(RecordType)
    /// The JSON form of a decoded value.
    case any

    package var description: String {
        switch self {
        case .string: "string"
        case .time: "time as a string"
        case .hex: "string of hex digits"
        case .uuid: "UUID"
        case .integer(let unit): unit.map { "integer in \($0)" } ?? "integer"
        case .number: "number"
        case .boolean: "true or false"
        case .object: "object"
        case .array(let element): "array of \(element.plural)"
        case .optional(let type): "\(type.description) or null"
        case .any: "any"
        }
    }

    /// The keys of the object, or of the objects in the array.
    package var keys: [RecordKey] {
        switch self {
        case .object(let keys, _): keys
        case .array(let element): element.keys
        case .optional(let type): type.keys
        case .string, .time, .hex, .uuid, .integer, .number, .boolean, .any: []
        }
    }

    private var plural: String {
        switch self {
        case .string: "strings"
        case .time: "times as strings"
        case .hex: "strings of hex digits"
        case .uuid: "UUIDs"
        case .integer(let unit): unit.map { "integers in \($0)" } ?? "integers"
        case .number: "numbers"
        case .boolean: "booleans"
        case .object: "objects"
        case .array: "arrays"
        case .optional(let type): "\(type.plural) or nulls"
        case .any: "any values"
        }
    }
}
