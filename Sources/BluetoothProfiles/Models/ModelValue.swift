// SPDX-License-Identifier: MIT

/// A property of a model, as the content of a member.
public protocol ModelValue {
    /// Takes over a content; `nil` if it is another kind of content.
    init?(content: DecodedValue.Content)

    /// The content.
    var content: DecodedValue.Content { get }
}

extension Double: ModelValue {
    public init?(content: DecodedValue.Content) {
        guard case .number(let number) = content else { return nil }
        self = number.approximation
    }

    /// The number with as many digits as distinguish it from other numbers; `null` if it is not finite.
    public var content: DecodedValue.Content { DecimalNumber(self).map { .number($0) } ?? .null }
}

extension Int: ModelValue {
    public init?(content: DecodedValue.Content) {
        guard case .number(let number) = content, let value = number.rounded(dividedBy: 1).flatMap({ Int(exactly: $0) })
        else { return nil }
        self = value
    }

    public var content: DecodedValue.Content { .number(self) }
}

extension Bool: ModelValue {
    public init?(content: DecodedValue.Content) {
        guard case .bool(let value) = content else { return nil }
        self = value
    }

    public var content: DecodedValue.Content { .bool(self) }
}

extension String: ModelValue {
    public init?(content: DecodedValue.Content) {
        guard case .string(let text) = content else { return nil }
        self = text
    }

    public var content: DecodedValue.Content { .string(self) }
}

extension DateTime: ModelValue {
    /// Takes over a time that can be: month, day and clock in their ranges.
    public init?(content: DecodedValue.Content) {
        guard case .string(let text) = content else { return nil }
        self.init(text)
    }

    public var content: DecodedValue.Content { .string(description) }
}

extension Array: ModelValue where Element: ModelValue {
    /// Takes over the elements that are of the kind.
    public init?(content: DecodedValue.Content) {
        guard case .array(let elements) = content else { return nil }
        self = elements.compactMap { Element(content: $0) }
    }

    public var content: DecodedValue.Content { .array(map(\.content)) }
}
