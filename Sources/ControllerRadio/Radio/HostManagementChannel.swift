// SPDX-License-Identifier: MIT

import BluetoothHost

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
