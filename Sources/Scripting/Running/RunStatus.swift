// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface

struct RunStatus: Sendable, Equatable {
    package var number: Int32
    package var name: String

    init(_ status: ExitStatus) { (number, name) = (status.rawValue, status.name) }

    private init(number: Int32, name: String) { (self.number, self.name) = (number, name) }

    /// That of a run that a signal has ended. The number is that of the usual signal: the run does not know which one
    /// it was.
    package static let interrupted = Self(number: 130, name: "interrupted")
}

extension [ScriptReport] {
    /// The exit status of the run: 0, 1 if only expectations were not met, else that of the first step that broke.
    package var status: ExitStatus {
        let failures = flatMap { $0.tests.flatMap(\.failures) }
        // A broken step is more informative than an unmet expectation.
        return failures.lazy.map(\.status).first { $0 != .expectationFailed }
            ?? (failures.isEmpty ? .success : .expectationFailed)
    }

    /// The exit status with which the process ends: an interruption counts more than a failure.
    var end: RunStatus {
        let interruptions = compactMap(\.interruption)
        return (interruptions.first { $0 == .signal } ?? interruptions.first)?.status ?? RunStatus(status)
    }
}

extension RunInterruption {
    /// How the run ends by it.
    var status: RunStatus {
        switch self {
        case .signal: .interrupted
        case .deadline: RunStatus(.timedOut)
        }
    }
}
