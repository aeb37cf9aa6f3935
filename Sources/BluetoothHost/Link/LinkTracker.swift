// SPDX-License-Identifier: MIT

package import Bluetooth

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
            change(event.connection) { $0.update(event) }
        case .known(let event as LESubrateChangeEvent) where event.status == .success:
            change(event.connection) { $0.update(event) }
        case .known(let event as LEReadRemoteFeaturesCompleteEvent) where event.status == .success:
            change(event.connection) { $0.peerFeatures = event.features }
        case .known(let event as ReadRemoteVersionInformationCompleteEvent) where event.status == .success:
            change(event.connection) { $0.peerVersion = event }
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
