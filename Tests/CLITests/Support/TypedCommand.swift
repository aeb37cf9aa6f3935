// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation

/// A command line with its input: one row of a table of tests.
struct TypedCommand: Sendable, CustomStringConvertible {
    /// The typed text, with quotation marks around words with spaces.
    let text: String
    let input: [UInt8]
    let environment: [String: String]

    init(_ text: String, input: String = "", environment: [String: String] = [:]) {
        self.text = text
        self.input = Array(input.utf8)
        self.environment = environment
    }

    /// A command line whose input is no text.
    init(_ text: String, octets: [UInt8]) {
        self.text = text
        input = octets
        environment = [:]
    }

    /// The words, as a shell splits them.
    var arguments: [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in text {
            switch character {
            case "'":
                isQuoted.toggle()
                word = word ?? ""
            case " " where !isQuoted:
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    var description: String { text }

    /// Runs it on simulated devices in virtual time.
    func run() async throws -> BlectlRun {
        try await Blectl.run(Blectl.virtual + arguments, input: input, environment: environment)
    }

    /// The run as a person sees it: the command, standard output, standard error with `!` before each line, the status.
    ///
    /// Times are omitted, because every additional round trip would change them. `DeterminismTests` checks that they
    /// are equal in every run.
    func transcript() async throws -> String {
        let run = try await run()
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)='\($0.value)' " }.joined()
        var lines = ["$ \(variables)blectl \(text)"]
        lines += run.stdout.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        lines += run.stderr.split(separator: "\n").map { "! \($0)" }
        lines.append("[\(run.status)]")
        return lines.joined(separator: "\n")
            .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/, with: "(time)")
            .replacing(/"monotonic_ns":\d+/, with: "\"monotonic_ns\":0")
            .replacing(/! \(time\) +\d+\.\d{6} ([<>])/) { "! (time) \($0.output.1)" }
    }
}
