// SPDX-License-Identifier: GPL-2.0-or-later

package import Records

/// A result of an operation. Commands render results; scripts compare them.
package enum OperationResult: Sendable {
    case value(ValueResult)
    case measurement(MeasurementResult)
    case interruption(InterruptionResult)
    /// The device of the attributes that follow.
    case device(DeviceReference)
    /// A failed target. The operation continues with the others.
    case failed(ErrorResult)
    /// A result that is written as it is.
    case other(any CommandResult)
}

/// Takes the results of operations, in their order.
package protocol ResultSink: Sendable {
    /// Takes a result. Waits if the reader is slower than the operation.
    ///
    /// Throws an `OutputFailure` if it can take no more, which ends the operation.
    func emit(_ result: OperationResult) async throws
}
