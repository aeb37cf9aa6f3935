// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The far end of a link's ATT channel, for a guest or for a program that serves on another adapter.
final class FarATTChannel: ATTChannel {
    let link: SimulatedLink
    let peer: DeviceAddress
    /// The link's handle at this end; `nil` for a guest, which has no controller.
    let connectionHandle: UInt16?
    private let time: any TimeSource
    private let received = ReceiveBuffer()

    init(_ link: SimulatedLink, peer: DeviceAddress, handle: ConnectionHandle? = nil, time: any TimeSource) {
        self.link = link
        self.peer = peer
        self.time = time
        connectionHandle = handle?.rawValue
    }

    var maximumMTU: UInt16 { SimulatedATTChannel.maximumMTU }
    var security: LinkSecurity { link.security }
    var droppedCount: Int { received.droppedCount }

    func receive() async throws(RadioError) -> [UInt8] { try await received.next() }

    func send(_ packet: [UInt8]) throws(RadioError) {
        if let error = link.farError { throw error }
        guard packet.count <= Int(maximumMTU) else {
            throw RadioError(.packetTooLong(packet.count, limit: Int(maximumMTU)), during: link.operation)
        }
        link.sendToCentral(packet, now: time.now)
    }

    func drained() async throws(RadioError) {
        await link.drainedToCentral()
        if Task.isCancelled { throw RadioError(.cancelled, during: link.operation) }
        if let error = link.farError { throw error }
    }

    func hangUp(_ reason: RadioError) { link.closeByDevice(.remoteUserTerminatedConnection, reason.cause) }

    func close() {
        link.closeByDevice(.remoteUserTerminatedConnection)
        received.finish(link.farError ?? RadioError(.closedLocally, during: link.operation))
    }

    /// Takes a PDU from the near end.
    func deliver(_ packet: [UInt8]) { received.push(packet) }

    /// Ends the channel after the link.
    func end() { received.finish(link.farError ?? RadioError(.closedByPeer(nil), during: link.operation)) }
}
