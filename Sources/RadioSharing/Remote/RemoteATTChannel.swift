// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The ATT channel of a radio in another process.
struct RemoteATTChannel: ATTChannel, ForwardingChannel {
    /// The connection to the other process, which carries the PDUs.
    let channel: RemoteChannel
    /// The description of the link that the other process sent when it was made.
    let link: RemotePacket.Link
    /// The machine that the link is one of; `nil` for the link of a session, whose security this process cannot change.
    var machine: RemoteMachine?

    var peer: DeviceAddress { link.peer }
    /// The handle of the link in the other process.
    var connectionHandle: UInt16? { link.connectionHandle }
    /// The largest MTU that the other process can receive.
    var maximumMTU: UInt16 { link.maximumMTU }
    /// The security that the other process sent last.
    var security: LinkSecurity {
        connectionHandle.flatMap { machine?.state.security(of: $0) } ?? link.security
    }

    /// Sends a PDU to the other process. A PDU that is too long is refused here, with the error that a local
    /// channel has.
    func send(_ packet: [UInt8]) throws(RadioError) {
        guard packet.count <= Int(link.maximumMTU) else {
            let cause = RadioError.Cause.packetTooLong(packet.count, limit: Int(link.maximumMTU))
            throw RadioError(cause, during: "link to \(peer.address)")
        }
        try channel.send(packet)
    }

    /// Asks the other process to raise the security, over a separate connection.
    ///
    /// Throws `unsupported` for the link of a session: its owner decides about its security.
    func raiseSecurity(to level: SecurityLevel) async throws(RadioError) {
        let operation = "encryption of the link to \(peer.address)"
        guard level > .low else { return }
        guard let machine, let connectionHandle else { throw RadioError(.unsupported, during: operation) }
        let request = RemoteRequest.raise(machine.member, link: connectionHandle, level)
        let raising = try machine.open(request, during: operation, lost: .linkLost(nil))
        defer { raising.close() }
        while true {
            // Other packets are news of the link's security, which the channel has taken already.
            if case .opened = try await raising.next() { return }
        }
    }
}
