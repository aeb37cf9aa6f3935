// SPDX-License-Identifier: GPL-2.0-or-later

/// Puts the pieces that come from an endpoint together to HCI packets.
///
/// USB carries events and data without H4's indicator, each by an endpoint of its own, in pieces of what the endpoint carries
/// at once. The header says how long a packet is; what follows in a piece begins the next packet.
///
/// Spec: Core 5.4, Vol 4, Part B, 2.2
struct USBPieces: Sendable {
    enum Kind: UInt8, Sendable {
        case data = 0x02
        case event = 0x04
    }

    private let kind: Kind
    /// The octets of a packet that is not complete, with the indicator before them. No more than one packet.
    private var pending: [UInt8]

    init(_ kind: Kind) {
        self.kind = kind
        pending = [kind.rawValue]
    }

    /// Takes the next piece, which may be empty, and returns the packets that are complete, each with H4's indicator.
    mutating func append(_ piece: some Collection<UInt8>) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var rest = piece[...]
        while !rest.isEmpty {
            let taken = rest.prefix(missing)
            pending.append(contentsOf: taken)
            rest = rest.dropFirst(taken.count)
            guard missing == 0 else { continue }
            packets.append(pending)
            forget()
        }
        return packets
    }

    /// Drops a packet that is not complete: its end is lost.
    mutating func forget() { pending = [kind.rawValue] }

    /// How many octets the header lacks, or else the packet.
    private var missing: Int {
        let header = kind == .event ? 3 : 5
        guard pending.count >= header else { return header - pending.count }
        let length = kind == .event ? Int(pending[2]) : Int(pending[3]) | Int(pending[4]) << 8
        return header + length - pending.count
    }
}
