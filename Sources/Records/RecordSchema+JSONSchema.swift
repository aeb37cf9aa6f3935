// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
package import CommandLineInterface

extension RecordSchema {
    /// The identifier of the schema of all records, with its version.
    ///
    /// The first number changes when a key goes or changes its meaning, the second when a key or a kind of record is
    /// added.
    package static let identifier = "urn:blectl:records:1.0"

    package static let fileName = "blectl-records.schema.json"

    /// The schemas of records as a JSON Schema, for a validator.
    ///
    /// - Parameters:
    ///   - command: The command that prints them; `nil` for all.
    ///   - timing: The member that records have with `--timing`.
    ///   - canBeTimed: Returns whether a kind has the member `timing` with `--timing`.
    ///
    /// Spec: JSON Schema draft 2020-12
    package static func jsonSchema(
        of records: [RecordSchema],
        printedBy command: CommandName?,
        timing: RecordKey,
        canBeTimed: (RecordSchema) -> Bool
    ) -> String {
        let whose = command.map { "blectl \($0.rawValue)" } ?? "blectl"
        var definitions = records.map {
            JSONValue.Member($0.type, $0.jsonSchema(timing: canBeTimed($0) ? timing : nil))
        }
        if records.contains(where: canBeTimed) { definitions.append(.init(timing.name, timing.jsonSchema)) }
        let schema: JSONValue = .object([
            "$schema": .string("https://json-schema.org/draft/2020-12/schema"),
            "$id": .string(command.map { "\(identifier):\($0.rawValue)" } ?? identifier),
            "$comment": .string("SPDX-License-Identifier: GPL-2.0-or-later. \(Program.notice)"),
            "title": .string("A record of \(whose)"),
            "description": .string("One line of standard output with --json."),
            "oneOf": .array(records.map { .object(["$ref": .string("#/$defs/\($0.type)")]) }),
            "$defs": .object(definitions),
        ])
        var text = ""
        schema.write(to: &text, indent: 0)
        return text + "\n"
    }

    private func jsonSchema(timing: RecordKey?) -> JSONValue {
        var properties = allKeys.filter { $0.name != "type" }.map { JSONValue.Member($0.name, $0.jsonSchema) }
        properties.append(.init("type", .object(["const": .string(type)])))
        if let timing {
            // Half of the kinds have it, so it stands there once.
            properties.append(.init(timing.name, .object(["$ref": .string("#/$defs/\(timing.name)")])))
        }
        var members = RecordType.object(allKeys).jsonSchema
        members["properties"] = .object(properties)
        members["description"] = .string(Markup.sentence(Markup.plain(summary)))
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
    fileprivate var jsonSchema: [String: JSONValue] {
        func type(_ name: String, _ others: [String: JSONValue] = [:]) -> [String: JSONValue] {
            others.merging(["type": .string(name)]) { $1 }
        }
        return switch self {
        case .string: type("string")
        case .time:
            type(
                "string",
                [
                    "format": .string("date-time"),
                    "pattern": .string(#"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$"#),
                ]
            )
        case .hex: type("string", ["pattern": .string("^([0-9a-f][0-9a-f])*$")])
        case .uuid:
            type(
                "string",
                [
                    "pattern": .string(
                        "^(0x([0-9A-F]{4}){1,2}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$"
                    )
                ]
            )
        case .integer: type("integer")
        case .number: type("number")
        case .boolean: type("boolean")
        case .object(let keys, let isOpen):
            type(
                "object",
                [
                    "properties": .object(keys.map { .init($0.name, $0.jsonSchema) }),
                    "required": .strings(keys.map(\.name)),
                    "additionalProperties": .bool(isOpen),
                ]
            )
        case .array(let element): type("array", ["items": .object(element.jsonSchema)])
        case .optional(let type):
            // The other keywords apply to values of their own type only, so null needs no alternative.
            type.jsonSchema.merging(
                type.jsonSchema["type"].map { ["type": .array([$0, .string("null")])] } ?? [:]
            ) { $1 }
        case .any: [:]
        }
    }
}
