// SPDX-License-Identifier: MIT

import Bluetooth

/// The ATT channel of a radio in another process.
struct RemoteATTChannel: ATTChannel, ForwardingChannel {
    let channel: RemoteChannel
    let link: RemotePacket.Link
    /// The machine that the link is one of; `nil` for the link of a session, whose security this process cannot change.
    var machine: RemoteMachine?

    var peer: DeviceAddress { link.peer }
    var connectionHandle: UInt16? { link.connectionHandle }
    var maximumMTU: UInt16 { link.maximumMTU }
    /// What the other process has told last.
    var security: LinkSecurity {
        connectionHandle.flatMap { machine?.state.security(of: $0) } ?? link.security
    }

    func send(_ packet: [UInt8]) throws(RadioError) {
        guard packet.count <= Int(link.maximumMTU) else {
            let cause = RadioError.Cause.packetTooLong(packet.count, limit: Int(link.maximumMTU))
            throw RadioError(cause, during: "link to \(peer.address)")
        }
        try channel.send(packet)
    }

    func raiseSecurity(to level: SecurityLevel) async throws(RadioError) {
        let operation = "encryption of the link to \(peer.address)"
        guard level > .low else { return }
        guard let machine, let connectionHandle else { throw RadioError(.unsupported, during: operation) }
        let request = RemoteRequest.raise(machine.member, link: connectionHandle, level)
        let raising = try machine.open(request, during: operation, lost: .linkLost(nil))
        defer { raising.close() }
        while true {
            if case .opened = try await raising.next() { return }
        }
    }
}
