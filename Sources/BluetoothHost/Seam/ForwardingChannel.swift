// SPDX-License-Identifier: MIT

/// A channel that lets another one carry its packets, unchanged, and adds their owner.
package protocol ForwardingChannel: PacketChannel {
    associatedtype Carrier: PacketChannel
    /// The channel that carries the packets.
    var channel: Carrier { get }
}

extension ForwardingChannel {
    package func receive() async throws(RadioError) -> [UInt8] { try await channel.receive() }
    package func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> { try await channel.receiveWaiting() }
    package func receiveAged() async throws(RadioError) -> [TimestampedPacket] { try await channel.receiveAged() }
    package var droppedCount: Int { channel.droppedCount }
    package func send(_ packet: [UInt8]) throws(RadioError) { try channel.send(packet) }
    package func drained() async throws(RadioError) { try await channel.drained() }
    package func hangUp(_ reason: RadioError) { channel.hangUp(reason) }
    package func close() { channel.close() }
}
