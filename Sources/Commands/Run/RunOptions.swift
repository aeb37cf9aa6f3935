// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Terminal
import Toolkit

struct RunOptions: Sendable, Equatable {
    /// The paths of the scripts; `-` for standard input.
    var scripts: [String]
    /// Whether a failed test does not keep the next ones from running.
    var keepsGoing = false
    /// Whether nothing is done but to check the scripts.
    var isDryRun = false
    /// The names of the tests that run; `nil` for all.
    var only: Glob?
    var definitions: [String: String] = [:]
    var reports: [ReportChoice] = []
}

extension RunOptions {
    /// Reads the options from a command line. Throws if two reports go to the same place.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        scripts = arguments[RunCommand.scripts]
        keepsGoing = arguments[RunCommand.keepGoing]
        isDryRun = arguments[RunCommand.dryRun]
        only = arguments[RunCommand.only].map { Glob($0) }
        for definition in arguments[RunCommand.define] { definitions[definition.name] = definition.value }
        reports = arguments[RunCommand.report]
        let files = reports.compactMap(\.file)
        guard Set(files).count == files.count else {
            throw arguments.impossible("two reports go to the same file")
        }
    }
}

/// A variable that the command line sets.
struct ScriptDefinition: Sendable, Equatable {
    let name: String
    let value: String
}

/// A report, and the file that it goes to.
struct ReportChoice: Sendable, Equatable {
    enum Format: String, CaseIterable, Sendable {
        case tap, junit, json, github
    }

    let format: Format
    /// The path; `-` for standard output, and `nil` for standard error.
    let file: String?

    var isStandardOutput: Bool { file == "-" }
}

extension ValueSyntax where Value == ScriptDefinition {
    /// A variable: `NAME=VALUE`.
    static var definition: ValueSyntax {
        ValueSyntax(name: "NAME=VALUE") { text throws(ValueProblem) in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw ValueProblem(expectation: "expected a name, an equals sign and a value")
            }
            guard ScriptName.isValid(parts[0]) else {
                throw ValueProblem(
                    expectation:
                        "no variable can have the name \(Prose.quoted(String(parts[0]))): a name is a letter, then "
                        + "letters, digits, '_' and '-'"
                )
            }
            return ScriptDefinition(name: String(parts[0]), value: String(parts[1]))
        }
    }
}

extension ValueSyntax where Value == ReportChoice {
    /// A report: `FORMAT=FILE`, or `github`, whose reader looks at standard error, too.
    static var report: ValueSyntax {
        ValueSyntax(
            name: "FORMAT=FILE",
            completion: .fileBehind(ReportChoice.Format.allCases.map { Choice(word: "\($0.rawValue)=", summary: "") })
        ) { text throws(ValueProblem) in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            let words = ReportChoice.Format.allCases.map(\.rawValue)
            guard let format = parts.first.flatMap(ReportChoice.Format.init(rawValue:)) else {
                throw ValueProblem(
                    expectation: "expected \(Prose.list(words)), an equals sign and a file, as in junit=rig.xml",
                    suggestion: parts.first.flatMap { Suggestion.closest(to: $0, among: words) }
                )
            }
            guard parts.count == 2 || format == .github && text == format.rawValue else {
                throw ValueProblem(expectation: "expected an equals sign and a file, as in \(format.rawValue)=FILE")
            }
            return ReportChoice(format: format, file: parts.dropFirst().first)
        }
    }
}
