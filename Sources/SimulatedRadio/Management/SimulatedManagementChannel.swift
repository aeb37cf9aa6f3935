// SPDX-License-Identifier: MIT

import BluetoothHost

/// A program's channel to the simulated kernel.
final class SimulatedManagementChannel: ManagementChannel {
    /// The number of events that wait for a slow reader. Beyond it the oldest are dropped.
    private static let limit = 256

    private let adapter: SimulatedAdapter
    private let events = PacketQueue(limit: limit, overflow: .dropOldest)

    init(_ adapter: SimulatedAdapter) { self.adapter = adapter }

    func receive() async throws(RadioError) -> [UInt8] { try await events.next() }

    var droppedCount: Int { events.droppedCount }

    func send(_ packet: [UInt8]) throws(RadioError) { try adapter.managementReceived(packet, from: self) }

    /// Returns at once, because the simulated kernel accepts every packet immediately.
    func drained() async throws(RadioError) {}

    func close() {
        adapter.closeManagement(self)
        events.finish(RadioError(.closedLocally, during: "management channel"))
    }

    /// Ends the channel because the machine is gone.
    func end(_ error: RadioError) { events.finish(error) }

    func deliver(_ packet: [UInt8]) { events.push(packet) }
}
