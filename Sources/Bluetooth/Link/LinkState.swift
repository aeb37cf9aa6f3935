// SPDX-License-Identifier: MIT

/// The properties of a connection, as far as they are known.
///
/// No command reads the parameters and the packet limits of a connection; only events carry them. They are known only
/// if the events were received from the beginning of the connection.
public struct LinkState: Hashable, Sendable {
    /// The role of this machine.
    public var role: LERole?
    /// The PHY for sending.
    public var transmitPHY: LEPHY?
    /// The PHY for receiving.
    public var receivePHY: LEPHY?
    /// The limits of packets that are sent.
    public var transmitLength: LEDataLength?
    /// The limits of packets that are received.
    public var receiveLength: LEDataLength?
    /// The connection interval, in units of 1.25 ms.
    public var interval: LEInterval<1250>?
    /// The number of connection events that the peripheral may skip.
    public var latency: UInt16?
    /// The time without packets after which the connection counts as lost.
    public var supervisionTimeout: LEInterval<10_000>?
    /// One of so many connection events is used.
    public var subrateFactor: UInt16?
    /// The number of further events that are used after one with data.
    public var continuationNumber: UInt16?
    /// The features of the peer's link layer.
    public var peerFeatures: LEFeatures?
    package var peerVersion: ReadRemoteVersionInformationCompleteEvent?

    /// A connection of which nothing is known.
    public init() {}

    /// The state at the beginning of a connection. The limits of packets are those that every connection begins with.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 4.5.10
    package init(_ event: LEConnectionCompleteEvent) {
        role = event.role
        interval = event.interval
        latency = event.latency
        supervisionTimeout = event.supervisionTimeout
        transmitLength = LEDataLength(octets: 27, microseconds: 328)
        receiveLength = LEDataLength(octets: 27, microseconds: 328)
        subrateFactor = 1
        continuationNumber = 0
    }

    /// Takes new parameters. With another interval, each event is used again.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 5.1.1
    package mutating func update(_ event: LEConnectionUpdateCompleteEvent) {
        if let interval, interval != event.interval { (subrateFactor, continuationNumber) = (1, 0) }
        interval = event.interval
        latency = event.latency
        supervisionTimeout = event.supervisionTimeout
    }

    package mutating func update(_ event: LESubrateChangeEvent) {
        subrateFactor = event.factor
        continuationNumber = event.continuationNumber
        latency = event.latency
        supervisionTimeout = event.supervisionTimeout
    }

    /// The same state, with what another source knows where this one knows nothing.
    public func completed(by other: LinkState) -> LinkState {
        var state = self
        state.role = role ?? other.role
        state.transmitPHY = transmitPHY ?? other.transmitPHY
        state.receivePHY = receivePHY ?? other.receivePHY
        state.transmitLength = transmitLength ?? other.transmitLength
        state.receiveLength = receiveLength ?? other.receiveLength
        state.interval = interval ?? other.interval
        state.latency = latency ?? other.latency
        state.supervisionTimeout = supervisionTimeout ?? other.supervisionTimeout
        state.subrateFactor = subrateFactor ?? other.subrateFactor
        state.continuationNumber = continuationNumber ?? other.continuationNumber
        state.peerFeatures = peerFeatures ?? other.peerFeatures
        state.peerVersion = peerVersion ?? other.peerVersion
        return state
    }
}
