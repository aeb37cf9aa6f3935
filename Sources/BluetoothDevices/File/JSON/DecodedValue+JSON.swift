// SPDX-License-Identifier: MIT

public import BluetoothProfiles

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
