// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// What the redacted messages of a process have in common, whichever line of a shell they belong to.
final class RedactionScope: Sendable {
    private struct State {
        /// The names that redacted errors do not show.
        var names: Set<String> = []
        /// The number of lines with `--redact` that run now.
        var lines = 0
    }

    private let state = Mutex(State())

    /// Whether a line with `--redact` runs.
    var hasLines: Bool { state.withLock { $0.lines > 0 } }

    /// A line with `--redact` runs from now on.
    func begin() { state.withLock { $0.lines += 1 } }

    /// A line with `--redact` has ended.
    func end() { state.withLock { $0.lines -= 1 } }

    /// Takes a name that redacted errors do not show, for all later messages.
    func conceal(_ name: String) { state.withLock { _ = $0.names.insert(name) } }

    /// A text without the names.
    func concealing(_ text: String) -> String {
        // The longest first, because a name may contain another one.
        state.withLock { $0.names }.sorted { $0.count > $1.count }.reduce(text) { $0.replacing($1, with: "…") }
    }
}
