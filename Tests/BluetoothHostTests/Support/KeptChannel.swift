// SPDX-License-Identifier: MIT

import Bluetooth

@testable import BluetoothHost

/// A channel that keeps what is sent. What it receives is pushed into its queue.
final class KeptChannel: ManagementChannel, HCIChannel {
    let queue = PacketQueue(limit: 16, overflow: .dropOldest)
    private let outgoing = PacketQueue(limit: 16, overflow: .dropOldest)

    /// What was sent since the last look.
    var sent: [[UInt8]] { Array(outgoing.takeRemaining()) }

    var droppedCount: Int { 0 }
    func receive() async throws(RadioError) -> [UInt8] { try await queue.next() }
    func send(_ packet: [UInt8]) throws(RadioError) { outgoing.push(packet) }
    func drained() async throws(RadioError) {}
    func close() { queue.finish(RadioError(.closedLocally, during: "test")) }
}
