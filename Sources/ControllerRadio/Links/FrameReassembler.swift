// SPDX-License-Identifier: MIT

import Bluetooth

/// Puts the packets of one link together to L2CAP frames.
///
/// The length in the first packet says where a frame ends. What breaks that rule is dropped: a frame that another one
/// interrupts, a packet that continues nothing, and one that goes beyond the end of its frame.
///
/// Spec: Core 5.4, Vol 3, Part A, 7.2.2
struct FrameReassembler: Sendable {
    /// The octets of a frame that is not complete. No more than one frame: 65,539 octets.
    private var pending: [UInt8] = []

    /// Takes a packet. Returns the frame that it completes.
    mutating func append(_ packet: HCIACLPacket) -> L2CAPFrame? {
        switch packet.flags & 0b11 {
        // 0b10 begins a frame; some controllers send 0b00, which is the host's.
        case 0b00, 0b10: pending = packet.data
        // An empty `pending` is no beginning.
        case 0b01 where !pending.isEmpty: pending += packet.data
        default: return nil
        }
        guard pending.count >= L2CAPFrame.headerLength else { return nil }
        let length = L2CAPFrame.headerLength + (Int(pending[0]) | Int(pending[1]) << 8)
        guard pending.count >= length else { return nil }
        defer { pending = [] }
        return pending.count == length ? try? L2CAPFrame(decoding: pending) : nil
    }
}
