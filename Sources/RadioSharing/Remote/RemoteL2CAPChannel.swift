// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// A credit-based channel of a radio in another process, which counts the credits. The connection between the processes
/// holds back a side that is too fast.
struct RemoteL2CAPChannel: DeferredFrames, ForwardingChannel {
    /// The units on the connection to the other process.
    let channel: RemoteUnits
    /// The description of the channel that the other process sent when it opened.
    let properties: RemotePacket.Channel
    /// Shows the frames of the channel; `nil` if nobody wants them.
    var frames: RemoteFrames?
    /// The number of the channel in its listener; 0 without one.
    var number: UInt32 = 0

    var peer: DeviceAddress { properties.peer }
    /// The handle of the link in the other process.
    var connectionHandle: UInt16? { properties.connectionHandle }
    var spsm: SPSM { properties.spsm }
    /// The largest unit that the device may send.
    var receiveMTU: UInt16 { properties.receiveMTU }
    /// The largest unit that the device accepts.
    var sendMTU: UInt16 { properties.sendMTU }
    /// The octets that the other process has not sent yet; 0 if it is an older one that does not tell.
    var unsentOctets: Int { channel.unsentOctets }

    /// Sends a unit as one packet. A unit that is too long is refused here.
    func send(_ packet: [UInt8]) throws(RadioError) {
        guard packet.count <= Int(sendMTU) else {
            let cause = RadioError.Cause.packetTooLong(packet.count, limit: Int(sendMTU))
            throw RadioError(cause, during: "channel \(spsm) to \(peer.address)")
        }
        try channel.send(packet)
    }

    func afterLastFrame(_ action: @escaping @Sendable () -> Void) {
        if let frames { frames.afterLast(number, action) } else { action() }
    }
}

/// The listener for credit-based channels in the other process.
struct RemoteL2CAPListener: L2CAPListener {
    let arrivals: RemoteArrivals
    /// Shows the frames of the channels; `nil` if nobody wants them.
    let frames: RemoteFrames?

    func accept() async throws(RadioError) -> any L2CAPChannel {
        try await arrivals.next(during: "channel", asking: RemoteRequest.acceptChannel, open)
    }

    /// Takes the channels that the other process announces, until it says that these are all.
    func acceptAll() async throws(RadioError) -> [any L2CAPChannel] {
        var channels: [any L2CAPChannel] = []
        while true {
            switch try await arrivals.channel.next() {
            case .central(let number) where channels.count < EnhancedChannelSignal.channelLimit:
                let ask = RemoteRequest.acceptChannel
                if let opened = try await arrivals.take(number, during: "channel", asking: ask, open) {
                    channels.append(opened)
                }
            case .opened: return channels
            default: break
            }
        }
    }

    private func open(
        _ channel: RemoteChannel,
        _ number: UInt32,
        _ deadline: Instant
    ) async throws(RadioError) -> RemoteL2CAPChannel {
        var opened = try await channel.openedL2CAP(of: arrivals.machine, by: deadline)
        (opened.frames, opened.number) = (frames, number)
        frames?.begin(number)
        return opened
    }

    /// Withdraws the service in the other process. The frames of accepted channels are still shown.
    func close() {
        arrivals.close()
        frames?.complete()
    }
}

extension L2CAPRequest {
    /// The same with units that fit into one packet between the processes.
    var betweenProcesses: L2CAPRequest {
        L2CAPRequest(spsm: spsm, mtu: min(mtu, UInt16(clamping: RemotePacket.maximumData)), security: security)
    }
}
