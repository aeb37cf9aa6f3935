// SPDX-License-Identifier: MIT

import Bluetooth
package import BluetoothHost
import Synchronization

// The packets of a channel, between the radio and a process.
extension RemoteRadioServer {
    /// Gives the process the ATT channel of one of its machine's links, with the news of the link's security.
    func handOver(
        _ local: any ATTChannel,
        of member: RemoteRequest.Member,
        to remote: any PacketChannel
    ) async throws(RadioError) {
        // Guests have no machine.
        let links = links(of: member) ?? RemoteLinks()
        let id = links.add(local)
        defer { links.remove(id) }
        let reader = RemoteLinks.Reader(links)
        let limit = UInt32(clamping: local.enhancedBearerLimit)
        let news = reader.news() + (limit > 0 ? [.finished(limit)] : [])
        let opening = RemotePacket.connected(.init(local))
        try await handOver(local, as: opening, after: news, to: remote, announcement: { reader.news() })
    }

    /// Confirms to the process that the radio's channel is open, and carries packets between them until one of them
    /// ends. Then the radio's channel is closed, even if the process has gone before.
    ///
    /// - Parameters:
    ///   - announcement: The packets to send before those of the channel.
    ///   - whenClosed: Called once, when the radio's channel was closed, before anything else happens to it.
    func handOver(
        _ local: any PacketChannel,
        as opening: RemotePacket,
        after news: [RemotePacket] = [],
        to remote: any PacketChannel,
        announcement: @escaping @Sendable () async -> [RemotePacket] = { [] },
        whenClosed: @escaping @Sendable () -> Void = {}
    ) async throws(RadioError) {
        let isClosed = Atomic(false)
        let close: @Sendable () -> Void = {
            guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
            local.close()
            whenClosed()
        }
        // On every way out: a process that ends while its link is made must not leave the link open.
        defer { close() }
        // The process of a credit-based channel learns what was sent, so that it does not close the channel before.
        let acknowledgement: [RemotePacket] = local is any L2CAPChannel ? [.finished(0)] : []
        for packet in news + acknowledgement + [opening] { try remote.send(packet.encoded()) }
        await carry(local, to: remote, announcement: announcement, close: close)
    }

    /// Carries packets in both directions until one of them ends. The other one then has two seconds for its
    /// last packets.
    private func carry(
        _ local: any PacketChannel,
        to remote: any PacketChannel,
        announcement: @escaping @Sendable () async -> [RemotePacket],
        close: @escaping @Sendable () -> Void
    ) async {
        let time = time
        let packets = ProcessPackets(from: remote, to: local, time)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                guard let reason = await Self.carryBack(local, remote, announcement) else { return }
                await packets.settle()
                // If the process itself closes its side, there is no error to send.
                await self.end(remote, reason)
            }
            group.addTask { await packets.carry(thenClosing: close) }
            await group.next()
            // The other direction ends because the radio's channel and the process's are both closing. There is no wait
            // for a process that does not read the rest.
            group.addTask { try? await time.sleep(for: Self.farewellTimeout) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Carries packets to the process, after the announcement that belongs to them. Returns the reason why the radio's
    /// channel has ended; `nil` if it is the process that has gone.
    private static func carryBack(
        _ local: any PacketChannel,
        _ remote: any PacketChannel,
        _ announcement: @Sendable () async -> [RemotePacket]
    ) async -> RadioError? {
        var dropped = 0
        while true {
            let packets: [TimestampedPacket]
            do throws(RadioError) {
                packets = try await local.receiveAged()
            } catch {
                return error
            }
            do throws(RadioError) {
                for packet in await announcement() { try remote.send(packet.encoded()) }
                let now = local.droppedCount
                if now != dropped {
                    dropped = now
                    try remote.send(RemotePacket.dropped(UInt32(clamping: now)).encoded())
                }
                for packet in packets.prefix(while: { $0.bytes.count <= RemotePacket.maximumData }) {
                    let isNew = packet.age == .zero
                    let sent = isNew ? RemotePacket.data(packet.bytes) : .kept(packet.bytes, age: packet.age)
                    try remote.send(sent.encoded())
                }
                // While the process does not read, packets wait in the channel, which drops packets like a real one.
                try await remote.drained()
            } catch {
                // The channel has not ended, and the process gets nothing more.
                return error.cause == .cancelled ? error : nil
            }
        }
    }

    /// Sends the process the reason of the channel's end.
    func end(_ channel: any PacketChannel, _ error: RadioError) async {
        guard (try? channel.send(RemotePacket.ended(error).encoded())) != nil else { return }
        _ = try? await untilDeadline(time.now + Self.farewellTimeout, time) { try await channel.drained() }
    }
}

/// All packets of a process that shares its radio or a world, from now on: each a record of btsnoop with the datalink of
/// the Linux monitor. Throws a `RadioError` if the process cannot be reached.
package func remoteCapture(by connector: any RemoteConnector) throws(RadioError) -> any PacketChannel {
    try RemoteChannel(.capture, by: connector, during: "capture", lost: .closedByPeer(nil))
}
