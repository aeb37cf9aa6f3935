// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

final class SimulatedManagementChannel: ManagementChannel, QueuedChannel {
    /// The number of events that wait for a slow reader. Beyond it the oldest are dropped.
    private static let limit = 256

    private let adapters: [SimulatedAdapter]
    let events = PacketQueue(limit: limit, overflow: .dropOldest)

    init(_ adapters: [SimulatedAdapter]) { self.adapters = adapters }

    /// Gives the packet to the kernel's part of the adapter that it is about, or of the first one.
    func send(_ packet: [UInt8]) throws(RadioError) {
        let index = (try? ManagementPacket(decoding: packet))?.adapter
        let named = adapters.first { ManagementIndex($0.description.index) == index }
        guard let adapter = named ?? adapters.first else { return }
        try adapter.managementReceived(packet, from: self, besides: adapters.filter { $0 !== adapter })
    }

    func close() {
        for adapter in adapters { adapter.closeManagement(self) }
        events.finish(RadioError(.closedLocally, during: "management channel"))
    }
}
