// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// The packets of a process on their way to a channel of the radio.
///
/// One task receives them and another one sends them, so that the end of the process is seen even while the channel has
/// no room for the next one.
final class ProcessPackets: Sendable {
    /// What has become of the octets of the process.
    private struct State {
        /// The number of octets that were sent, modulo 2^32.
        var sent: UInt32 = 0
        /// The last number that was sent to the process.
        var reported: UInt32 = 0
    }

    /// The reason why a part of the work has ended.
    private enum Ending {
        case processGone
        /// Everything was sent, and no more follows.
        case sentAll
        /// The radio's channel does not take more.
        case channelFailed
        /// The time of the process is up.
        case late
    }

    /// The number of packets that wait for the radio's channel before the process is held back.
    private static let limit = 64

    private let remote: any PacketChannel
    private let local: any PacketChannel
    private let time: any TimeSource
    /// Whether the process learns how many of its octets were sent.
    private let isCounted: Bool
    /// The packets that were received and not sent yet.
    private let packets = PacketQueue(limit: limit, overflow: .pauseProducer)
    /// Holds the process back while the queue is full.
    private let holdBack = ReceiveThrottle()
    /// Ends when nothing more is sent.
    private let sending = AsyncStream<Never>.makeStream()
    /// Signals that the count has changed. Only the latest signal matters.
    private let counts = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    /// Behind a lock, because two tasks tell the process the count.
    private let state = Mutex(State())

    /// Carries nothing yet.
    ///
    /// - Parameters:
    ///   - remote: The connection to the process.
    ///   - local: The radio's channel. If it is a credit-based one, the process learns how much of its octets was sent,
    ///     so that it does not close the channel before.
    ///   - time: The clock of the deadlines.
    init(from remote: any PacketChannel, to local: any PacketChannel, _ time: any TimeSource) {
        self.remote = remote
        self.local = local
        self.time = time
        isCounted = local is any L2CAPChannel
    }

    /// Carries packets until the process closes its connection, or the radio's channel has ended.
    ///
    /// A process may end after its last packet: the channel has two seconds to take the packets from before the end.
    ///
    /// - Parameter close: Closes the radio's channel. Not called if the channel has failed, because it may have
    ///   received packets that nobody has read yet.
    func carry(thenClosing close: @Sendable () -> Void) async {
        async let acknowledging: Void = acknowledge()
        let hasFailed = await withTaskGroup(of: Ending.self) { group in
            group.addTask { await self.take() }
            group.addTask { await self.sendAll() }
            let first = await group.next()
            switch first {
            case .processGone?:
                group.addTask { [time] in
                    try? await time.sleep(for: RemoteRadioServer.farewellTimeout)
                    return .late
                }
                _ = await group.next()
            // The process closes its connection when it knows that the channel has ended.
            case .sentAll?: _ = await group.next()
            case .channelFailed?, .late?, nil: break
            }
            group.cancelAll()
            return first == .channelFailed
        }
        if !hasFailed { close() }
        counts.continuation.finish()
        await acknowledging
    }

    /// The radio's channel has ended: waits until it is certain what was sent, and tells the process. The reason of the
    /// end can follow then.
    func settle() async {
        packets.finish(RadioError(.closedByPeer(nil), during: "channel of a process"))
        let limit = time.now + RemoteRadioServer.farewellTimeout
        _ = try? await untilDeadline(limit, time) { [sending] in for await _ in sending.stream {} }
        try? sendCount()
    }

    // MARK: - Tasks

    /// Receives packets until the process closes its connection.
    private func take() async -> Ending {
        var isThere = true
        while let received = try? await remote.receiveWaiting() {
            packets.push(contentsOf: Array(received))
            // What has arrived from a process that has gone is little, and its end comes after that.
            if isThere, packets.isFull { isThere = await hasRoom() }
        }
        packets.finish(RadioError(.closedByPeer(nil), during: "channel of a process"))
        return .processGone
    }

    /// Waits for room in the queue. Returns `false` if the process has gone meanwhile, or if the task was cancelled.
    private func hasRoom() async -> Bool {
        do {
            while packets.isFull {
                try await untilDeadline(time.now + RemoteRadioServer.farewellTimeout, time) { [holdBack, packets] in
                    await holdBack.wait(for: packets)
                }
                guard packets.isFull else { break }
                // The end of a connection comes after its packets, which are not received now. Sending shows it at
                // once, and the process knows this number already.
                try remote.send(RemotePacket.dropped(UInt32(clamping: local.droppedCount)).encoded())
                _ = try await until({ [holdBack, packets] in await holdBack.wait(for: packets) }) { [remote] in
                    try await remote.drained()
                }
            }
            return true
        } catch {
            return false
        }
    }

    /// Sends packets until there are no more, or the radio's channel fails.
    private func sendAll() async -> Ending {
        defer { sending.continuation.finish() }
        while let packet = try? await packets.next() {
            do throws(RadioError) {
                try local.send(packet)
                try await local.drained()
            } catch {
                // The radio's channel ends with its error.
                local.hangUp(error)
                return .channelFailed
            }
            state.withLock { $0.sent &+= UInt32(truncatingIfNeeded: packet.count) }
            if isCounted { counts.continuation.yield() }
        }
        return .sentAll
    }

    /// Tells the process how many of its octets were sent. A process that does not read gets the newest number later.
    private func acknowledge() async {
        for await _ in counts.stream {
            do throws(RadioError) {
                try sendCount()
                try await remote.drained()
            } catch {
                return
            }
        }
    }

    /// Sends the process the number of its octets that were sent, unless it has it.
    private func sendCount() throws(RadioError) {
        guard isCounted else { return }
        // Sent under the lock, so that an older number cannot come after a newer one.
        try state.withLock { state throws(RadioError) in
            guard state.reported != state.sent else { return }
            state.reported = state.sent
            try remote.send(RemotePacket.finished(state.sent).encoded())
        }
    }
}
