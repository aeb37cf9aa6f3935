// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Terminal
package import Toolkit

package struct ScriptProblem: Error, Equatable, Sendable {
    /// The first character of the fault.
    package var place: ScriptPlace
    /// The number of characters that it is about.
    package var length = 1
    /// The problem, as one line in lower case.
    package var message: String
    /// The remedy, or what is allowed; `nil` if the message suffices.
    package var hint: String?

    init(_ message: String, at place: ScriptPlace, length: Int = 1, hint: String? = nil) {
        self.message = message
        self.place = place
        self.length = length
        self.hint = hint
    }

    init(_ message: String, at token: ScriptToken, hint: String? = nil) {
        self.init(message, at: token.place, length: token.length, hint: hint)
    }

    /// The lines of a report: the place and the message, the line of the script with marks under the faulty word, and
    /// the hint.
    ///
    /// - Parameter line: The line of the script; `nil` if it is not known.
    package func lines(showing line: String?) -> [String] {
        var lines = ["\(place.text): \(message)"]
        if let line { lines += excerpt(of: line) }
        if let hint { lines.append("    (\(hint))") }
        return lines
    }

    /// The characters of a line that are shown at most, and those before the faulty word.
    private static let (widest, context) = (100, 40)

    /// The line and a mark under the fault. A long line is cut around the fault, and widths are counted in columns of
    /// a terminal, so that the mark stands under it.
    private func excerpt(of line: String) -> [String] {
        let scalars = Array(line.unicodeScalars)
        let fault = min(max(place.column - 1, 0), scalars.count)
        let indentation = scalars.prefix { $0 == " " || $0 == "\t" }.count
        var start = min(indentation, fault)
        if fault - start > Self.context, scalars.count - start > Self.widest { start = fault - Self.context }
        let end = min(scalars.count, start + Self.widest)
        let before = Self.shown(scalars[start..<fault])
        let marked = Self.shown(scalars[fault..<max(fault, min(end, fault + length))])
        let after = Self.shown(scalars[min(end, fault + length)..<end])
        let marks = String(repeating: "~", count: max(0, TerminalText.width(of: marked) - 1))
        let cut = (start > indentation ? "..." : "", end < scalars.count ? "..." : "")
        let blanks = String(repeating: " ", count: TerminalText.width(of: cut.0 + before))
        return ["    \(cut.0)\(before)\(marked)\(after)\(cut.1)", "    \(blanks)^\(marks)"]
    }

    private static func shown(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = ""
        for scalar in scalars { text.unicodeScalars.append(scalar == "\t" ? " " : scalar) }
        return TerminalText.escaped(text)
    }
}

extension ScriptPlace {
    /// The place as compilers write it: `rig.blectl:3:8`.
    package var text: String { "\(file):\(line):\(column)" }
}

package struct ScriptProblems: Error, Sendable {
    package var script: String
    /// The faults, in the order of the text.
    package var problems: [ScriptProblem]
    var isIncomplete = false
    /// The lines of the files, for the report.
    package var sources: [String: ScriptSource] = [:]

    package var error: BlectlError {
        let count = "\(count: problems.count, "fault")" + (isIncomplete ? " or more" : "")
        let details = problems.flatMap { problem in
            problem.lines(showing: sources[problem.place.file]?.line(problem.place.line))
        }
        return BlectlError(.badData, cannot: "run \(script)", "it has \(count)")
            .with(details: details, places: problems.map(\.place.text))
    }
}
