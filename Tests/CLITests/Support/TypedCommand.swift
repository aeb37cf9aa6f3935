// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation

/// A command line and what comes with it: one row of a table of tests.
struct TypedCommand: Sendable, CustomStringConvertible {
    /// What is typed, with quotation marks around what has blanks in it.
    let text: String
    let input: [UInt8]
    let environment: [String: String]

    init(_ text: String, input: String = "", environment: [String: String] = [:]) {
        self.text = text
        self.input = Array(input.utf8)
        self.environment = environment
    }

    /// The words, as a shell would see them.
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

    /// What a person sees of it: the command, standard output, standard error with `!` in front, the status.
    ///
    /// Moments are left out, for every round trip more or less would change them; that they are the same in every run is
    /// `DeterminismTests`' to say.
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
            .replacing(/! +\d+\.\d{6} ([<>])/) { "! (time) \($0.output.1)" }
    }
}
