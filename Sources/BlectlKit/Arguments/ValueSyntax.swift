// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices

/// The reason why a text does not have a syntax. The parser adds the option or argument.
struct ValueProblem: Error, Equatable {
    /// The expected form, to follow a colon: `expected a whole number from 0 to 100`.
    let expectation: String
    /// The word that the user probably meant.
    var suggestion: String?
}

/// The syntax of the value of an option or an argument, and its type.
///
/// Values that only the protocol can judge, such as addresses and UUIDs, are text here. The command checks them.
package struct ValueSyntax<Value: Sendable>: Sendable {
    let name: String
    /// A function, because the commands are themselves the choices of an argument of a command.
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

    /// The targets of `read`, `write` and `notify`. Their text is parsed by the commands.
    static var target: ValueSyntax { .text("TARGET", completion: .target) }
}

extension ValueSyntax where Value == String {
    /// The name of a file for octets. Standard output has the results.
    static var captureFile: ValueSyntax {
        ValueSyntax(name: "FILE", completion: .file) { text throws(ValueProblem) in
            guard !text.isEmpty, text != "-" else {
                throw ValueProblem(expectation: "expected the name of a file or of a pipe made by mkfifo")
            }
            return text
        }
    }

    /// A template of lines over the keys of records. The command checks the keys.
    static var lineTemplate: ValueSyntax {
        ValueSyntax(name: "TEMPLATE") { text throws(ValueProblem) in
            _ = try LineFormat(text)
            return text
        }
    }
}

extension ValueSyntax where Value == DiagramFile {
    /// The name of a file for a diagram.
    static var diagramFile: ValueSyntax {
        ValueSyntax(name: "FILE", completion: .file) { text throws(ValueProblem) in
            guard let file = DiagramFile(text) else {
                let ends = DiagramFormat.allCases.map { ".\($0.rawValue)" }
                throw ValueProblem(expectation: "expected a name that ends in \(Prose.list(ends, "or"))")
            }
            return file
        }
    }
}

extension ValueSyntax where Value == ChartFile {
    /// The name of a file for a chart.
    static var chartFile: ValueSyntax {
        ValueSyntax(name: "FILE", completion: .file) { text throws(ValueProblem) in
            guard let file = ChartFile(text) else {
                throw ValueProblem(expectation: "expected a name that ends in .svg")
            }
            return file
        }
    }
}

extension ValueSyntax where Value == Handle {
    static var attributeHandle: ValueSyntax {
        ValueSyntax(name: "HANDLE") { text throws(ValueProblem) in
            // The handle 0x0000 is reserved: Core 5.4, Vol 3, Part F, 3.2.2.
            guard let number = UInt16(numeral: text), number != 0 else {
                throw ValueProblem(expectation: "expected a handle from 0x0001 to 0xFFFF")
            }
            return Handle(number)
        }
    }
}

extension ValueSyntax where Value == RadioChoice {
    /// A replacement for an adapter: `unix:PATH`.
    static var radio: ValueSyntax {
        ValueSyntax(name: "unix:PATH", completion: .socket) { text throws(ValueProblem) in
            guard let choice = RadioChoice(text) else {
                throw ValueProblem(
                    expectation: "expected unix: and a path of at most \(RadioChoice.maximumPathLength) octets"
                )
            }
            return choice
        }
    }
}

extension ValueSyntax where Value == String {
    /// The path of a socket.
    static var socketPath: ValueSyntax {
        ValueSyntax(name: "PATH", completion: .file) { text throws(ValueProblem) in
            guard (1...RadioChoice.maximumPathLength).contains(text.utf8.count) else {
                throw ValueProblem(expectation: "expected a path of at most \(RadioChoice.maximumPathLength) octets")
            }
            return text
        }
    }
}

extension ValueSyntax where Value == FaultText {
    /// A fault as a sentence. The command checks whether there is such a device.
    static var fault: ValueSyntax {
        ValueSyntax(name: "FAULT") { text throws(ValueProblem) in
            do throws(FaultTextError) {
                return try FaultText(parsing: text)
            } catch {
                throw ValueProblem(expectation: "column \(error.column): \(error.expectation)")
            }
        }
    }
}

extension ValueSyntax where Value: FixedWidthInteger {
    /// A whole decimal number, with an optional sign, within a range.
    static func integer(_ name: String, in range: ClosedRange<Value>) -> ValueSyntax {
        ValueSyntax(name: name) { text throws(ValueProblem) in
            guard let number = Value(text), range.contains(number) else {
                throw ValueProblem(expectation: expectation(of: range, for: text))
            }
            return number
        }
    }

    private static func expectation(of range: ClosedRange<Value>, for text: String) -> String {
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
    static func decimal(_ name: String, in range: ClosedRange<Double>) -> ValueSyntax {
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

extension ValueSyntax where Value == Hook {
    /// A characteristic and the command that answers for it.
    static var hook: ValueSyntax {
        ValueSyntax(name: "REF=COMMAND") { text throws(ValueProblem) in try Hook(text) }
    }
}

extension ValueSyntax where Value == KeyHook {
    /// A key and the command that runs when it is pressed, or a command for all keys.
    static var keyHook: ValueSyntax {
        ValueSyntax(name: "REF=COMMAND") { text throws(ValueProblem) in try KeyHook(text) }
    }
}

extension ValueSyntax where Value == Duration {
    /// A duration, in seconds if no unit is given.
    static var duration: ValueSyntax {
        ValueSyntax(name: "SECONDS") { text throws(ValueProblem) in try DurationSyntax.parse(text) }
    }
}

/// A value that is one of a few words.
package protocol OptionChoice: RawRepresentable, CaseIterable, Sendable where RawValue == String {
    /// The meaning of the word, as one line in lower case without a full stop.
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
