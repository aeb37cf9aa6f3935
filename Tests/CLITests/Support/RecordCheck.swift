// SPDX-License-Identifier: GPL-2.0-or-later

import Commands
import Records
import Toolkit

/// Compares records with `RecordSchema`: they must have exactly its keys, with values of its types.
enum RecordCheck {
    /// The faults of a record; empty if it matches the manual.
    ///
    /// - Parameter hasTiming: Whether the command had `--timing`.
    static func problems(of record: [String: JSON], hasTiming: Bool = false) -> [String] {
        guard let type = record["type"]?.string, let schema = CommandSet.all.records.first(where: { $0.type == type })
        else {
            return ["the manual has no such type of record: \(record["type"] ?? .null)"]
        }
        let timing = hasTiming && CommandSet.all.canBeTimed(schema) ? [RecordSchema.timing] : []
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
            isRight = matches(text, "dddd-dd-ddTdd:dd:dd.ddddddZ")
        case (.hex, .string(let text)): isRight = text.utf8.count % 2 == 0 && text.utf8.allSatisfy(isSmallHex)
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
        ["0xHHHH", "0xHHHHHHHH", "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh"].contains { matches(text, $0) }
    }

    /// Whether the text has the form of a template, in which `d` stands for a digit, and `h` and `H` stand for a small and a
    /// capital hexadecimal digit. A regular expression would be compiled anew for each value.
    private static func matches(_ text: String, _ template: String) -> Bool {
        let (text, template) = (text.utf8, template.utf8)
        return text.count == template.count
            && zip(text, template).allSatisfy { octet, form in
                switch form {
                case UInt8(ascii: "d"): isDigit(octet)
                case UInt8(ascii: "h"): isSmallHex(octet)
                case UInt8(ascii: "H"): isDigit(octet) || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(octet)
                default: octet == form
                }
            }
    }

    private static func isDigit(_ octet: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) }

    private static func isSmallHex(_ octet: UInt8) -> Bool {
        isDigit(octet) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(octet)
    }
}
