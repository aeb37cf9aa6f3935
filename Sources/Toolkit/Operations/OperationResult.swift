// SPDX-License-Identifier: GPL-2.0-or-later

/// A result of an operation. Commands render results; scripts compare them.
package enum OperationResult: Sendable {
    /// A value that was read, or sent by the device.
    case value(ValueResult)
    /// A measurement of a profile.
    case measurement(MeasurementResult)
    /// Octets of a serial port.
    case serial(OctetsResult)
    /// A press or a release of a key.
    case key(KeyResult)
    /// An interruption of an observation: a gap, or a changed database.
    case interruption(InterruptionResult)
    /// A profile's action has been carried out.
    case acted(ActionResult)
    /// The properties of the link.
    case link(LinkResult)
    /// The strength of the link's signal.
    case signal(SignalResult)
    /// A completed write.
    case written(WriteResult)
    /// The device of the attributes that follow.
    case device(DeviceReference)
    /// A line of the tree of attributes.
    case attribute(TreeResult)
    /// A device as a definition.
    case cloned(CloneResult)
    /// A failed target. The operation continues with the others.
    case failed(ErrorResult)
}

/// Takes the results of operations, in their order.
package protocol ResultSink: Sendable {
    /// Takes a result. Waits if the reader is slower than the operation.
    ///
    /// Throws an `OutputFailure` if it can take no more, which ends the operation.
    func emit(_ result: OperationResult) async throws
}
