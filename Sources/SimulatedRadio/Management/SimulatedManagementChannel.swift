// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

final class SimulatedManagementChannel: ManagementChannel {
    /// The number of events that wait for a slow reader. Beyond it the oldest are dropped.
    private static let limit = 256

    private let adapters: [SimulatedAdapter]
    private let events = PacketQueue(limit: limit, overflow: .dropOldest)

    init(_ adapters: [SimulatedAdapter]) { self.adapters = adapters }

    func receive() async throws(RadioError) -> [UInt8] { try await events.next() }

    var droppedCount: Int { events.droppedCount }

    /// Gives the packet to the kernel's part of the adapter that it is about, or of the first one.
    func send(_ packet: [UInt8]) throws(RadioError) {
        let index = (try? ManagementPacket(decoding: packet))?.adapter
        let named = adapters.first { ManagementIndex($0.description.index) == index }
        guard let adapter = named ?? adapters.first else { return }
        try adapter.managementReceived(packet, from: self, besides: adapters.filter { $0 !== adapter })
    }

    /// Returns at once, because the simulated kernel accepts every packet immediately.
    func drained() async throws(RadioError) {}

    func close() {
        for adapter in adapters { adapter.closeManagement(self) }
        events.finish(RadioError(.closedLocally, during: "management channel"))
    }

    /// Ends the channel because the machine is gone.
    func end(_ error: RadioError) { events.finish(error) }

    func deliver(_ packet: [UInt8]) { events.push(packet) }
}
