// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// A value that the device sent by itself.
public struct ValueEvent: Sendable, Hashable {
    /// How it came.
    public enum Kind: Sendable, Hashable {
        /// Without confirmation.
        case notification
        /// With a confirmation, which was sent already.
        case indication
    }

    /// The handle of the characteristic's value.
    public let handle: Handle
    /// How it came.
    public let kind: Kind
    /// The octets.
    public let value: [UInt8]
    /// When it came, on the monotonic clock.
    public let instant: Instant
    /// When it came, on the wall clock.
    public let wall: WallTime

    static func events(of pdu: ATTServerPDU, at instant: Instant, wall: WallTime) -> [ValueEvent] {
        switch pdu {
        case .notification(let pdu):
            [ValueEvent(handle: pdu.handle, kind: .notification, value: pdu.value, instant: instant, wall: wall)]
        case .indication(let pdu):
            [ValueEvent(handle: pdu.handle, kind: .indication, value: pdu.value, instant: instant, wall: wall)]
        case .multipleNotification(let pdu):
            pdu.values.map {
                ValueEvent(handle: $0.handle, kind: .notification, value: $0.value, instant: instant, wall: wall)
            }
        default: []
        }
    }
}

/// The stream of values that one observer sees.
public struct ValueObservation: Sendable {
    let queue: BoundedQueue<ValueEvent>
    let stop: @Sendable () -> Void

    /// The next value; throws why the connection ended, or `cancelled`.
    public func next() async throws(RadioError) -> ValueEvent { try await queue.next() }

    /// How many values were dropped because the reader was slow.
    public var droppedCount: Int { queue.droppedCount }

    /// Ends the observation.
    public func end() { stop() }
}

/// Where values go that come by themselves. Both are called on the connection: they hand on and return.
struct ValueSink: Sendable {
    /// A value came.
    let received: @Sendable (ValueEvent) -> Void
    /// The link has ended; nothing comes any more.
    let ended: @Sendable (RadioError) -> Void
}
