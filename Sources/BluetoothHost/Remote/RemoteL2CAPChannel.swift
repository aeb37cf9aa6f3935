// SPDX-License-Identifier: MIT

import Bluetooth

/// A credit-based channel of a radio in another process, which counts the credits. The connection between the processes
/// holds back a side that is too fast.
struct RemoteL2CAPChannel: L2CAPChannel, ForwardingChannel {
    /// The connection to the other process, which carries the units.
    let channel: RemoteChannel
    /// The description of the channel that the other process sent when it opened.
    let properties: RemotePacket.Channel

    /// The device at the other end of the channel.
    var peer: DeviceAddress { properties.peer }
    /// The handle of the link in the other process.
    var connectionHandle: UInt16? { properties.connectionHandle }
    /// The service of the channel.
    var spsm: SPSM { properties.spsm }
    /// The largest unit that the device may send.
    var receiveMTU: UInt16 { properties.receiveMTU }
    /// The largest unit that the device accepts.
    var sendMTU: UInt16 { properties.sendMTU }
    /// The other process sends all received data before it closes the channel.
    var unsentOctets: Int { 0 }

    /// Sends a unit as one packet. A unit that is too long is refused here.
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
    /// The channels that devices have opened.
    let arrivals: RemoteArrivals

    /// Takes over the next channel.
    func accept() async throws(RadioError) -> any L2CAPChannel {
        try await arrivals.next(during: "channel", asking: RemoteRequest.acceptChannel) { channel throws(RadioError) in
            try await channel.openedL2CAP()
        }
    }

    /// Withdraws the service in the other process.
    func close() { arrivals.close() }
}

extension L2CAPRequest {
    /// The same with units that fit into one packet between the processes.
    var betweenProcesses: L2CAPRequest {
        L2CAPRequest(spsm: spsm, mtu: min(mtu, UInt16(clamping: RemotePacket.maximumData)), security: security)
    }
}
