// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
package import CommandLineInterface
package import Records
package import Terminal

/// A failure: of the whole command, or of one target of several.
package struct ErrorResult: RecordedResult {
    package let error: BlectlError
    package let timestamp: Timestamp

    package init(error: BlectlError, timestamp: Timestamp) {
        self.error = error
        self.timestamp = timestamp
    }

    /// The name of the ATT error, as the target's service has it.
    private var attErrorName: String? {
        error.attError.map { ATTErrorCode(rawValue: $0) }.map {
            error.attErrorName ?? RequestSubject(target: error.subject.target).name(of: $0)
        }
    }

    /// Contains every known identifier of the failure, so that a script can decide without parsing the message.
    package static let record = RecordKind<Self>(
        "error",
        "a failure, of the command or of one of several targets"
    ) {
        RecordField("action", orNull: .string, "what failed") { $0.error.action }
        RecordField("reason", .string, "why") { $0.error.reason }
        RecordField("message", .string, "both as one sentence, as on standard error") {
            $0.error.message
        }
        RecordField(
            "details",
            .array(of: .string),
            "further parts of the reason, such as the faults of a device file"
        ) { $0.error.details }
        RecordField("hint", orNull: .string, "what to do next") { $0.error.hint }
        RecordField("status", .integer, "exit status of that failure") { $0.error.status.rawValue }
        RecordField("status_name", .string, "name of that status, such as `timed-out`") { $0.error.status.name }
        RecordField("retryable", .boolean, "whether the same command may succeed a little later") {
            $0.error.isRetryable
        }
        RecordField("adapter", orNull: .string, "adapter that it failed because of") {
            $0.error.subject.adapter
        }
        RecordField("device", orNull: .device, "device, if found") { $0.error.subject.device }
        RecordField("target", orNull: .string, "target as given") { $0.error.subject.target?.text }
        RecordField("service", orNull: .uuid, "service, if the target names one") {
            $0.error.subject.target?.service
        }
        RecordField("characteristic", orNull: .uuid, "characteristic, if the target names one") {
            $0.error.subject.target?.characteristic
        }
        RecordField("descriptor", orNull: .uuid, "descriptor, if the target names one") {
            $0.error.subject.target?.descriptor
        }
        RecordField("handle", orNull: .integer, "handle, if the target is one") {
            $0.error.subject.target?.handle?.rawValue
        }
        RecordField("att_error", orNull: .integer, "ATT error code of the answer") {
            $0.error.attError
        }
        RecordField("att_error_name", orNull: .string, "its name") { $0.attErrorName }
    }

    /// `nil`: for people the message is on standard error.
    package func text(_ style: TextStyle) -> String? { nil }
}

extension RecordSchema {
    /// The record of a failure, which every command can print.
    package static let error = ErrorResult.record.schema
}

/// The record of a failure that ends the program before a command has begun.
package enum EarlyFailure {
    /// The line for standard output, with a line feed at its end; `nil` if the command line asks for no records.
    ///
    /// - Parameters:
    ///   - arguments: The arguments that follow the name of the program. They may be invalid.
    ///   - command: The command, if it was recognised.
    ///   - clocks: The clocks of virtual time, which have not begun to move, or those of the machine.
    package static func line(
        for error: BlectlError,
        arguments: [String],
        command: CommandName?,
        of table: CommandTable,
        clocks: (_ isVirtual: Bool) -> any TimeSource
    ) -> [UInt8]? {
        let scanner = ArgumentScanner(arguments, table)
        guard scanner.isGiven(GlobalSpec.json.spec) else { return nil }
        let clock = scanner.occurrences.last { $0.option.long == GlobalSpec.simulateTime.spec.long }?.text
        let isVirtual = scanner.isGiven(GlobalSpec.simulate.spec) && clock == SimulatedClock.virtual.rawValue
        let result = ErrorResult(error: error.about(command: command), timestamp: Timestamp(clocks(isVirtual)))
        return Output.line(of: result)
    }
}
