// SPDX-License-Identifier: GPL-2.0-or-later

/// The syntax of the value of an option or an argument, and its type.
///
/// Values that only the protocol can judge, such as addresses and UUIDs, are text here. The command checks them.
public struct ValueSyntax<Value: Sendable>: Sendable {
    public let name: String
    /// A function, because the commands are themselves the choices of an argument of a command.
    public var choices: @Sendable () -> [Choice] = { [] }
    public var completion: Completion = .nothing
    public let parse: @Sendable (String) throws(ValueProblem) -> Value

    @inlinable
    public init(
        name: String,
        choices: @escaping @Sendable () -> [Choice] = { [] },
        completion: Completion = .nothing,
        parse: @escaping @Sendable (String) throws(ValueProblem) -> Value
    ) {
        self.name = name
        self.choices = choices
        self.completion = completion
        self.parse = parse
    }

    @inlinable
    public var spec: ValueSpec {
        ValueSpec(name: name, completion: completion, listChoices: choices) { [parse] text throws(ValueProblem) in
            _ = try parse(text)
        }
    }
}

extension ValueSyntax where Value == String {
    /// Any text that is not empty.
    package static func text(_ name: String, completion: Completion = .nothing) -> ValueSyntax {
        ValueSyntax(name: name, completion: completion) { text throws(ValueProblem) in
            guard !text.isEmpty else { throw ValueProblem(expectation: "it is empty") }
            return text
        }
    }

    /// The targets of `read`, `write` and `notify`. Their text is parsed by the commands.
    package static var target: ValueSyntax { .text("TARGET", completion: .target) }
}

extension ValueSyntax where Value == String {
    /// The name of a file for octets. Standard output has the results.
    package static var captureFile: ValueSyntax {
        ValueSyntax(name: "FILE", completion: .file) { text throws(ValueProblem) in
            guard !text.isEmpty, text != "-" else {
                throw ValueProblem(expectation: "expected the name of a file or of a pipe made by mkfifo")
            }
            return text
        }
    }
}

extension ValueSyntax where Value: FixedWidthInteger {
    /// A whole decimal number, with an optional sign, within a range.
    @inlinable
    public static func integer(_ name: String, in range: ClosedRange<Value>) -> ValueSyntax {
        ValueSyntax(name: name) { text throws(ValueProblem) in
            guard let number = Value(text), range.contains(number) else {
                throw ValueProblem(expectation: expectation(of: range, for: text))
            }
            return number
        }
    }

    @usableFromInline
    static func expectation(of range: ClosedRange<Value>, for text: String) -> String {
        // The largest value of 64 bits is no limit that a user has to know, unless the number is beyond it.
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { "0123456789".utf8.contains($0) }
        let isBeyond = isNumber && Value(text) == nil
        return range.upperBound == Value.max && Value.bitWidth >= 64 && !isBeyond
            ? "expected a whole number, \(range.lowerBound) or more"
            : "expected a whole number from \(range.lowerBound) to \(range.upperBound)"
    }
}

extension ValueSyntax where Value == Double {
    /// A decimal number, with an optional sign and fraction, within a range.
    package static func decimal(_ name: String, in range: ClosedRange<Double>) -> ValueSyntax {
        ValueSyntax(name: name) { text throws(ValueProblem) in
            // `Double` also reads `inf`, `nan`, exponents and hexadecimal digits.
            guard text.utf8.allSatisfy({ "+-.0123456789".utf8.contains($0) }), let number = Double(text),
                range.contains(number)
            else {
                throw ValueProblem(expectation: "expected a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }
}

extension ValueSyntax where Value == Duration {
    /// A duration, in seconds if no unit is given.
    package static var duration: ValueSyntax {
        ValueSyntax(name: "SECONDS") { text throws(ValueProblem) in try DurationSyntax.parse(text) }
    }
}

/// A value that is one of a few words.
public protocol OptionChoice: RawRepresentable, CaseIterable, Sendable where RawValue == String {
    /// The meaning of the word, as one line in lower case without a full stop.
    var summary: String { get }
}

extension ValueSyntax where Value: OptionChoice {
    @inlinable
    public static func choice(_ name: String, of type: Value.Type) -> ValueSyntax {
        choice(name) { Value.allCases.map { ($0.rawValue, $0.summary, $0) } }
    }
}

extension ValueSyntax {
    /// One of several words, with what they mean.
    @inlinable
    public static func choice(
        _ name: String,
        among words: @escaping @Sendable () -> [(word: String, summary: String, value: Value)]
    ) -> ValueSyntax {
        ValueSyntax(
            name: name,
            choices: { words().map { Choice(word: $0.word, summary: $0.summary) } }
        ) { text throws(ValueProblem) in
            let choices = words()
            guard let value = choices.first(where: { $0.word == text })?.value else {
                throw .other(text, among: choices.map(\.word))
            }
            return value
        }
    }
}
