// SPDX-License-Identifier: MIT

import BluetoothHost

/// The links and channels that devices open to a radio in another process.
///
/// The other process numbers them in the order of their arrival. Each is taken over a separate connection.
struct RemoteArrivals: Sendable {
    /// The channel on which the numbers arrive.
    let channel: RemoteChannel
    /// The machine that the links belong to.
    let machine: RemoteMachine

    /// Takes the next one, which `open` gets with its number. Throws the reason why no more can come.
    func next<Opened: Sendable>(
        during operation: String,
        asking request: (RemoteRequest.Member, UInt32) -> RemoteRequest,
        _ open: (RemoteChannel, UInt32) async throws(RadioError) -> Opened
    ) async throws(RadioError) -> Opened {
        while true {
            guard case .central(let number) = try await channel.next() else { continue }
            let accepted = try machine.open(request(machine.member, number), during: operation, lost: .linkLost(nil))
            // A link that has ended in the meantime does not end the listening.
            if let opened = try? await open(accepted, number) { return opened }
        }
    }

    /// Ends the listening in the other process.
    func close() { channel.close() }
}

extension RemoteChannel {
    /// The ATT channel, when the other process has opened it. Throws the error that the other process sends instead.
    ///
    /// - Parameter machine: The machine of the link; `nil` if the link is lent.
    func opened(of machine: RemoteMachine? = nil) async throws(RadioError) -> RemoteATTChannel {
        try await opening { packet in
            guard case .connected(let link) = packet else { return nil }
            return RemoteATTChannel(channel: self, link: link, machine: machine)
        }
    }

    /// The credit-based channel, when the other process has opened it. Throws the error that the other process sends
    /// instead. The units are taken until the end of the channel, or of the machine's scope.
    func openedL2CAP(of machine: RemoteMachine) async throws(RadioError) -> RemoteL2CAPChannel {
        let opened = try await opening { packet -> RemoteL2CAPChannel? in
            guard case .channel(let properties) = packet else { return nil }
            return RemoteL2CAPChannel(channel: RemoteUnits(self), properties: properties)
        }
        guard let scope = machine.scope, opened.channel.takeAll(in: scope) else {
            close()
            throw RadioError(.cancelled, during: "channel")
        }
        return opened
    }

    /// Waits for the packet that announces an open link or channel. Any other packet is an error, which closes the
    /// channel.
    private func opening<Opened>(_ open: (RemotePacket) -> Opened?) async throws(RadioError) -> Opened {
        do throws(RadioError) {
            while true {
                if let opened = open(try await next()) { return opened }
            }
        } catch {
            close()
            throw error
        }
    }
}
