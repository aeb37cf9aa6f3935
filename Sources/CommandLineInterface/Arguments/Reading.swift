// SPDX-License-Identifier: GPL-2.0-or-later

/// The conversion of the texts of an option or an argument to its value.
///
/// The parser has checked each text with the same syntax, so that the conversion cannot fail. A text that the parser
/// has not seen yields the absent value.
public struct Reading<Value: Sendable>: Sendable {
    /// The value if nothing was given; `nil` if the parser requires a text. (A default is a text in the table; a test
    /// checks that every default can be parsed.)
    public let absent: Value?
    public let convert: @Sendable ([String]) -> Value?

    @inlinable
    public init(absent: Value?, convert: @escaping @Sendable ([String]) -> Value?) {
        self.absent = absent
        self.convert = convert
    }

    @inlinable
    public func value(of texts: [String]?) -> Value? {
        guard let texts else { return absent }
        return convert(texts) ?? absent
    }

    /// The last text, or `nil`.
    @inlinable
    public static func last<Single>(of syntax: ValueSyntax<Single>) -> Reading where Value == Single? {
        Reading(absent: .some(nil)) { texts in texts.last.map { try? syntax.parse($0) } }
    }

    @inlinable
    public static func last(of syntax: ValueSyntax<Value>, default defaultText: String) -> Reading {
        Reading(absent: try? syntax.parse(defaultText)) { texts in texts.last.flatMap { try? syntax.parse($0) } }
    }

    /// The only text.
    @inlinable
    public static func required(_ syntax: ValueSyntax<Value>) -> Reading {
        Reading(absent: nil) { texts in texts.last.flatMap { try? syntax.parse($0) } }
    }

    @inlinable
    public static func all<Single>(of syntax: ValueSyntax<Single>) -> Reading where Value == [Single] {
        Reading(absent: []) { texts in texts.compactMap { try? syntax.parse($0) } }
    }
}
