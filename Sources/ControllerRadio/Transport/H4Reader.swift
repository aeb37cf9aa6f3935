// SPDX-License-Identifier: MIT

/// Cuts the octets of a stream into HCI packets.
///
/// A stream has no borders: the indicator at the beginning of a packet says where its length is. An octet that is no
/// indicator means that the two sides no longer agree where packets begin, and no later octet can be understood.
///
/// Spec: Core 5.4, Vol 4, Part A, 2
struct H4Reader: Sendable {
    /// The octet that should begin a packet, and is no indicator.
    struct SynchronizationLost: Error, Hashable {
        let indicator: UInt8
    }

    /// The octets of a packet that is not complete. No more than one packet: 65,540 octets.
    private var pending: [UInt8] = []

    /// Takes the next octets, and returns the packets that are complete, each with its indicator.
    mutating func append(_ octets: [UInt8]) throws(SynchronizationLost) -> [[UInt8]] {
        // Usually one packet comes at a time, and need not be copied.
        if pending.isEmpty, !octets.isEmpty, try Self.length(of: octets[...]) == octets.count { return [octets] }
        pending += octets
        var packets: [[UInt8]] = []
        var start = 0
        while start < pending.count, let length = try Self.length(of: pending[start...]) {
            guard length <= pending.count - start else { break }
            packets.append(Array(pending[start..<start + length]))
            start += length
        }
        pending.removeFirst(start)
        return packets
    }

    /// The length of the packet at the beginning of some octets, of which there is at least one; `nil` if they end
    /// before the field that says it.
    private static func length(of octets: ArraySlice<UInt8>) throws(SynchronizationLost) -> Int? {
        let first = octets.startIndex
        // Where the length is, and whether it has two octets, of which ISO data use 14 bits.
        let (place, mask): (Int, Int?)
        switch octets[first] {
        case 0x01, 0x03: (place, mask) = (3, nil)
        case 0x02: (place, mask) = (3, 0xFFFF)
        case 0x04: (place, mask) = (2, nil)
        case 0x05: (place, mask) = (3, 0x3FFF)
        case let indicator: throw SynchronizationLost(indicator: indicator)
        }
        guard let mask else { return octets.count > place ? place + 1 + Int(octets[first + place]) : nil }
        guard octets.count > place + 1 else { return nil }
        let length = Int(octets[first + place]) | Int(octets[first + place + 1]) << 8
        return place + 2 + (length & mask)
    }
}
