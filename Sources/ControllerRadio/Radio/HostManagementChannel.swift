// SPDX-License-Identifier: MIT

import BluetoothHost

/// A program's channel for pairings and keys, in the packets of the kernel's management interface.
final class HostManagementChannel: ManagementChannel {
    /// The number of events that wait for a slow reader. Beyond it the oldest are dropped.
    private static let limit = 256

    let id: ChannelID
    private let host: ControllerHost
    private let events = PacketQueue(limit: limit, overflow: .dropOldest)

    init(_ id: ChannelID, _ host: ControllerHost) {
        self.id = id
        self.host = host
    }

    var droppedCount: Int { events.droppedCount }

    func receive() async throws(RadioError) -> [UInt8] { try await events.next() }

    func send(_ packet: [UInt8]) throws(RadioError) {
        if let end = events.endReason { throw end }
        try host.manage(packet, from: id)
    }

    /// Returns at once, because this host accepts every packet immediately.
    func drained() async throws(RadioError) {}

    func close() {
        host.closeManagement(id)
        end(RadioError(.closedLocally, during: "management channel of \(host.name)"))
    }

    func end(_ error: RadioError) { events.finish(error) }

    func deliver(_ packet: [UInt8]) { events.push(packet) }
}
