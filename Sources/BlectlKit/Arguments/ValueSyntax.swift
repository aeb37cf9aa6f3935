// SPDX-License-Identifier: GPL-2.0-or-later

/// Why a text is not a value of some syntax; the parser adds which option or argument it was for.
struct ValueProblem: Error, Equatable {
    /// What would have been right, to follow a colon: `expected a whole number from 0 to 100`.
    let expectation: String
    /// The word that was probably meant.
    var suggestion: String?
}

/// What the value of an option or an argument looks like, and the type that it becomes.
///
/// What needs the protocol to judge, such as an address or a UUID, is text here and checked by the command.
public struct ValueSyntax<Value: Sendable>: Sendable {
    let name: String
    /// Made when asked for: the commands are choices of an argument of a command.
    var choices: @Sendable () -> [Choice] = { [] }
    var completion: Completion = .nothing
    let parse: @Sendable (String) throws(ValueProblem) -> Value

    var spec: ValueSpec {
        ValueSpec(name: name, completion: completion, listChoices: choices) { [parse] text throws(ValueProblem) in
            _ = try parse(text)
        }
    }
}

extension ValueSyntax where Value == String {
    /// Any text that is not empty.
    static func text(_ name: String, completion: Completion = .nothing) -> ValueSyntax {
        ValueSyntax(name: name, completion: completion) { text throws(ValueProblem) in
            guard !text.isEmpty else { throw ValueProblem(expectation: "it is empty") }
            return text
        }
    }
}

extension ValueSyntax where Value == RadioChoice {
    /// What stands in for an adapter: `unix:PATH`.
    static var radio: ValueSyntax {
        ValueSyntax(name: "unix:PATH") { text throws(ValueProblem) in
            guard let choice = RadioChoice(text) else {
                throw ValueProblem(
                    expectation: "expected unix: and a path of at most \(RadioChoice.maximumPathLength) octets"
                )
            }
            return choice
        }
    }
}

extension ValueSyntax where Value: FixedWidthInteger {
    /// A whole decimal number, with an optional sign, within a range.
    static func integer(_ name: String, in range: ClosedRange<Value>) -> ValueSyntax {
        ValueSyntax(name: name) { text throws(ValueProblem) in
            guard let number = Value(text), range.contains(number) else {
                throw ValueProblem(expectation: expectation(of: range))
            }
            return number
        }
    }

    private static func expectation(of range: ClosedRange<Value>) -> String {
        range.upperBound == Value.max
            ? "expected a whole number, \(range.lowerBound) or more"
            : "expected a whole number from \(range.lowerBound) to \(range.upperBound)"
    }
}

extension ValueSyntax where Value == Duration {
    /// A length of time, in seconds where no unit is given.
    static var duration: ValueSyntax {
        ValueSyntax(name: "SECONDS") { text throws(ValueProblem) in try DurationSyntax.parse(text) }
    }
}

/// A value that is one of a few words.
public protocol OptionChoice: RawRepresentable, CaseIterable, Sendable where RawValue == String {
    /// What the word means, as one line in lower case without a full stop.
    var summary: String { get }
}

extension ValueSyntax where Value: OptionChoice {
    /// One of the words of an enumeration.
    static func choice(_ name: String, of type: Value.Type) -> ValueSyntax {
        ValueSyntax(
            name: name,
            choices: { Value.allCases.map { Choice(word: $0.rawValue, summary: $0.summary) } }
        ) { text throws(ValueProblem) in
            guard let value = Value(rawValue: text) else {
                let words = Value.allCases.map(\.rawValue)
                throw ValueProblem(
                    expectation: "expected \(Prose.list(words.map { "'\($0)'" }))",
                    suggestion: Suggestion.closest(to: text, among: words)
                )
            }
            return value
        }
    }
}
