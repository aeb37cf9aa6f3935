// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// A user's channel to the controller. As on the kernel's raw sockets, each sees all events, and the commands of others.
final class ControllerHCIChannel: HCIChannel, QueuedChannel {
    /// The number of events that wait for a slow reader. Beyond it the oldest are dropped, because advertisements cannot
    /// be held back.
    private static let limit = 16_384

    let id: ChannelID
    private let host: ControllerHost
    private let use: HCIUse
    let events = PacketQueue(limit: limit, overflow: .dropOldest)

    init(_ id: ChannelID, _ host: ControllerHost, for use: HCIUse) {
        self.id = id
        self.host = host
        self.use = use
    }

    private var operation: String { "HCI channel of \(host.name)" }

    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> { try await events.next(atMost: 64) }

    /// Sends a command. Data of links go through their channels.
    func send(_ packet: [UInt8]) throws(RadioError) {
        guard use != .securityManager, case .command(let command)? = try? HCIPacket(decoding: packet) else {
            throw RadioError(.unsupported, during: operation)
        }
        if let end = events.endReason { throw end }
        try host.submit(command, from: id)
    }

    func close() {
        host.closeHCI(id)
        end(RadioError(.closedLocally, during: operation))
    }

    /// Takes a command of another user, or an event.
    func deliver(_ packet: [UInt8]) {
        switch use {
        case .host: events.push(packet)
        // Command Complete and Command Status.
        case .questions:
            if packet.first == 0x04, packet.count > 1, [0x0E, 0x0F].contains(packet[1]) { events.push(packet) }
        case .securityManager: break
        }
    }

    /// Takes a packet of the Security Managers of a link.
    func observe(_ packet: [UInt8]) { if use == .securityManager { events.push(packet) } }
}

/// A program's channel for pairings and keys, in the packets of the kernel's management interface.
final class HostManagementChannel: ManagementChannel, QueuedChannel {
    /// The number of events that wait for a slow reader. Beyond it the oldest are dropped.
    private static let limit = 256

    let id: ChannelID
    private let host: ControllerHost
    let events = PacketQueue(limit: limit, overflow: .dropOldest)

    init(_ id: ChannelID, _ host: ControllerHost) {
        self.id = id
        self.host = host
    }

    func send(_ packet: [UInt8]) throws(RadioError) {
        if let end = events.endReason { throw end }
        try host.manage(packet, from: id)
    }

    func close() {
        host.closeManagement(id)
        end(RadioError(.closedLocally, during: "management channel of \(host.name)"))
    }
}
