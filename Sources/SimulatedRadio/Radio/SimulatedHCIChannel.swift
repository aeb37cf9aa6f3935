// SPDX-License-Identifier: MIT

import BluetoothHost

/// A program's channel to the controller. Like a raw HCI socket, each channel receives all events of the adapter,
/// including answers to the commands of other programs.
final class SimulatedHCIChannel: HCIChannel, QueuedChannel {
    /// The number of events that wait for a slow reader. Beyond it the oldest are dropped.
    private static let limit = 1_024

    /// Whether it receives the data of the Security Manager in place of events.
    let isForData: Bool
    private let adapter: SimulatedAdapter
    let events = PacketQueue(limit: limit, overflow: .dropOldest)

    init(_ adapter: SimulatedAdapter, isForData: Bool = false) {
        self.adapter = adapter
        self.isForData = isForData
    }

    /// Sends a command to the controller. Its answer comes as an event.
    func send(_ packet: [UInt8]) throws(RadioError) { try adapter.commandReceived(packet, from: self) }

    /// Ends the channel. The controller keeps scanning and advertising.
    func close() {
        adapter.closeHCI(self)
        events.finish(RadioError(.closedLocally, during: "HCI channel"))
    }
}
