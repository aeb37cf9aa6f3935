// SPDX-License-Identifier: MIT

import Bluetooth

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
        links.add(local)
        defer { links.remove(local) }
        let reader = RemoteLinks.Reader(links)
        let news = reader.news()
        let opening = RemotePacket.connected(.init(local))
        try await handOver(local, as: opening, after: news, to: remote, announcement: { reader.news() })
    }

    /// Confirms to the process that the radio's channel is open, and carries packets between them until one of them
    /// ends. Then the radio's channel is closed, even if the process has gone before.
    ///
    /// - Parameters:
    ///   - announcement: The packets to send before those of the channel.
    ///   - whenClosed: Called when the radio's channel was closed, before anything else happens to it; perhaps twice.
    func handOver(
        _ local: any PacketChannel,
        as opening: RemotePacket,
        after news: [RemotePacket] = [],
        to remote: any PacketChannel,
        announcement: @escaping @Sendable () async -> [RemotePacket] = { [] },
        whenClosed: @escaping @Sendable () -> Void = {}
    ) async throws(RadioError) {
        // On every way out: a process that ends while its link is made must not leave the link open.
        defer {
            local.close()
            whenClosed()
        }
        // The process of a credit-based channel learns what was sent, so that it does not close the channel before.
        let acknowledgement: [RemotePacket] = local is any L2CAPChannel ? [.finished(0)] : []
        for packet in news + acknowledgement + [opening] { try remote.send(packet.encoded()) }
        await carry(local, to: remote, announcement: announcement, whenClosed: whenClosed)
    }

    /// Carries packets in both directions until one of them ends. The other one then has two seconds for its
    /// last packets.
    private func carry(
        _ local: any PacketChannel,
        to remote: any PacketChannel,
        announcement: @escaping @Sendable () async -> [RemotePacket],
        whenClosed: @escaping @Sendable () -> Void
    ) async {
        let time = time
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do throws(RadioError) {
                    try await Self.carryBack(local, remote, announcement)
                } catch {
                    // If the process itself closes its side, there is no error to send.
                    await self.end(remote, error)
                }
            }
            group.addTask {
                guard local is any L2CAPChannel else { return await Self.carryThere(remote, local, whenClosed) }
                let (counts, continuation) = AsyncStream<UInt32>.makeStream(bufferingPolicy: .bufferingNewest(1))
                // Ends with the packets of the process.
                async let acknowledging: Void = Self.acknowledge(counts, remote)
                await Self.carryThere(remote, local, whenClosed) { continuation.yield($0) }
                continuation.finish()
                await acknowledging
            }
            await group.next()
            // The other direction ends because the radio's channel and the process's are both closing. There is no wait
            // for a process that does not read the rest.
            group.addTask { try? await time.sleep(for: Self.farewellTimeout) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Carries packets to the process, after the announcement that belongs to them.
    private static func carryBack(
        _ local: any PacketChannel,
        _ remote: any PacketChannel,
        _ announcement: @Sendable () async -> [RemotePacket]
    ) async throws(RadioError) {
        var dropped = 0
        while true {
            let packets = try await local.receiveAged()
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
        }
    }

    /// Tells the process how many of its octets were sent. A process that does not read gets the newest number later.
    private static func acknowledge(_ counts: AsyncStream<UInt32>, _ remote: any PacketChannel) async {
        for await count in counts {
            guard (try? remote.send(RemotePacket.finished(count).encoded())) != nil else { return }
            guard (try? await remote.drained()) != nil else { return }
        }
    }

    /// Carries the packets of the process until it closes its connection. Packets that it has sent before still go out.
    ///
    /// - Parameter whenSent: Called with the number of octets that were sent until then, modulo 2^32.
    private static func carryThere(
        _ remote: any PacketChannel,
        _ local: any PacketChannel,
        _ whenClosed: @Sendable () -> Void,
        whenSent: @Sendable (UInt32) -> Void = { _ in }
    ) async {
        var octets: UInt32 = 0
        do throws(RadioError) {
            while true {
                for packet in try await remote.receiveWaiting() {
                    do throws(RadioError) {
                        try local.send(packet)
                        try await local.drained()
                        octets &+= UInt32(truncatingIfNeeded: packet.count)
                        whenSent(octets)
                    } catch {
                        // The radio's channel ends with its error.
                        local.hangUp(error)
                        return
                    }
                }
            }
        } catch {
            try? await local.drained()
            local.close()
            whenClosed()
        }
    }

    /// Sends the process the reason of the channel's end.
    func end(_ channel: any PacketChannel, _ error: RadioError) async {
        guard (try? channel.send(RemotePacket.ended(error).encoded())) != nil else { return }
        _ = try? await untilDeadline(time.now + Self.farewellTimeout, time) { try await channel.drained() }
    }
}
