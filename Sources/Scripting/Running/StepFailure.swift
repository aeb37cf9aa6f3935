// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Records
import Toolkit

/// Why a step has failed, with everything that a person needs to see why.
package struct StepFailure: Error, Sendable, Equatable {
    /// Distinguishes a verdict from a breakdown, because they have different exit statuses.
    package enum Kind: Sendable, Equatable {
        case unmet
        /// The step could not be carried out.
        case broke(ExitStatus)
    }

    package var kind: Kind
    package var message: String
    /// The expectation in the words of the script.
    package var expected: String?
    /// The actual value or event.
    var got: String?
    /// The octets of the value, in hexadecimal.
    package var value: String?
    package var text: String?
    /// Further explanations, one to a line.
    package var notes: [String] = []
    package var hint: String?
    /// The step as it was typed.
    package var step = ""
    package var place = ScriptPlace(file: "", line: 0)
    /// The rounds of `repeat` in which it failed: `round 3 of 10`.
    package var round: String?
    /// The last packets, decoded.
    package var packets: [String] = []

    /// The exit status of a run that failed with this first.
    package var status: ExitStatus {
        switch kind {
        case .unmet: .expectationFailed
        case .broke(let status): status
        }
    }
}

extension StepFailure {
    init(_ error: BlectlError) {
        // A command that got fewer results than `--count` asks for has not met an expectation.
        self.init(kind: error.status == .expectationFailed ? .unmet : .broke(error.status), message: error.message)
        notes = error.details
        hint = error.hint
    }

    /// An expectation that a value does not meet.
    init(_ unmet: UnmetCondition, of subject: ConditionSubject) {
        self.init(kind: .unmet, message: "expected \(unmet.expected), got \(unmet.got)")
        expected = unmet.expected
        got = unmet.got
        if let hex = subject.record.text(at: "value") { value = hex }
        if let words = subject.record.text(at: "text") { text = words }
        if let note = unmet.note { notes = [note] }
    }
}
