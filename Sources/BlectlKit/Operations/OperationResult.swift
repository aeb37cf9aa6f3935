// SPDX-License-Identifier: GPL-2.0-or-later

/// What an operation finds out: one value after the other, which a command renders and a script compares.
enum OperationResult: Sendable {
    /// A value that was read, or that the device has sent.
    case value(ValueResult)
    /// A measurement of a profile.
    case measurement(MeasurementResult)
    /// Something that came between values: a gap, or another database.
    case interruption(InterruptionResult)
    /// A value was written.
    case written(WriteResult)
    /// The device whose attributes follow.
    case device(DeviceReference)
    /// An attribute of its tree.
    case attribute(TreeResult)
    /// One target of several failed; the operation goes on.
    case failed(TargetErrorResult)
}

/// Takes the results of operations, in their order.
protocol ResultSink: Sendable {
    /// Takes a result; waits where results are taken slower than they come.
    ///
    /// Throws an `OutputFailure` where nothing can be taken any more; that ends the operation.
    func emit(_ result: OperationResult) async throws
}
