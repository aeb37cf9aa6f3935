// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// What the redacted messages of a process have in common, whichever line of a shell they belong to.
package final class RedactionScope: Sendable {
    private struct State {
        /// The names that redacted errors do not show. As scalars, because an invisible one at the beginning of a name
        /// forms one character with the quote before it.
        var names: Set<[Unicode.Scalar]> = []
        /// The number of lines with `--redact` that run now.
        var lines = 0
    }

    private let state = Mutex(State())

    /// Whether a line with `--redact` runs.
    package var hasLines: Bool { state.withLock { $0.lines > 0 } }

    /// A line with `--redact` runs from now on.
    package func begin() { state.withLock { $0.lines += 1 } }

    /// A line with `--redact` has ended.
    package func end() { state.withLock { $0.lines -= 1 } }

    /// Takes a name that redacted errors do not show, for all later messages.
    package func conceal(_ name: String) {
        // Messages have it as it is, safe to print, or in quotes, which escape other characters and cut a long name.
        let forms = [
            Array(name.unicodeScalars), Array(TerminalText.escaped(name).unicodeScalars),
            Array(Prose.quoted(name).unicodeScalars.dropFirst().dropLast()),
        ]
        state.withLock { $0.names.formUnion(forms) }
    }

    package func concealing(_ text: String) -> String {
        // The longest first, because a name may contain another one.
        let names = state.withLock { $0.names }.sorted { $0.count > $1.count }
        return Prose.text(text, replacing: names.map { String(String.UnicodeScalarView($0)) }, with: "…")
    }
}
