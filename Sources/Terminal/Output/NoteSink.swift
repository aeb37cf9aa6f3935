// SPDX-License-Identifier: GPL-2.0-or-later

/// Takes the remarks of operations: on ambiguity, drops and retries, and on the present step.
package protocol NoteSink: Sendable {
    func note(_ text: String)

    /// Takes a remark that is shown with `-v` only.
    func detail(_ text: String)

    /// Takes a remark for a person at a terminal, which a script has in the results.
    func remark(_ text: String)

    /// Shows the present step until the next message.
    func progress(_ text: String)

    /// Removes the line of `progress`.
    func clearProgress()

    /// Takes a name that is not to be shown if messages are redacted.
    func conceal(_ name: String?)
}

extension Diagnostics: NoteSink {}
