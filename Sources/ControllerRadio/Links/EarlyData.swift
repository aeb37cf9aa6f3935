// SPDX-License-Identifier: MIT

import Bluetooth

/// Data of links that the controller has not announced yet.
///
/// Events and data may come by different ways, on USB for example, so that a link's first data overtake the event of its
/// beginning, or those of its encryption that event; and the event of its end overtakes its last data.
struct EarlyData: Sendable {
    /// The time for which data wait for their link.
    static let patience = Duration.milliseconds(500)
    /// The time by which an event and data of a link at most overtake each other. Before a link is encrypted both sides
    /// are silent for longer: for three connection events, of 7.5 ms at least. So nothing that came without protection is
    /// taken for protected.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 5.1.3.1
    static let skew = Duration.milliseconds(20)
    /// The number of packets that wait; further ones are dropped.
    static let limit = 32

    private var packets: [(packet: HCIACLPacket, until: Instant)] = []
    /// Until when data with the handle of a link that has ended are its last ones.
    private var ended: [ConnectionHandle: Instant] = [:]

    /// A link has ended, whose handle the next one may get.
    mutating func ended(_ handle: ConnectionHandle, now: Instant) {
        ended = ended.filter { $0.value > now }
        ended[handle] = now + Self.skew
    }

    /// Keeps a packet of an unknown link for a moment.
    mutating func keep(_ packet: HCIACLPacket, now: Instant) {
        packets.removeAll { $0.until <= now }
        ended = ended.filter { $0.value > now }
        guard packets.count < Self.limit, ended[packet.connection] == nil else { return }
        packets.append((packet, now + Self.patience))
    }

    /// The packets of a link that has begun.
    mutating func taken(of handle: ConnectionHandle, now: Instant) -> [HCIACLPacket] {
        defer { packets.removeAll { $0.until <= now || $0.packet.connection == handle } }
        return packets.filter { $0.until > now && $0.packet.connection == handle }.map(\.packet)
    }
}
