// SPDX-License-Identifier: MIT

import Bluetooth

/// Data of links that the controller has not announced yet.
///
/// Events and data may come by different ways, on USB for example, so that a link's first data overtake the event of its
/// beginning.
struct EarlyData: Sendable {
    /// The time for which data wait for their link.
    static let patience = Duration.milliseconds(500)
    /// The number of packets that wait; further ones are dropped.
    static let limit = 32

    private var packets: [(packet: HCIACLPacket, until: Instant)] = []

    /// Keeps a packet of an unknown link for a moment.
    mutating func keep(_ packet: HCIACLPacket, now: Instant) {
        packets.removeAll { $0.until <= now }
        guard packets.count < Self.limit else { return }
        packets.append((packet, now + Self.patience))
    }

    /// The packets of a link that has begun.
    mutating func taken(of handle: ConnectionHandle, now: Instant) -> [HCIACLPacket] {
        defer { packets.removeAll { $0.until <= now || $0.packet.connection == handle } }
        return packets.filter { $0.until > now && $0.packet.connection == handle }.map(\.packet)
    }
}
