// SPDX-License-Identifier: MIT

/// A channel within the process: what it receives waits in a queue, and what it sends is taken at once.
package protocol QueuedChannel: PacketChannel {
    var events: PacketQueue { get }
}

extension QueuedChannel {
    package var droppedCount: Int { events.droppedCount }

    package func receive() async throws(RadioError) -> [UInt8] { try await events.next() }

    package func drained() async throws(RadioError) {}

    /// Ends the channel from the other side.
    package func end(_ error: RadioError) { events.finish(error) }

    package func deliver(_ packet: [UInt8]) { events.push(packet) }
}
