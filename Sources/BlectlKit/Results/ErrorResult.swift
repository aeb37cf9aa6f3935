// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
public import BluetoothHost

/// A failure: of the whole command, or of one target of several.
struct ErrorResult: RecordedResult {
    /// The failure in the words of a user.
    let error: BlectlError
    /// When it was reported.
    let timestamp: Timestamp

    /// Contains every known identifier of the failure, so that a script can decide without parsing the message.
    ///
    /// `retryable` is true if the same command can succeed later without a change.
    var record: Record {
        let target = error.subject.target
        let code = error.attError.map { ATTErrorCode(rawValue: $0) }
        return Record(
            "error",
            at: timestamp,
            [
                "action": .optional(error.action),
                "adapter": .optional(error.subject.adapter),
                "att_error": .optional(error.attError),
                "att_error_name": .optional(
                    code.map { error.attErrorName ?? RequestSubject(target: target).name(of: $0) }
                ),
                "characteristic": .optional(target?.characteristic?.description),
                "descriptor": .optional(target?.descriptor?.description),
                "details": .array(error.details.map { .string($0) }),
                "device": error.subject.device?.json ?? .null,
                "handle": .optional(target?.handle?.rawValue),
                "hint": .optional(error.hint),
                "message": .string(error.message),
                "reason": .string(error.reason),
                "retryable": .bool(error.isRetryable),
                "service": .optional(target?.service?.description),
                "status": .integer(Int64(error.status.rawValue)),
                "status_name": .string(error.status.name),
                "target": .optional(target?.text),
            ]
        )
    }

    /// `nil`: for people the message is on standard error.
    func text(_ style: TextStyle) -> String? { nil }
}

/// The record of a failure that ends the program before a command has begun.
public enum EarlyFailure {
    /// The line for standard output, with a line feed at its end; `nil` if the command line asks for no records.
    ///
    /// - Parameters:
    ///   - arguments: The arguments that follow the name of the program. They may be invalid.
    ///   - command: The command, if it was recognised.
    ///   - clocks: The clocks of virtual time, which have not begun to move, or those of the machine.
    public static func line(
        for error: BlectlError,
        arguments: [String],
        command: CommandName?,
        clocks: (_ isVirtual: Bool) -> any TimeSource
    ) -> [UInt8]? {
        let scanner = ArgumentScanner(arguments)
        guard scanner.isGiven(GlobalSpec.json.spec) else { return nil }
        let clock = scanner.occurrences.last { $0.option.long == GlobalSpec.simulateTime.spec.long }?.text
        let isVirtual = scanner.isGiven(GlobalSpec.simulate.spec) && clock == SimulatedClock.virtual.rawValue
        let result = ErrorResult(error: error.about(command?.rawValue), timestamp: Timestamp(clocks(isVirtual)))
        return Output.line(of: result)
    }
}
