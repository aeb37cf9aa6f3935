// SPDX-License-Identifier: MIT

import BluetoothHost

/// A program's channel to the controller. Like a raw HCI socket, each channel receives all events of the adapter,
/// including answers to the commands of other programs.
final class SimulatedHCIChannel: HCIChannel {
    /// The number of events that wait for a slow reader. Beyond it the oldest are dropped.
    private static let limit = 1_024

    /// Whether it receives the data of the Security Manager in place of events.
    let isForData: Bool
    private let adapter: SimulatedAdapter
    /// The events that were not read yet.
    private let events = PacketQueue(limit: limit, overflow: .dropOldest)

    init(_ adapter: SimulatedAdapter, isForData: Bool = false) {
        self.adapter = adapter
        self.isForData = isForData
    }

    /// The next event, or the next data packet of the Security Manager.
    func receive() async throws(RadioError) -> [UInt8] { try await events.next() }

    /// The events that were dropped because the program was slow.
    var droppedCount: Int { events.droppedCount }

    /// Sends a command to the controller. Its answer comes as an event.
    func send(_ packet: [UInt8]) throws(RadioError) { try adapter.commandReceived(packet, from: self) }

    /// Returns at once, because the simulated controller accepts every packet immediately.
    func drained() async throws(RadioError) {}

    /// Ends the channel. The controller keeps scanning and advertising.
    func close() {
        adapter.closeHCI(self)
        events.finish(RadioError(.closedLocally, during: "HCI channel"))
    }

    /// Ends the channel because the adapter is gone or down.
    func end(_ error: RadioError) { events.finish(error) }

    func deliver(_ packet: [UInt8]) { events.push(packet) }
}
