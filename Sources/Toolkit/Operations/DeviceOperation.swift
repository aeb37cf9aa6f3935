// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
package import CommandLineInterface
import Records
package import Terminal

/// A read, write, observation or inspection of a connected device, as a value with its typed options.
///
/// An operation is independent of the way in which the device was found and connected to, of the command line, and of
/// the form of its results. Several operations can run on one device, one after the other.
package protocol DeviceOperation: Sendable {
    /// The action in words, to follow "cannot" in an error: `read from Pulse (F0:F1:…)`.
    func action(on device: DeviceReference) -> String

    /// The attribute that a failure of the whole operation is about, if there is only one.
    var subject: RequestSubject? { get }

    /// Whether the results begin with the name of the device, so that it need not be shown elsewhere.
    var namesDevice: Bool { get }

    /// Whether the operation may read standard input, so that no person can be asked there.
    var readsInput: Bool { get }

    /// Carries out the operation. Callers use `perform`, which describes errors.
    func run(on device: ConnectedDevice, in context: OperationContext) async throws
}

extension DeviceOperation {
    package var subject: RequestSubject? { nil }
    package var namesDevice: Bool { false }
    package var readsInput: Bool { false }

    /// Carries out the operation, and describes its errors in the words of a user.
    ///
    /// Throws a `BlectlError`, a `PartialFailure` if the results have reported each failure, or an `OutputFailure` if
    /// the sink takes no more results.
    package func perform(on device: ConnectedDevice, in context: OperationContext) async throws {
        try await describingErrors(on: device) { try await run(on: device, in: context) }
    }

    /// Carries out a part of the operation like `perform`.
    package func describingErrors<Value: Sendable>(
        on device: ConnectedDevice,
        _ part: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await part()
        } catch let error where error is PartialFailure || error is OutputFailure {
            // A `PartialFailure` has been reported, and an `OutputFailure` is not about the device.
            throw error
        } catch {
            let reference = await device.subjectOfError
            let subject = await device.completed(subject, by: error)
            let action = action(on: reference)
            let described = BlectlError(describing: error, doing: action, to: reference, about: subject)
            // Errors without a description, such as a cancellation, are passed on unchanged.
            throw described?.about(action, device: reference, target: subject?.target) ?? error
        }
    }
}

/// The environment of an operation: clock, time limit, and the sinks of its results and remarks.
package struct OperationContext: Sendable {
    package let time: any TimeSource
    /// The scope in which a cancelled operation cleans up.
    package let scope: TaskScope
    /// The time limit of one discovery, read, write or subscription.
    package let timeout: Duration
    package let results: any ResultSink
    package let notes: any NoteSink
    /// Called when the device has answered the subscriptions of an observation.
    package var onReady: (@Sendable () -> Void)?
    /// The times in which a person is asked; `nil` if there are no questions.
    package var pauses: PersonPauses?
    /// When the time of `--deadline` is over; `nil` without a limit.
    package var deadline: Instant?
    /// Whether messages have no values and names.
    package var isRedacted = false

    package init(
        time: any TimeSource,
        scope: TaskScope,
        timeout: Duration,
        results: any ResultSink,
        notes: any NoteSink,
        onReady: (@Sendable () -> Void)? = nil,
        pauses: PersonPauses? = nil,
        deadline: Instant? = nil,
        isRedacted: Bool = false
    ) {
        self.time = time
        self.scope = scope
        self.timeout = timeout
        self.results = results
        self.notes = notes
        self.onReady = onReady
        self.pauses = pauses
        self.deadline = deadline
        self.isRedacted = isRedacted
    }

    /// Reports the failure of one of several targets, whose status counts if it is the first.
    package func report(_ failure: BlectlError, _ first: inout ExitStatus?) async throws {
        try await results.emit(.failed(ErrorResult(error: failure, timestamp: Timestamp(time))))
        first = first ?? failure.status
    }

    /// Notes how many of the wanted results had come when an error ended the operation (`StopLimits.shortfall`).
    package func noteShortfall(
        of limits: StopLimits,
        _ reached: Int,
        _ thing: CountedThing,
        from device: DeviceReference,
        endedBy error: any Error
    ) {
        let missing = limits.shortfall(
            endedBy: error,
            deadline: deadline,
            now: time.now,
            reached: reached,
            of: thing,
            from: device.text
        )
        if let missing { notes.note(missing) }
    }

    /// Runs a step within the timeout, or within another limit. The time in which a person is asked does not count.
    package func withTimeout<Value: Sendable>(
        _ step: String,
        within limit: Duration? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let limit = limit ?? timeout
        let value =
            if let pauses {
                try await until({ [time] in await pauses.sleep(for: limit, time) }, body)
            } else {
                try await untilDeadline(time.now + limit, time, body)
            }
        guard let value else { throw DeadlineExceeded(step, limit: limit) }
        return value
    }
}
