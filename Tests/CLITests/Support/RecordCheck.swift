// SPDX-License-Identifier: GPL-2.0-or-later

import BlectlKit

/// Compares records with `RecordSchema`: they must have exactly its keys, with values of its types.
enum RecordCheck {
    /// The faults of a record; empty if it matches the manual.
    ///
    /// - Parameter hasTiming: Whether the command had `--timing`.
    static func problems(of record: [String: JSON], hasTiming: Bool = false) -> [String] {
        guard let type = record["type"]?.string, let schema = RecordSchema.all.first(where: { $0.type == type }) else {
            return ["the manual has no such type of record: \(record["type"] ?? .null)"]
        }
        let timing = hasTiming && schema.canBeTimed ? [RecordSchema.timing] : []
        return problems(of: record, schema.allKeys + timing, at: type)
    }

    private static func problems(
        of object: [String: JSON],
        _ keys: [RecordKey],
        isOpen: Bool = false,
        at path: String
    ) -> [String] {
        var problems: [String] = []
        for key in keys {
            guard let value = object[key.name] else {
                problems.append("\(path).\(key.name) is missing")
                continue
            }
            if value == .null, key.isNullable { continue }
            problems += self.problems(of: value, key.type, at: "\(path).\(key.name)")
        }
        let known = Set(keys.map(\.name))
        if !isOpen {
            problems += object.keys.filter { !known.contains($0) }.map { "\(path).\($0) is not in the manual" }
        }
        return problems
    }

    private static func problems(of value: JSON, _ type: RecordType, at path: String) -> [String] {
        let isRight: Bool
        switch (type, value) {
        case (.any, _), (.string, .string), (.integer, .integer), (.boolean, .bool): isRight = true
        // A number need not be whole, but may be.
        case (.number, .integer), (.number, .number): isRight = true
        case (.optional, .null): isRight = true
        case (.optional(let type), let value): return problems(of: value, type, at: path)
        case (.time, .string(let text)):
            isRight = text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil
        case (.hex, .string(let text)): isRight = text.wholeMatch(of: /([0-9a-f][0-9a-f])*/) != nil
        case (.uuid, .string(let text)): isRight = isUUID(text)
        case (.object(let keys, let isOpen), .object(let object)):
            return problems(of: object, keys, isOpen: isOpen, at: path)
        case (.array(let element), .array(let values)):
            return values.flatMap { problems(of: $0, element, at: "\(path)[]") }
        default: isRight = false
        }
        return isRight ? [] : ["\(path) is no \(type.description): \(value)"]
    }

    private static func isUUID(_ text: String) -> Bool {
        let long = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
        return text.wholeMatch(of: /0x([0-9A-F]{4}){1,2}/) != nil || text.wholeMatch(of: long) != nil
    }
}
