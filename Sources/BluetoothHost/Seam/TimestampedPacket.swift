// SPDX-License-Identifier: MIT

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
