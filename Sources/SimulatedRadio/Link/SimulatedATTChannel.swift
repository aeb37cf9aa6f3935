// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The host's end of a link's ATT channel.
struct SimulatedATTChannel: ATTChannel {
    /// The largest ATT_MTU of the channel.
    static let maximumMTU: UInt16 = 517

    let link: SimulatedLink
    let time: any TimeSource

    var peer: DeviceAddress { link.peer }
    var connectionHandle: UInt16? { link.handle.rawValue }
    var maximumMTU: UInt16 { Self.maximumMTU }
    var security: LinkSecurity { link.parameters.security }
    var droppedCount: Int { link.received.droppedCount }

    func receive() async throws(RadioError) -> [UInt8] { try await link.received.next() }

    func send(_ packet: [UInt8]) throws(RadioError) {
        guard packet.count <= Int(Self.maximumMTU) else {
            throw RadioError(.packetTooLong(packet.count, limit: Int(Self.maximumMTU)), during: link.operation)
        }
        try link.sendToDevice(packet, now: time.now)
    }

    func drained() async throws(RadioError) { try await link.drained() }

    func hangUp(_ reason: RadioError) {
        if link.isOpen { link.closeByHost() }
    }

    func close() { link.closeByHost() }
}
