// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The host's end of a link's ATT channel.
struct SimulatedATTChannel: ATTChannel {
    static let maximumMTU: UInt16 = 517

    let link: SimulatedLink
    let time: any TimeSource
    /// The adapter, whose kernel has the keys; `nil` for the link of a visitor.
    var adapter: SimulatedAdapter?

    /// The device at the other end, by the address that was connected to.
    var peer: DeviceAddress { link.peer }
    /// The link's handle at this adapter, which HCI commands name.
    var connectionHandle: UInt16? { link.handle.rawValue }
    /// The properties that the simulated kernel gives to every process.
    var linkState: LinkState {
        var state = LinkState()
        state.role = .central
        state.transmitPHY = link.currentShape.phy
        state.receivePHY = link.currentShape.phy
        return state
    }
    /// The largest MTU that the simulated kernel accepts, as that of Linux.
    var maximumMTU: UInt16 { Self.maximumMTU }
    var security: LinkSecurity { link.security }
    /// The PDUs that were dropped because the host was slow.
    var droppedCount: Int { link.received.droppedCount }

    func receive() async throws(RadioError) -> [UInt8] { try await link.received.next() }

    /// Hands a PDU to the link. Throws if the link has ended, or if the PDU is too long.
    func send(_ packet: [UInt8]) throws(RadioError) {
        guard packet.count <= Int(Self.maximumMTU) else {
            throw RadioError(.packetTooLong(packet.count, limit: Int(Self.maximumMTU)), during: link.operation)
        }
        try link.sendToDevice(packet, now: time.now)
    }

    /// Suspends until the controller has room.
    func drained() async throws(RadioError) { try await link.drained() }

    /// Uses the key of a bond. Takes the connection events of the encryption start procedure (Vol 6, Part B, 5.1.3).
    func raiseSecurity(to level: SecurityLevel) async throws(RadioError) {
        guard level > .low else { return }
        if let raising = adapter?.raising(link, to: level) { return try await raise(raising) }
        let wasEncrypted = security.isEncrypted
        if !wasEncrypted, security.hasBond { try? await time.sleep(for: link.currentShape.interval * 6) }
        // `try?` hides the cancellation of the sleep.
        if Task.isCancelled { throw RadioError(.cancelled, during: link.operation) }
        if let error = link.nearError { throw error }
        guard link.encrypt(for: level) else { throw RadioError(.unsupported, during: link.operation) }
    }

    /// Encrypts the link with the key of the kernel, if the device has the same.
    ///
    /// A device without the key refuses, and the kernel ends the link (Vol 6, Part B, 5.1.3.1). With another key,
    /// neither side understands the other (Vol 6, Part B, 5.1.3).
    private func raise(_ raising: SimulatedAdapter.Raising) async throws(RadioError) {
        switch raising {
        case .met: return
        case .noKey: throw RadioError(.unsupported, during: link.operation)
        case .key, .missing, .otherKey: break
        }
        try? await time.sleep(for: link.currentShape.interval * 6)
        if Task.isCancelled { throw RadioError(.cancelled, during: link.operation) }
        switch raising {
        case .met, .noKey: break
        // The link may have ended during the sleep.
        case .key(let security): if link.isOpen { link.become(security) }
        case .missing: link.closeByHost(.authenticationFailed)
        case .otherKey: link.closeByDevice(.connectionTerminatedDueToMICFailure)
        }
        if let error = link.nearError { throw error }
    }

    /// Ends the link from this side; does nothing if it is ending already.
    func hangUp(_ reason: RadioError) {
        // A link that is ending already keeps its reason; `closeByHost` would end the received PDUs with another one.
        if link.isOpen { link.closeByHost() }
    }

    /// Ends the channel. The link goes on if credit-based channels use it.
    func close() { link.closeATT() }
}
