// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
package import CommandLineInterface
import Terminal

extension BlectlError {
    /// The message for any error that a command can meet; `nil` if the reader of standard output has gone, which is not
    /// a failure.
    ///
    /// - Parameters:
    ///   - action: The action that failed, to follow "cannot".
    ///   - device: The device of the action, for the hint.
    ///   - subject: The attribute of the action.
    package init?(
        describing error: any Error,
        doing action: String,
        to device: DeviceReference? = nil,
        about subject: RequestSubject? = nil
    ) {
        switch error {
        case let error as BlectlError: self = error
        case let error as RadioError: self.init(error, doing: action)
        case let error as ConnectFailure:
            let described = BlectlError(error.error, doing: action)
            let attempts = error.attempts > 1 ? " (\(error.attempts) attempts)" : ""
            self = described.adding(attempts)
        case let error as DeadlineExceeded:
            let detail = action.hasPrefix(error.operation) ? "" : " (\(error.operation))"
            // A limit that an option has set has the name of the option as its operation.
            let option = error.operation.hasPrefix("--") ? error.operation : "--timeout"
            self.init(
                .timedOut,
                cannot: action,
                "\(error.reason)\(detail)",
                hint: "\(option) allows more time"
            )
        case let error as ATTFailure: self.init(error, doing: action, to: device, about: subject)
        case let error as SecurityFailure:
            self = BlectlError(error, doing: action, to: device, about: subject).about(device: device)
        case let error as LinkReplaced:
            let why =
                switch error.reason {
                case .pairing: "the link had to end for a pairing"
                case .exchange: "the link has ended, because the device does not take an exchange of the MTU"
                }
            self.init(.temporaryFailure, cannot: action, why, hint: "try again")
        case let error as LinkChangeFailure: self = BlectlError(error, to: device).about(device: device)
        case let error as PairingError: self.init(error, doing: action)
        case let error as KeyFileFailure: self.init(error, doing: action)
        case let error as MissingAttribute: self.init(error, doing: action, to: device)
        case let error as NotObservable:
            self.init(.protocolError, cannot: action, error.reason)
        case let error as GATTError: self.init(error, doing: action, to: device, about: subject)
        case let error as ValueFormatError: self.init(.badData, cannot: action, "\(error)")
        case is CancellationError: self.init(.temporaryFailure, cannot: action, "interrupted")
        case OutputFailure.brokenPipe, OutputFailure.interrupted: return nil
        case OutputFailure.failed(let why): self.init(.ioError, cannot: "write to standard output", why)
        default: self.init(.internalError, cannot: action, "\(error)")
        }
    }
}

extension Error {
    /// Whether the device did not answer within the time limit of blectl or of the protocol.
    package var isSilence: Bool { self is DeadlineExceeded || self as? ATTFailure == .timedOut }

    /// Whether the device has refused a request; also if the security that it demands could not be had.
    package var isRefusal: Bool { self is GATTError || (self as? SecurityFailure)?.refusal != nil }
}

extension UsageError {
    /// The complete text for standard error. With `--redact` on the line, it shows none of the typed values and names.
    ///
    /// - Parameters:
    ///   - words: The words of the line after the name of the program, which may be invalid.
    ///   - names: The names of devices that the error may list.
    package func text(onLine words: [String], of table: CommandTable, names: [String] = []) -> String {
        guard ArgumentScanner(words, table).isGiven(GlobalSpec.redact.spec) else { return text }
        return shown(onLine: words, of: table, names: names).text
    }

    /// The same error for a record, which shows no more than the text.
    ///
    /// - Parameters:
    ///   - words: The words of the line after the name of the program, which may be invalid.
    ///   - names: The names of devices that the error may list.
    package func shown(onLine words: [String], of table: CommandTable, names: [String] = []) -> BlectlError {
        let line = ArgumentScanner(words, table)
        guard line.isGiven(GlobalSpec.redact.spec) else { return BlectlError(exitStatus, message, hint: hint) }
        let concealed = CommandLineRedactor(of: self, on: line, names: names)
        return BlectlError(exitStatus, concealed.concealed(in: message), hint: concealed.concealed(in: hint))
    }
}
