// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Terminal

/// An error message for a user: the action, its object, the cause, and the next step.
///
/// The only error with an exit status. Every other error is turned into one of these, once, at the top.
package struct BlectlError: Error, Equatable, Sendable {
    package let status: ExitStatus
    /// One line in lower case without a full stop.
    package let message: String
    /// The action that failed, as it follows "cannot" in the message; `nil` if the message names none.
    package private(set) var action: String?
    /// Whether the action is the name of a command, which is no secret.
    private var isActionCommand = false
    /// Why it failed: the part of the message after the action, or all of it.
    package let reason: String
    /// Further lines that belong to the reason and do not fit on its line, such as the faults of a file.
    package private(set) var details: [String] = []
    /// The details that can be shown with `--redact`: the places of the faults of a file, without its text.
    private var places: [String] = []
    /// A command to type, or another way out.
    package let hint: String?
    /// The ATT error code, if the device answered with one.
    package let attError: UInt8?
    /// The name that the service of the attribute gives to that code; `nil` for the name of the protocol.
    private(set) var attErrorName: String?
    /// Whether the same command may succeed a little later, without any change.
    var isRetryable: Bool { status.isRetryable && !isFinal }
    /// Whether another try would end in the same way, whatever the status is.
    private var isFinal = false
    private(set) var subject = ErrorSubject()

    /// An error whose message names no action.
    package init(_ status: ExitStatus, _ message: String, hint: String? = nil, attError: UInt8? = nil) {
        self.status = status
        self.message = Prose.shortened(message)
        reason = self.message
        self.hint = hint.map(Prose.shortened)
        self.attError = attError
    }

    /// An error with the message `cannot ACTION: REASON`.
    package init(
        _ status: ExitStatus,
        cannot action: String,
        _ reason: String,
        hint: String? = nil,
        attError: UInt8? = nil
    ) {
        self.status = status
        self.action = Prose.shortened(action)
        self.reason = Prose.shortened(reason)
        message = Prose.shortened("cannot \(action): \(reason)")
        self.hint = hint.map(Prose.shortened)
        self.attError = attError
    }

    private init(_ error: BlectlError, message: String, reason: String, hint: String?) {
        status = error.status
        self.message = message
        action = error.action
        self.reason = reason
        self.hint = hint
        attError = error.attError
        attErrorName = error.attErrorName
        subject = error.subject
        details = error.details
        places = error.places
        isFinal = error.isFinal
    }

    /// The same error of a command that would fail again in the same way.
    func withoutRetry() -> BlectlError {
        var error = self
        error.isFinal = true
        return error
    }

    package func with(hint: String?) -> BlectlError { BlectlError(self, message: message, reason: reason, hint: hint) }

    /// The same error with lines of details.
    ///
    /// - Parameter places: The lines in their place that have no text of a user.
    package func with(details: [String], places: [String] = []) -> BlectlError {
        var error = self
        error.details = details
        error.places = places
        return error
    }

    /// The same error with more after its message.
    package func adding(_ text: String) -> BlectlError {
        BlectlError(self, message: message + text, reason: reason + text, hint: hint)
    }

    /// The same error without names, and with places instead of details, which may have values. The name of a command
    /// stays, because programs compare it.
    ///
    /// - Parameter conceal: Returns a text without the names that are not to be shown.
    package func redacted(_ conceal: (String) -> String) -> BlectlError {
        let hint = hint.map { conceal($0) }
        var error = BlectlError(self, message: conceal(message), reason: conceal(reason), hint: hint)
        error.action = action.map { isActionCommand ? $0 : conceal($0) }
        error.details = places
        error.subject.device = subject.device?.concealed
        return error
    }

    /// The same error with the name that the service of the attribute gives to the code of the device.
    package func withErrorName(_ name: String?) -> BlectlError {
        var error = self
        error.attErrorName = name
        return error
    }

    /// The same error with a command as its action, and with its device filled in. Present parts are kept.
    package func about(command: CommandName?, device: DeviceReference? = nil) -> BlectlError {
        var error = about(command?.rawValue, device: device)
        error.isActionCommand = action == nil && command != nil
        return error
    }

    /// The same error with its action and its subject filled in. Present parts are kept.
    package func about(
        _ action: String? = nil,
        device: DeviceReference? = nil,
        target: AttributeTarget? = nil,
        adapter: String? = nil
    ) -> BlectlError {
        var error = self
        error.action = self.action ?? action
        error.subject.device = subject.device ?? device
        error.subject.target = subject.target ?? target
        error.subject.adapter = subject.adapter ?? adapter
        return error
    }
}

extension BlectlError {
    /// The lines for standard error, safe to print on a terminal.
    package var text: String {
        let lines = ["blectl: \(message)"] + details.map { "  \($0)" } + (hint.map { ["hint: \($0)"] } ?? [])
        return lines.map { TerminalText.escaped($0) + "\n" }.joined()
    }
}

/// The subject of a failed action, as far as it is known.
struct ErrorSubject: Equatable, Sendable {
    package var device: DeviceReference?
    package var target: AttributeTarget?
    /// The adapter by its name, such as `hci0`.
    package var adapter: String?
}

/// Some targets of an operation failed, and its results have reported each. The status is that of the first.
package struct PartialFailure: Error, Equatable {
    package let status: ExitStatus

    package init(status: ExitStatus) {
        self.status = status
    }
}
