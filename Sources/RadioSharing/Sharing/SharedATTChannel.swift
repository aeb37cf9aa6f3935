// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The channel of one client of a shared link.
struct SharedATTChannel: ATTChannel {
    let id: SharedLink.ClientID
    let link: SharedLink
    /// Whether it is the channel of the owner, which decides about the link and its security.
    let isOwner: Bool
    /// The channel of the present link, with which this one ends.
    let device: any ATTChannel
    let queue: BoundedQueue<SharedLink.Delivery>

    var peer: DeviceAddress { device.peer }
    var connectionHandle: UInt16? { device.connectionHandle }
    var linkState: LinkState { device.linkState }
    var maximumMTU: UInt16 { device.maximumMTU }
    var security: LinkSecurity { device.security }
    /// The values that were dropped for this client, because it reads slowly.
    var droppedCount: Int { queue.droppedCount }

    func receive() async throws(RadioError) -> [UInt8] { try await queue.next().pdu }

    /// All PDUs that wait for this client, at least one.
    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> {
        try await queue.next(atMost: .max).map(\.pdu)[...]
    }

    /// The same with their ages. Values that were kept have one.
    func receiveAged() async throws(RadioError) -> [TimestampedPacket] {
        let waiting = try await queue.next(atMost: .max)
        let now = link.now
        return waiting.map { TimestampedPacket($0.pdu, age: $0.arrival.map { now - $0 } ?? .zero) }
    }

    /// Gives a PDU to the shared link, which sends it when it is this client's turn.
    func send(_ packet: [UInt8]) throws(RadioError) { link.send(packet, from: id) }
    /// Suspends until the link below has room. Commands of all clients share it.
    func drained() async throws(RadioError) { try await device.drained() }

    /// Raises the security of the link for all clients. Throws `unsupported` for a guest: a guest has no guard, and the
    /// kernel would pair with any device.
    func raiseSecurity(to level: SecurityLevel) async throws(RadioError) {
        guard isOwner else { throw RadioError(.unsupported, during: "encryption of the link to \(peer.address)") }
        try await device.raiseSecurity(to: level)
    }

    /// Guests have none of their own: their requests go over those of the owner.
    var enhancedBearerLimit: Int { isOwner ? device.enhancedBearerLimit : 0 }

    func openEnhancedBearers(_ count: Int) async throws(RadioError) -> [any L2CAPChannel] {
        isOwner ? try await link.openBearers(count, on: device) : []
    }

    /// Leaves the shared link. It goes on without a guest, and ends with its owner: the owner closes a link that has
    /// not the security that it needs, and guests must not use that either.
    func close() {
        link.leave(id)
        if isOwner { device.hangUp(RadioError(.closedLocally, during: "connection to \(peer.address)")) }
    }
}

/// A share of the bearers of a link, for the owner of the link.
struct SharedBearerChannel: L2CAPChannel {
    let id: SharedLink.ClientID
    let link: SharedLink
    let peer: DeviceAddress
    let mtu: UInt16
    let queue: BoundedQueue<SharedLink.Delivery>

    var connectionHandle: UInt16? { link.connectionHandle }
    var spsm: SPSM { .enhancedATT }
    var receiveMTU: UInt16 { mtu }
    var sendMTU: UInt16 { mtu }
    var unsentOctets: Int { 0 }
    var droppedCount: Int { queue.droppedCount }

    func receive() async throws(RadioError) -> [UInt8] { try await queue.next().pdu }
    func send(_ packet: [UInt8]) throws(RadioError) { link.send(packet, from: id) }
    func drained() async throws(RadioError) {}
    func close() { link.leave(id) }
}
