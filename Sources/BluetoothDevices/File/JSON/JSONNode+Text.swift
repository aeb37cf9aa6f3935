// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension JSONNode {
    /// A value that stands on no line.
    init(_ content: Content) { self.init(content: content, line: 0) }

    static func string(_ text: String) -> JSONNode { JSONNode(.string(text)) }

    static func bool(_ value: Bool) -> JSONNode { JSONNode(.bool(value)) }

    static func number(_ value: DecimalNumber) -> JSONNode { JSONNode(.number(value)) }

    static func number(_ value: some FixedWidthInteger) -> JSONNode { JSONNode(.number(DecimalNumber(value))) }

    static func array(_ elements: [JSONNode]) -> JSONNode { JSONNode(.array(elements)) }

    static func strings(_ texts: [String]) -> JSONNode { .array(texts.map { .string($0) }) }

    /// An object without the members that are `nil`.
    static func object(_ members: KeyValuePairs<String, JSONNode?>) -> JSONNode {
        JSONNode(.object(members.compactMap { key, value in value.map { Member(key: key, value: $0) } }))
    }
}

/// Writes JSON for people: an element that fits on a line is written on one.
struct JSONPrinter {
    /// The longest line in characters.
    private static let width = 110

    private var text = ""

    /// The text of a value, with a line feed at the end.
    static func text(of node: JSONNode) -> String {
        var printer = JSONPrinter()
        printer.write(node, indentation: 0, used: 0)
        return printer.text + "\n"
    }

    /// Writes a value, on the present line if it fits, and otherwise with a line for each element or member.
    ///
    /// - Parameter used: The characters of the line that precede and follow the value.
    private mutating func write(_ node: JSONNode, indentation: Int, used: Int) {
        if let line = Self.line(node, limit: Self.width - indentation - used) {
            text += line
            return
        }
        let inner = String(repeating: " ", count: indentation + 2)
        let outer = String(repeating: " ", count: indentation)
        switch node.content {
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                text += (index == 0 ? "\n" : ",\n") + inner
                write(element, indentation: indentation + 2, used: 1)
            }
            text += "\n\(outer)]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                let key = Self.quoted(member.key) + ": "
                text += (index == 0 ? "\n" : ",\n") + inner + key
                write(member.value, indentation: indentation + 2, used: key.count + 1)
            }
            text += "\n\(outer)}"
        case .null, .bool, .number, .string: text += Self.line(node, limit: .max) ?? ""
        }
    }

    /// The value on one line; `nil` if it is longer than the limit.
    private static func line(_ node: JSONNode, limit: Int) -> String? {
        guard limit > 0 else { return nil }
        var line: String
        switch node.content {
        case .null: line = "null"
        case .bool(let value): line = "\(value)"
        case .number(let number): line = number.description
        case .string(let text): line = quoted(text)
        case .array(let elements):
            line = "["
            for (index, element) in elements.enumerated() {
                // Checked before each part, so that a long list is abandoned early.
                guard line.utf8.count < limit, let part = self.line(element, limit: limit) else { return nil }
                line += (index == 0 ? "" : ", ") + part
            }
            line += "]"
        case .object(let members):
            line = "{"
            for (index, member) in members.enumerated() {
                guard line.utf8.count < limit, let part = self.line(member.value, limit: limit) else { return nil }
                line += (index == 0 ? "" : ", ") + quoted(member.key) + ": " + part
            }
            line += "}"
        }
        return line.count <= limit ? line : nil
    }

    /// A text in quotes. Control characters are written in hex digits.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                    // A surrogate pair for scalars beyond the Basic Multilingual Plane, as JSON demands.
                    for unit in UTF16.encode(scalar) ?? UTF16.EncodedScalar() {
                        result += "\\u" + Hex.string(unit, minimumDigits: 4).lowercased()
                    }
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }
}
