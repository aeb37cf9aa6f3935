// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Synchronization
import Toolkit

/// The lines of hex that were not sent. They are an error of the command, unless a person types them and sees the note
/// about each.
final class UnsentLines: Sendable {
    private let state = Mutex<(count: Int, reason: String)>((0, ""))

    /// Counts a line. The reason completes "a line was not sent, because".
    func add(_ reason: String) {
        state.withLock { state in
            if state.count == 0 { state.reason = reason }
            state.count += 1
        }
    }

    /// The error about the lines; `nil` if all were sent. It shows nothing of them.
    func failure(doing action: String) -> BlectlError? {
        let (count, reason) = state.withLock { $0 }
        guard count > 0 else { return nil }
        let lines =
            count == 1
            ? "a line of the input was not sent, because \(reason)"
            : "\(count) lines of the input were not sent, the first one because \(reason)"
        return BlectlError(.badData, cannot: action, lines)
    }
}
