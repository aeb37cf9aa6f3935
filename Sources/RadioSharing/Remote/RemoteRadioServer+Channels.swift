// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

// The credit-based channels of machines.
extension RemoteRadioServer {
    /// Opens a channel for a process, and carries its units until it ends.
    ///
    /// - Parameter frames: Shows the frames of the channel to the process; `nil` if it does not want them.
    func connectChannel(
        to device: DeviceAddress,
        _ request: L2CAPRequest,
        of member: RemoteRequest.Member,
        _ timeout: Duration,
        shownTo frames: TracedFrames?,
        for channel: any PacketChannel
    ) async throws(RadioError) {
        let deadline = time.now + timeout
        let local: any L2CAPChannel
        do throws(RadioError) {
            let radio = try radio(of: member)
            local = try await attempt("channel to \(device.address)", for: channel) { () throws(RadioError) in
                try await radio.connectL2CAP(to: device, request, deadline: deadline, onFrame: frames?.observer)
            } close: {
                $0.close()
            }
        } catch {
            frames?.finish(0)
            throw error
        }
        try await handOver(local, as: .channel(.init(local)), to: channel, whenClosed: { frames?.finish(0) })
    }

    /// Offers a service for a process, until it closes its connection.
    func offer(
        _ request: L2CAPRequest,
        of member: RemoteRequest.Member,
        shownTo frames: TracedFrames?,
        on channel: any PacketChannel
    ) async throws(RadioError) {
        let channels = try radio(of: member).listenL2CAP(request, onFrame: frames?.observer)
        defer { channels.close() }
        try await listen(on: channel, of: member) { (listener) async throws(RadioError) in
            let opened = OpenedChannel(channel: try await channels.accept(), frames: frames)
            try await self.offer(opened, to: member, on: listener)
        }
    }

    /// Gives a process a channel that a device has opened to its service.
    func accept(_ opened: OpenedChannel, _ number: UInt32, for channel: any PacketChannel) async throws(RadioError) {
        let opening = RemotePacket.channel(.init(opened.channel))
        try await handOver(opened.channel, as: opening, to: channel, whenClosed: { opened.frames?.finish(number) })
    }

    /// Opens enhanced bearers of a link for a process, or takes those that the peer opens if the count is 0, and keeps each
    /// until the process takes it over.
    func bearers(
        _ count: Int,
        of link: UInt16,
        _ member: RemoteRequest.Member,
        shownTo frames: TracedFrames?,
        on channel: any PacketChannel
    ) async throws(RadioError) {
        let operation = "enhanced bearers of a link"
        guard let local = links(of: member)?.channel(link) else { throw RadioError(.closedLocally, during: operation) }
        if let frames { local.observeEnhancedBearers(frames.observer) }
        guard count > 0 else {
            return try await listen(on: channel, of: member) { (listener) async throws(RadioError) in
                let opened = OpenedChannel(channel: try await local.acceptEnhancedBearer(), frames: frames)
                try await self.offer(opened, to: member, on: listener)
            }
        }
        let opened = try await attempt(operation, for: channel) { () throws(RadioError) in
            try await local.openEnhancedBearers(count)
        } close: { late in
            for bearer in late { bearer.close() }
        }
        try await announce(opened.map { OpenedChannel(channel: $0, frames: frames) }, to: member, on: channel)
    }

    /// Shows a process the frames of the channels whose requests name its observer.
    func show(_ frames: TracedFrames, on channel: any PacketChannel) async throws(RadioError) {
        try channel.send(RemotePacket.opened.encoded())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await frames.carry(to: channel) }
            group.addTask { await Self.untilEnd(of: channel) }
            await group.next()
            group.cancelAll()
        }
    }
}

/// A credit-based channel that a device has opened, and that waits for the process that offers the service.
struct OpenedChannel: Sendable {
    let channel: any L2CAPChannel
    /// Shows the frames of the channel; `nil` if the process does not want them.
    let frames: TracedFrames?
}
