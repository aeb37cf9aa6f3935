// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost

/// One program's channel to the controller. As on a raw HCI socket, every channel gets all events of the adapter, the
/// answers to other programs' commands among them.
final class SimulatedHCIChannel: HCIChannel {
    /// How many events wait for a slow reader.
    private static let limit = 1_024

    private let adapter: SimulatedAdapter
    private let events = PacketQueue(limit: limit, overflow: .dropOldest)

    init(_ adapter: SimulatedAdapter) { self.adapter = adapter }

    func receive() async throws(RadioError) -> [UInt8] { try await events.next() }

    var droppedCount: Int { events.droppedCount }

    func send(_ packet: [UInt8]) throws(RadioError) { try adapter.commandReceived(packet, from: self) }

    /// The controller takes every packet at once.
    func drained() async throws(RadioError) {}

    func close() {
        adapter.closeHCI(self)
        events.finish(RadioError(.closedLocally, during: "HCI channel"))
    }

    /// The adapter is gone, or off.
    func end(_ error: RadioError) { events.finish(error) }

    func deliver(_ packet: [UInt8]) { events.push(packet) }
}
