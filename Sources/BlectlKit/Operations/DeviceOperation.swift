// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// Something to do on a connected device, as a value with its typed options: to read, to write, to listen, to inspect.
///
/// An operation knows nothing of how the device was found and connected to, of the command line, or of how its results look.
/// Several operations may run on one device, one after the other.
protocol DeviceOperation: Sendable {
    /// What the operation does to the device, to follow "cannot" in an error: `read from Pulse (F0:F1:…)`.
    func action(on device: DeviceReference) -> String

    /// Does it. Errors are described by `perform`, which callers use.
    func run(on device: ConnectedDevice, in context: OperationContext) async throws
}

extension DeviceOperation {
    /// Does it. This is the one place where the errors of operations become errors in a person's words.
    ///
    /// Throws a `BlectlError`, a `PartialFailure` where results have told what failed, or an `OutputFailure` where the results
    /// cannot be taken any more.
    func perform(on device: ConnectedDevice, in context: OperationContext) async throws {
        do {
            try await run(on: device, in: context)
        } catch let error where error is PartialFailure || error is OutputFailure {
            throw error
        } catch {
            throw BlectlError(describing: error, doing: action(on: device.reference), to: device.reference) ?? error
        }
    }
}

/// What an operation is given beside the device.
struct OperationContext: Sendable {
    /// The clock behind every deadline.
    let time: any TimeSource
    /// Where an operation tidies up when it was cancelled.
    let scope: TaskScope
    /// How long one discovery, read, write or subscription may take.
    let timeout: Duration
    /// Takes what the operation finds out.
    let results: any ResultSink
    /// Takes remarks.
    let notes: any NoteSink

    /// Runs one step that has to be done within the timeout, or another limit.
    func withTimeout<Value: Sendable>(
        _ step: String,
        within limit: Duration? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withDeadline(time.now + (limit ?? timeout), time, operation: step, body)
    }
}

/// Takes remarks of operations: what was ambiguous, dropped or tried again, and what is being done at the moment.
protocol NoteSink: Sendable {
    /// A remark that is no error.
    func note(_ text: String)

    /// A remark that is worth a line only to a user who looks closer (`-v`).
    func detail(_ text: String)

    /// What is being done; the next message takes its place.
    func progress(_ text: String)

    /// Takes away what `progress` shows.
    func clearProgress()
}

extension Diagnostics: NoteSink {}

/// Some targets of an operation failed, and its results have told which; the status is that of the first.
struct PartialFailure: Error, Equatable {
    let status: ExitStatus
}
