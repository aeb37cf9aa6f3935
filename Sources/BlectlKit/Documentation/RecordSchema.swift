// SPDX-License-Identifier: GPL-2.0-or-later

/// One kind of JSON record: which commands print it, and what its keys are.
///
/// The manual pages print the table, and tests hold the records of the commands to it.
public struct RecordSchema: Sendable {
    /// The value of its key `type`.
    public let type: String
    /// The commands that print it.
    public let commands: [CommandName]
    /// What one record stands for, as one line in lower case without a full stop.
    public let summary: String
    /// The keys that it has besides those of every record; a record has all of them, always.
    public let keys: [RecordKey]

    /// Every key of the record, those of every record first.
    public var allKeys: [RecordKey] { Self.commonKeys + keys }

    init(_ type: String, by commands: [CommandName], _ summary: String, keys: [RecordKey]) {
        self.type = type
        self.commands = commands
        self.summary = summary
        self.keys = keys
    }

    /// The records of a command.
    public static func records(of command: CommandName) -> [RecordSchema] {
        all.filter { $0.commands.contains(command) }
    }
}

/// One key of a JSON record.
public struct RecordKey: Sendable {
    /// The key; where it stands for a quantity, its unit is part of it.
    public let name: String
    /// What its value is.
    public let type: RecordType
    /// Whether its value can be null.
    public let isNullable: Bool
    /// What it means, as one line in lower case without a full stop.
    public let meaning: String

    init(_ name: String, _ type: RecordType, orNull isNullable: Bool = false, _ meaning: String) {
        self.name = name
        self.type = type
        self.isNullable = isNullable
        self.meaning = meaning
    }
}

/// What the value of a key is.
public indirect enum RecordType: Sendable {
    /// Text.
    case string
    /// Bytes as text, two lower-case hexadecimal digits each.
    case hex
    /// A UUID as text: `0x180D`, or 128 bits in lower case with dashes.
    case uuid
    /// A number without a fraction, in that unit.
    case integer(unit: String?)
    /// `true` or `false`.
    case boolean
    /// An object with these keys; an open one has further keys, which depend on what it is about.
    case object([RecordKey], isOpen: Bool = false)
    /// An array of values of one type.
    case array(of: RecordType)
    /// A value of that type, or null: as an element of an array.
    case optional(RecordType)
    /// Whatever the value decodes to.
    case any

    /// The type in words.
    public var description: String {
        switch self {
        case .string: "string"
        case .hex: "string of hex digits"
        case .uuid: "UUID"
        case .integer(let unit): unit.map { "integer in \($0)" } ?? "integer"
        case .boolean: "true or false"
        case .object: "object"
        case .array(let element): "array of \(element.plural)"
        case .optional(let type): "\(type.description) or null"
        case .any: "any"
        }
    }

    /// The keys of the object, or of the objects in the array.
    public var keys: [RecordKey] {
        switch self {
        case .object(let keys, _): keys
        case .array(let element): element.keys
        case .optional(let type): type.keys
        case .string, .hex, .uuid, .integer, .boolean, .any: []
        }
    }

    private var plural: String {
        switch self {
        case .string: "strings"
        case .hex: "strings of hex digits"
        case .uuid: "UUIDs"
        case .integer(let unit): unit.map { "integers in \($0)" } ?? "integers"
        case .boolean: "booleans"
        case .object: "objects"
        case .array: "arrays"
        case .optional(let type): "\(type.plural) or nulls"
        case .any: "any values"
        }
    }
}
