// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    /// The identifier of the schema of all records, with its version.
    ///
    /// The first number changes when a key goes or changes its meaning, the second when a key or a kind of record is
    /// added.
    public static let identifier = "urn:blectl:records:1.0"

    static let fileName = "blectl-records.schema.json"

    /// The schemas of records as a JSON Schema, for a validator: of all records, or of those of one command.
    ///
    /// Spec: JSON Schema draft 2020-12
    public static func jsonSchema(of command: CommandName? = nil) -> String {
        let records = command.map { RecordSchema.records(of: $0) } ?? all
        let whose = command.map { "blectl \($0.rawValue)" } ?? "blectl"
        var definitions = Dictionary(uniqueKeysWithValues: records.map { ($0.type, $0.jsonSchema) })
        if records.contains(where: \.canBeTimed) { definitions[timing.name] = timing.jsonSchema }
        let schema: JSONValue = .object([
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": .string(command.map { "\(identifier):\($0.rawValue)" } ?? identifier),
            "$comment": .string("SPDX-License-Identifier: GPL-2.0-or-later. \(GeneratedFile.notice)"),
            "title": .string("A record of \(whose)"),
            "description": .string("One line of standard output with --json."),
            "oneOf": .array(records.map { .object(["$ref": .string("#/$defs/\($0.type)")]) }),
            "$defs": .object(definitions),
        ])
        var text = ""
        schema.write(to: &text, indent: 0)
        return text + "\n"
    }

    /// The schema of one kind.
    private var jsonSchema: JSONValue {
        var members = RecordType.object(allKeys).jsonSchema
        members["description"] = .string(Markup.sentence(Markup.plain(summary)))
        if case .object(var properties)? = members["properties"] {
            properties["type"] = .object(["const": .string(type)])
            if canBeTimed {
                // Half of the kinds have it, so it stands there once.
                properties[Self.timing.name] = .object(["$ref": .string("#/$defs/\(Self.timing.name)")])
            }
            members["properties"] = .object(properties)
        }
        return .object(members)
    }
}

extension RecordKey {
    fileprivate var jsonSchema: JSONValue {
        var members = type.jsonSchema
        if isNullable { members = RecordType.optional(type).jsonSchema }
        members["description"] = .string(Markup.sentence(Markup.plain(meaning)))
        return .object(members)
    }
}

extension RecordType {
    /// The keywords of the type.
    fileprivate var jsonSchema: [String: JSONValue] {
        switch self {
        case .string: ["type": "string"]
        case .time:
            ["type": "string", "format": "date-time", "pattern": #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$"#]
        case .hex: ["type": "string", "pattern": "^([0-9a-f][0-9a-f])*$"]
        case .uuid:
            [
                "type": "string",
                "pattern": "^(0x([0-9A-F]{4}){1,2}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$",
            ]
        case .integer: ["type": "integer"]
        case .number: ["type": "number"]
        case .boolean: ["type": "boolean"]
        case .object(let keys, let isOpen):
            [
                "type": "object",
                "properties": .object(Dictionary(uniqueKeysWithValues: keys.map { ($0.name, $0.jsonSchema) })),
                "required": .array(keys.map { .string($0.name) }),
                "additionalProperties": .bool(isOpen),
            ]
        case .array(let element): ["type": "array", "items": .object(element.jsonSchema)]
        case .optional(let type):
            // The other keywords apply to values of their own type only, so null needs no alternative.
            type.jsonSchema.merging(type.jsonSchema["type"].map { ["type": .array([$0, "null"])] } ?? [:]) { $1 }
        case .any: [:]
        }
    }
}

extension JSONValue {
    /// The width up to which an array or an object stays on one line.
    private static let width = 110

    /// Writes the value for a person: objects and arrays that are too long for a line have a line for each member.
    ///
    /// - Parameters:
    ///   - indent: The columns before each line.
    ///   - used: The columns that are used in the first line already.
    fileprivate func write(to text: inout String, indent: Int, after used: Int = 0) {
        var json = JSONWriter()
        json.value(self)
        let line = String(decoding: json.bytes, as: UTF8.self)
        let inner = indent + 2
        let margin = "\n" + String(repeating: " ", count: inner)
        switch self {
        case .array(let elements) where indent + used + line.utf8.count > Self.width:
            text += "["
            for (index, element) in elements.enumerated() {
                text += (index == 0 ? "" : ",") + margin
                element.write(to: &text, indent: inner)
            }
            text += margin.dropLast(2) + "]"
        case .object(let members) where indent + used + line.utf8.count > Self.width:
            text += "{"
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                let key = "\"\(member.key)\": "
                text += (index == 0 ? "" : ",") + margin + key
                member.value.write(to: &text, indent: inner, after: key.utf8.count)
            }
            text += margin.dropLast(2) + "}"
        default: text += line
        }
    }
}
