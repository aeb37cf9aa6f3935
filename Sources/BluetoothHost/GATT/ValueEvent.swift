// SPDX-License-Identifier: MIT

public import Bluetooth

/// A value that the device sent unasked.
public struct ValueEvent: Sendable, Hashable {
    /// The ways in which a device sends a value.
    public enum Kind: Sendable, Hashable {
        /// Without confirmation.
        case notification
        /// With a confirmation, which has been sent.
        case indication
    }

    /// The handle of the characteristic's value.
    public let handle: Handle
    /// How it was sent.
    public let kind: Kind
    /// The octets, at most as many as a value can have.
    public let value: [UInt8]
    /// Whether more octets arrived than a value can have.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.2.9
    public let isCut: Bool
    /// Whether it fills the smallest MTU without a larger one having been exchanged: it may be the start of a longer
    /// value.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 4.10.1
    public let mayBeCut: Bool
    /// The time of arrival on the monotonic clock.
    public let instant: Instant
    /// The time of arrival on the wall clock.
    public let wall: WallTime

    init(_ kind: Kind, _ handle: Handle, _ value: [UInt8], at instant: Instant, wall: WallTime, mtu: UInt16?) {
        self.handle = handle
        self.kind = kind
        isCut = value.count > GATTLimits.maximumValueLength
        self.value = isCut ? Array(value.prefix(GATTLimits.maximumValueLength)) : value
        mayBeCut = mtu.map { value.count >= HandleValueNotification.maximumLength(mtu: $0) } ?? false
        self.instant = instant
        self.wall = wall
    }

    /// The values in a PDU.
    ///
    /// - Parameter mtu: The MTU to which they may have been cut; `nil` if no larger one can be exchanged.
    static func events(of pdu: ATTServerPDU, at instant: Instant, wall: WallTime, mtu: UInt16?) -> [ValueEvent] {
        switch pdu {
        case .notification(let pdu):
            [ValueEvent(.notification, pdu.handle, pdu.value, at: instant, wall: wall, mtu: mtu)]
        case .indication(let pdu):
            [ValueEvent(.indication, pdu.handle, pdu.value, at: instant, wall: wall, mtu: mtu)]
        case .multipleNotification(let pdu):
            pdu.values.map { ValueEvent(.notification, $0.handle, $0.value, at: instant, wall: wall, mtu: nil) }
        default: []
        }
    }
}

/// The destination of the values that a device sends unasked. The connection calls both functions, so they must only
/// pass the value on and return.
struct ValueSink: Sendable {
    /// Takes a value. Returns `false` if there is no room for more.
    let received: @Sendable (ValueEvent) -> Bool
    /// The link has ended, so no more values come.
    let ended: @Sendable (RadioError) -> Void
    /// The queue for whose room a link with flow control waits.
    var room: (any BackpressureSource)?
}
