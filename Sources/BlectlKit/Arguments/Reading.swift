// SPDX-License-Identifier: GPL-2.0-or-later

/// How the texts that were given for an option or an argument become its value.
///
/// The parser has checked each text against the same syntax before a command can ask, so a conversion cannot fail
/// here; where it is asked for something that the parser never saw, the answer is the absent value.
struct Reading<Value: Sendable>: Sendable {
    /// What is read where nothing was given; nil where the parser insists that something is. (A default is text in the
    /// table, and a test holds every default to be a value.)
    let absent: Value?
    let convert: @Sendable ([String]) -> Value?

    init(absent: Value?, convert: @escaping @Sendable ([String]) -> Value?) {
        self.absent = absent
        self.convert = convert
    }

    func value(of texts: [String]?) -> Value? {
        guard let texts else { return absent }
        return convert(texts) ?? absent
    }

    /// The last text given, or nil.
    static func last<Single>(of syntax: ValueSyntax<Single>) -> Reading where Value == Single? {
        Reading(absent: .some(nil)) { texts in texts.last.map { try? syntax.parse($0) } }
    }

    /// The last text given, or the default.
    static func last(of syntax: ValueSyntax<Value>, default defaultText: String) -> Reading {
        Reading(absent: try? syntax.parse(defaultText)) { texts in texts.last.flatMap { try? syntax.parse($0) } }
    }

    /// The only text given.
    static func required(_ syntax: ValueSyntax<Value>) -> Reading {
        Reading(absent: nil) { texts in texts.last.flatMap { try? syntax.parse($0) } }
    }

    /// Every text given, in order.
    static func all<Single>(of syntax: ValueSyntax<Single>) -> Reading where Value == [Single] {
        Reading(absent: []) { texts in texts.compactMap { try? syntax.parse($0) } }
    }
}
