// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The links and channels that devices open to a radio in another process.
///
/// The other process numbers them in the order of their arrival. Each is taken over a separate connection.
struct RemoteArrivals: Sendable {
    /// The channel on which the numbers arrive.
    let channel: RemoteChannel
    let machine: RemoteMachine

    /// The time that the other process has to give a link that it has announced.
    private static let takeoverTimeout = Duration.seconds(5)

    /// Takes the next one, which `open` gets with its number and a deadline. Throws the reason why no more can come.
    func next<Opened: Sendable>(
        during operation: String,
        asking request: (RemoteRequest.Member, UInt32) -> RemoteRequest,
        _ open: (RemoteChannel, UInt32, Instant) async throws(RadioError) -> Opened
    ) async throws(RadioError) -> Opened {
        while true {
            guard case .central(let number) = try await channel.next() else { continue }
            if let opened = try await take(number, during: operation, asking: request, open) { return opened }
        }
    }

    /// Takes the one of that number; `nil` if it has ended in the meantime, which does not end the listening.
    func take<Opened: Sendable>(
        _ number: UInt32,
        during operation: String,
        asking request: (RemoteRequest.Member, UInt32) -> RemoteRequest,
        _ open: (RemoteChannel, UInt32, Instant) async throws(RadioError) -> Opened
    ) async throws(RadioError) -> Opened? {
        let accepted = try machine.open(request(machine.member, number), during: operation, lost: .linkLost(nil))
        return try? await open(accepted, number, machine.time.now + Self.takeoverTimeout)
    }

    /// Ends the listening in the other process.
    func close() { channel.close() }
}

extension RemoteChannel {
    /// The ATT channel, when the other process has opened it. Throws the error that the other process sends instead.
    func opened(of machine: RemoteMachine, by deadline: Instant) async throws(RadioError) -> RemoteATTChannel {
        try await opening(by: deadline, machine.time) { packet in
            guard case .connected(let link) = packet else { return nil }
            // A guest shares the link and must not change its security.
            let isGuest = machine.member == RemoteRequest.guest
            return RemoteATTChannel(
                channel: self,
                link: link,
                machine: isGuest ? nil : machine,
                enhancedBearerLimit: isGuest ? 0 : min(Int(self.finishedCount ?? 0), EnhancedChannelSignal.channelLimit)
            )
        }
    }

    /// The credit-based channel, when the other process has opened it. Throws the error that the other process sends
    /// instead. The units are taken until the end of the channel, or of the machine's scope.
    func openedL2CAP(of machine: RemoteMachine, by deadline: Instant) async throws(RadioError) -> RemoteL2CAPChannel {
        let opened = try await opening(by: deadline, machine.time) { packet -> RemoteL2CAPChannel? in
            guard case .channel(let properties) = packet else { return nil }
            return RemoteL2CAPChannel(channel: RemoteUnits(self), properties: properties)
        }
        guard let scope = machine.scope, opened.channel.takeAll(in: scope) else {
            close()
            throw RadioError(.cancelled, during: "channel")
        }
        return opened
    }

    /// Waits for the packet that announces an open link or channel. If it does not come in time, or the channel ends,
    /// the channel is closed. The other process has a deadline of its own, but it may hang.
    private func opening<Opened: Sendable>(
        by deadline: Instant,
        _ time: any TimeSource,
        _ open: @escaping @Sendable (RemotePacket) -> Opened?
    ) async throws(RadioError) -> Opened {
        do {
            let opened = try await untilDeadline(deadline, time) {
                while true {
                    if let opened = open(try await self.next()) { return opened }
                }
            }
            guard let opened else { throw RadioError(.connectTimedOut, during: operation) }
            return opened
        } catch {
            close()
            throw error as? RadioError ?? RadioError(.cancelled, during: operation)
        }
    }
}
