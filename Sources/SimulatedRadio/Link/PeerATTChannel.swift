// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The far end of a link's ATT channel, for a visitor or for a program that serves on another adapter.
final class PeerATTChannel: ATTChannel {
    let link: SimulatedLink
    /// The adapter that has made the link.
    let peer: DeviceAddress
    /// The link's handle at this end; `nil` for a visitor, which has no controller.
    let connectionHandle: UInt16?
    private let time: any TimeSource
    /// The PDUs from the near end that were not read yet.
    private let received = ReceiveBuffer()

    init(_ link: SimulatedLink, peer: DeviceAddress, handle: ConnectionHandle? = nil, time: any TimeSource) {
        self.link = link
        self.peer = peer
        self.time = time
        connectionHandle = handle?.rawValue
    }

    /// The same limit as at the near end, because both are the same simulated kernel.
    var maximumMTU: UInt16 { SimulatedATTChannel.maximumMTU }
    /// Security belongs to the link, and both ends see the same.
    var security: LinkSecurity { link.security }
    /// The PDUs for which neither the queue nor the kernel's buffer had room.
    var droppedCount: Int { received.droppedCount }

    /// The next PDU; throws the reason of the end when all PDUs before it are read.
    func receive() async throws(RadioError) -> [UInt8] { try await received.next() }

    /// Hands a PDU to the link. Throws if the link has ended, or if the PDU is longer than the largest MTU.
    func send(_ packet: [UInt8]) throws(RadioError) {
        if let error = link.farError { throw error }
        guard packet.count <= Int(maximumMTU) else {
            throw RadioError(.packetTooLong(packet.count, limit: Int(maximumMTU)), during: link.operation)
        }
        link.sendToCentral(packet, now: time.now)
    }

    /// Suspends until the far controller has room.
    func drained() async throws(RadioError) {
        await link.drainedToCentral()
        if Task.isCancelled { throw RadioError(.cancelled, during: link.operation) }
        if let error = link.farError { throw error }
    }

    /// Ends the link as a peripheral that disconnects. `reason` is what this end reports as the cause.
    func hangUp(_ reason: RadioError) { link.closeByDevice(.remoteUserTerminatedConnection, reason.cause) }

    /// Ends the link, even if credit-based channels use it.
    func close() {
        link.closeByDevice(.remoteUserTerminatedConnection)
        received.finish(link.farError ?? RadioError(.closedLocally, during: link.operation))
    }

    func deliver(_ packet: [UInt8]) { received.push(packet) }

    /// Ends the channel after the link.
    func end() { received.finish(link.farError ?? RadioError(.closedByPeer(nil), during: link.operation)) }
}
