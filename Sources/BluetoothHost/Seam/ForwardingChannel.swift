// SPDX-License-Identifier: MIT

/// A channel that lets another one carry its packets, unchanged, and adds their owner.
package protocol ForwardingChannel: PacketChannel {
    associatedtype Carrier: PacketChannel
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

/// A channel within the process: what it receives waits in a queue, and what it sends is taken at once.
package protocol QueuedChannel: PacketChannel {
    var events: PacketQueue { get }
}

extension QueuedChannel {
    package var droppedCount: Int { events.droppedCount }

    package func receive() async throws(RadioError) -> [UInt8] { try await events.next() }

    package func drained() async throws(RadioError) {}

    package func end(_ error: RadioError) { events.finish(error) }

    package func deliver(_ packet: [UInt8]) { events.push(packet) }
}

/// A received packet, and how long it has waited for its receiver since it came to this machine.
public struct TimestampedPacket: Hashable, Sendable {
    /// The octets.
    public let bytes: [UInt8]
    /// The time since its arrival; zero unless it was kept for the receiver.
    public let age: Duration

    /// Describes a packet.
    ///
    /// - Parameters:
    ///   - bytes: The octets.
    ///   - age: The time since its arrival.
    public init(_ bytes: [UInt8], age: Duration = .zero) {
        self.bytes = bytes
        self.age = age
    }
}
