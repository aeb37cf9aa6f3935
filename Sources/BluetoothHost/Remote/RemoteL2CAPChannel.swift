// SPDX-License-Identifier: MIT

import Bluetooth

/// A credit-based channel of a radio in another process, which counts the credits. The connection between the processes holds
/// back a side that is too fast.
struct RemoteL2CAPChannel: L2CAPChannel, ForwardingChannel {
    let channel: RemoteChannel
    let properties: RemotePacket.Channel

    var peer: DeviceAddress { properties.peer }
    var connectionHandle: UInt16? { properties.connectionHandle }
    var spsm: SPSM { properties.spsm }
    var receiveMTU: UInt16 { properties.receiveMTU }
    var sendMTU: UInt16 { properties.sendMTU }
    /// The other process sends what it has received before it closes the channel.
    var unsentOctets: Int { 0 }

    func send(_ packet: [UInt8]) throws(RadioError) {
        guard packet.count <= Int(sendMTU) else {
            let cause = RadioError.Cause.packetTooLong(packet.count, limit: Int(sendMTU))
            throw RadioError(cause, during: "channel \(spsm) to \(peer.address)")
        }
        try channel.send(packet)
    }
}

/// The listener for credit-based channels in the other process.
struct RemoteL2CAPListener: L2CAPListener {
    let arrivals: RemoteArrivals

    func accept() async throws(RadioError) -> any L2CAPChannel {
        try await arrivals.next(during: "channel", asking: RemoteRequest.acceptChannel) { channel throws(RadioError) in
            try await channel.openedL2CAP()
        }
    }

    func close() { arrivals.close() }
}

extension L2CAPRequest {
    /// The same with units that fit into one packet between the processes.
    var betweenProcesses: L2CAPRequest {
        L2CAPRequest(spsm: spsm, mtu: min(mtu, UInt16(clamping: RemotePacket.maximumData)), security: security)
    }
}
