// SPDX-License-Identifier: GPL-2.0-or-later

/// The environment of the pairings of a command: the person whom it may ask, and what counts as its result.
package struct PairingEnvironment: Sendable {
    /// Whether a person at the terminal may be asked while a command uses a device.
    ///
    /// Not in a shell, whose line editor has the keyboard, not in a script, and not in a session, which has no
    /// terminal; nor in virtual time, which goes on to the end of every time limit while a person thinks.
    package let mayAsk: Bool
    /// Whether any central could pair with a served device.
    package let hasCentrals: Bool
    /// The keyboard of the shell, for `pair` in its foreground; `nil` elsewhere, where standard input is read.
    package var keyboard: TerminalKeyboard?
    /// The person who is asked when a value that needs a pairing is touched; `nil` if no person can be asked.
    package var person: PromptedPerson?
    /// Whether such a pairing is a record of the command. Otherwise only a note reports it.
    package var isRecorded = true

    /// The environment of a command of its own.
    package init(mayAsk: Bool = false, hasCentrals: Bool = true) {
        self.mayAsk = mayAsk
        self.hasCentrals = hasCentrals
    }
}
