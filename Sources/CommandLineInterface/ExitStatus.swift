// SPDX-License-Identifier: GPL-2.0-or-later

/// The exit statuses of blectl. The manual pages print the table, and scripts rely on it, so numbers never change.
///
/// The numbers are those of `sysexits.h` if one fits, and 124 as in `timeout(1)`. The table has none for a program that
/// a signal has ended: blectl cleans up and raises the signal again, so that the shell reports 128+*n* for signal *n*.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0
    /// An expectation of the caller was not met.
    case expectationFailed = 1
    /// The command line is invalid.
    case usage = 64
    /// A value, a script or a file has the wrong content.
    case badData = 65
    case cannotOpenInput = 66
    /// There is no such device, service, characteristic or descriptor, or several fit where one is needed.
    case notFound = 68
    /// Bluetooth cannot be used on this machine.
    case bluetoothUnavailable = 69
    /// A bug in blectl.
    case internalError = 70
    case cannotCreateOutput = 73
    /// A socket, a file or the disk failed.
    case ioError = 74
    /// A connection could not be made, or was lost.
    case temporaryFailure = 75
    /// The device answered with an ATT error, or its advertisements or properties say that it accepts no such request.
    case protocolError = 76
    case permissionDenied = 77
    case configurationError = 78
    case timedOut = 124

    /// The name in the documentation: lower case, with dashes between words.
    package var name: String {
        switch self {
        case .success: "success"
        case .expectationFailed: "expectation-failed"
        case .usage: "usage"
        case .badData: "bad-data"
        case .cannotOpenInput: "cannot-open-input"
        case .notFound: "not-found"
        case .bluetoothUnavailable: "bluetooth-unavailable"
        case .internalError: "internal-error"
        case .cannotCreateOutput: "cannot-create-output"
        case .ioError: "io-error"
        case .temporaryFailure: "temporary-failure"
        case .protocolError: "protocol-error"
        case .permissionDenied: "permission-denied"
        case .configurationError: "configuration-error"
        case .timedOut: "timed-out"
        }
    }

    /// Whether the same command may succeed a little later, without any change.
    package var isRetryable: Bool { self == .temporaryFailure || self == .timedOut }

    /// The meaning, as one sentence for the manual.
    package var meaning: String {
        switch self {
        case .success: "All that was asked for was done."
        case .expectationFailed:
            """
            An expectation was not met: too few for --count, another value at --verify, a difference of diff, a failed \
            test of run, a key of --format that no value has, or a declined pairing.
            """
        case .usage: "The command line is wrong; nothing was done."
        case .badData: "A value, a script or a device file has the wrong content."
        case .cannotOpenInput: "An input file cannot be opened."
        case .notFound:
            """
            No such device, service, characteristic or descriptor was found or heard, or several fit where exactly one \
            is needed.
            """
        case .bluetoothUnavailable:
            "Bluetooth is unavailable: no support by the kernel, or no adapter that is present, up and unblocked."
        case .internalError: "A bug in blectl; please report it."
        case .cannotCreateOutput: "An output file cannot be created."
        case .ioError: "Reading or writing a socket or file failed, or the disk is full."
        case .temporaryFailure: "The connection failed or was lost; try again."
        case .protocolError: "The device refused, or answered with an error, which the message names."
        case .permissionDenied: "A permission is missing, which the message names, with the command that grants it."
        case .configurationError: "The configuration of blectl or of the system is wrong."
        case .timedOut: "A time limit has passed: of a step, an attempt to connect, or the whole command."
        }
    }
}
