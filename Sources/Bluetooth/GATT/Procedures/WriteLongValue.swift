// SPDX-License-Identifier: MIT

/// Writes a value of any length in prepared parts, all or nothing.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.9.4 and 4.12.4
public struct WriteLongValue: GATTProcedure {
    private var sequence: PreparedWriteSequence

    /// Writes to the attribute with that handle, beginning at an offset in octets.
    public init(_ value: [UInt8], to handle: Handle, offset: Int = 0) {
        sequence = PreparedWriteSequence([.init(handle: handle, offset: offset, value: value)])
    }

    /// The first step.
    public mutating func start(mtu: UInt16) -> GATTStep<Void> { sequence.start(mtu: mtu) }

    /// The next step, after an answer.
    public mutating func received(_ answer: ATTAnswer, mtu: UInt16) -> GATTStep<Void> {
        sequence.received(answer, mtu: mtu)
    }

    /// Cancels the parts that were prepared and not executed.
    public func abort() -> ATTRequest? { sequence.abort() }

    /// `true`: all parts go through the server's queue.
    public var preparesWrites: Bool { true }
}

/// Writes several values, each checked by its echo, and all of them or none.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.9.5
public struct ReliableWrite: GATTProcedure {
    private var sequence: PreparedWriteSequence

    /// Writes these values in this order.
    public init(_ writes: [HandleValue]) {
        sequence = PreparedWriteSequence(writes.map { .init(handle: $0.handle, offset: 0, value: $0.value) })
    }

    /// The first step.
    public mutating func start(mtu: UInt16) -> GATTStep<Void> { sequence.start(mtu: mtu) }

    /// The next step, after an answer.
    public mutating func received(_ answer: ATTAnswer, mtu: UInt16) -> GATTStep<Void> {
        sequence.received(answer, mtu: mtu)
    }

    /// Cancels the values that were prepared and not executed.
    public func abort() -> ATTRequest? { sequence.abort() }

    /// `true`: all values go through the server's queue.
    public var preparesWrites: Bool { true }
}
