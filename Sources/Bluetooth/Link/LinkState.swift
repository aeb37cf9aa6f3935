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

    /// A connection of which nothing is known.
    public init() {}

    /// The state at the beginning of a connection. The limits of packets are those that every connection begins with.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 4.5.10
    init(_ event: LEConnectionCompleteEvent) {
        role = event.role
        interval = event.interval
        latency = event.latency
        supervisionTimeout = event.supervisionTimeout
        transmitLength = LEDataLength(octets: 27, microseconds: 328)
        receiveLength = LEDataLength(octets: 27, microseconds: 328)
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
        return state
    }
}

/// The states of all connections of a controller, as its events report them.
package struct LinkTracker: Sendable {
    /// The maximum number of connections that are kept. A real controller has fewer, and one that reports ever new
    /// handles must not fill the memory.
    private static let limit = 256

    private var states: [ConnectionHandle: LinkState] = [:]

    package init() {}

    /// The state of a connection; `nil` if no event was about it.
    package func state(of connection: ConnectionHandle) -> LinkState? { states[connection] }

    package mutating func received(_ event: HCIEvent) {
        switch event {
        case .known(let event as LEConnectionCompleteEvent): began(event)
        case .known(let event as LEEnhancedConnectionCompleteEvent): began(event.connection)
        case .known(let event as DisconnectionCompleteEvent) where event.status == .success:
            states[event.connection] = nil
        case .known(let event as LEConnectionUpdateCompleteEvent) where event.status == .success:
            change(event.connection) { state in
                state.interval = event.interval
                state.latency = event.latency
                state.supervisionTimeout = event.supervisionTimeout
            }
        case .known(let event as LEPHYUpdateCompleteEvent) where event.status == .success:
            change(event.connection) { state in
                state.transmitPHY = event.transmit
                state.receivePHY = event.receive
            }
        case .known(let event as LEDataLengthChangeEvent):
            change(event.connection) { state in
                state.transmitLength = event.transmit
                state.receiveLength = event.receive
            }
        default: break
        }
    }

    private mutating func began(_ event: LEConnectionCompleteEvent) {
        guard event.status == .success else { return }
        makeRoom()
        states[event.connection] = LinkState(event)
    }

    private mutating func change(_ connection: ConnectionHandle, _ change: (inout LinkState) -> Void) {
        if states[connection] == nil { makeRoom() }
        change(&states[connection, default: LinkState()])
    }

    private mutating func makeRoom() {
        // No controller has so many connections: its events are not credible, and nothing from them is kept.
        if states.count >= Self.limit { states = [:] }
    }
}
