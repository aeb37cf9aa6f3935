// SPDX-License-Identifier: MIT

public import BluetoothProfiles

struct JSONNode: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case null
        case bool(Bool)
        case number(DecimalNumber)
        /// A text, with its escapes resolved.
        case string(String)
        case array([JSONNode])
        /// Members in the order of the text; a key may occur twice.
        case object([Member])
    }

    struct Member: Hashable, Sendable {
        /// The key, with its escapes resolved.
        let key: String
        let value: JSONNode
    }

    let content: Content
    /// The line, counted from 1.
    let line: Int
}

/// The way from the whole text to one of its values: `services[1].characteristics[0].uuid`.
struct JSONPath: Hashable, Sendable, CustomStringConvertible {
    enum Step: Hashable, Sendable {
        case member(String)
        /// The element with that index, from 0.
        case element(Int)
    }

    private var steps: [Step] = []

    static let root = JSONPath()

    func appending(_ step: Step) -> JSONPath {
        var path = self
        path.steps.append(step)
        return path
    }

    /// The path as text; `the file` for the whole text.
    var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .element(let index): text += "[\(index)]"
            case .member(let key) where key.utf8.allSatisfy(Self.isPlain) && !key.isEmpty:
                text += text.isEmpty ? key : ".\(key)"
            case .member(let key): text += "[\"\(key.shortened)\"]"
            }
        }
        return text.isEmpty ? "the file" : text
    }

    /// Whether a key may stand in a path without quotes.
    private static func isPlain(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension String {
    /// The beginning of the text, for a message.
    var shortened: String { count <= 60 ? self : "\(prefix(59))…" }
}

struct JSONCursor: Sendable {
    let node: JSONNode
    /// The way to it, for messages.
    let path: JSONPath

    var line: Int { node.line }

    /// The member of an object with that key, the first of several.
    subscript(key: String) -> JSONCursor? {
        guard case .object(let members) = node.content, let member = members.first(where: { $0.key == key }) else {
            return nil
        }
        return JSONCursor(node: member.value, path: path.appending(.member(key)))
    }

    /// The members of an object; none for another value.
    var members: [(key: String, value: JSONCursor)] {
        guard case .object(let members) = node.content else { return [] }
        return members.map { ($0.key, JSONCursor(node: $0.value, path: path.appending(.member($0.key)))) }
    }

    /// The elements of an array; `nil` for another value.
    var elements: [JSONCursor]? {
        guard case .array(let nodes) = node.content else { return nil }
        return nodes.enumerated().map { JSONCursor(node: $1, path: path.appending(.element($0))) }
    }

    /// The elements of an array, or the value itself.
    var list: [JSONCursor] { elements ?? [self] }

    var isObject: Bool { if case .object = node.content { true } else { false } }

    /// Whether it is `null`, which is not the same as a missing member.
    var isNull: Bool { node.content == .null }

    /// The text; `nil` for another value.
    var string: String? { if case .string(let text) = node.content { text } else { nil } }

    /// The boolean; `nil` for another value.
    var bool: Bool? { if case .bool(let value) = node.content { value } else { nil } }

    /// The number; `nil` for another value.
    var number: DecimalNumber? { if case .number(let number) = node.content { number } else { nil } }

    var integer: Int64? { number?.integer }

    /// The value in a message: `'batery'`, `70000`, `an object`.
    var quoted: String {
        switch node.content {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let number): number.description
        case .string(let text): "'\(text.shortened)'"
        case .array(let elements): elements.isEmpty ? "an empty list" : "a list"
        case .object: "an object"
        }
    }
}

/// A text that is not valid JSON, as a sentence for the user.
public struct InvalidJSON: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place and the fault: `line 1, column 4: expected a value, found '}'`.
    public let description: String
}

extension DecodedValue.Content {
    /// The content that a JSON text has.
    public init(json bytes: [UInt8]) throws(InvalidJSON) {
        do throws(JSONSyntaxError) {
            self.init(try JSONParser.parse(bytes))
        } catch {
            throw InvalidJSON(description: "line \(error.line), column \(error.column): \(error.message)")
        }
    }

    /// Turns a value of the parser into content, without its line.
    private init(_ node: JSONNode) {
        switch node.content {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let number): self = .number(number)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { Self($0) })
        case .object(let members): self = .object(members.map { .init($0.key, Self($0.value)) })
        }
    }
}
