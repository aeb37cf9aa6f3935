// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth

/// Puts the frames of one direction of a connection together from the ACL data that carry them.
///
/// Spec: Core 5.4, Vol 3, Part A, 7.2.2
package struct L2CAPReassembler: Hashable, Sendable {
    package enum Result: Hashable, Sendable {
        case frame(L2CAPFrame)
        /// A part of a frame; `total` is `nil` while its length is not known. Both are numbers of octets.
        case part(received: Int, total: Int?)
        /// The packet continues a frame whose beginning was not seen.
        case stray
        /// The packet has more octets than its frame.
        case tooLong(received: Int, total: Int)
    }

    /// The number of frames that were begun and never completed.
    package private(set) var abandonedCount = 0

    private var buffer: [UInt8] = []
    private var isInFrame = false

    /// Creates a reassembler that waits for the beginning of a frame.
    package init() {}

    /// Takes the next packet of the direction.
    package mutating func append(_ packet: HCIACLPacket) -> Result {
        // The packet boundary flag distinguishes continuing fragments from first ones. Spec: Core 5.4, Vol 4, Part E,
        // 5.4.2
        if packet.flags & 0b11 == 0b01 {
            guard isInFrame else { return .stray }
            buffer += packet.data
        } else {
            // All other values of the flag begin a frame; which one is used depends on the direction. The rest of the
            // last frame was lost.
            if isInFrame { abandonedCount += 1 }
            buffer = packet.data
            isInFrame = true
        }
        // The length of the frame itself may be split between two fragments.
        guard buffer.count >= 2 else { return .part(received: buffer.count, total: nil) }
        let total = L2CAPFrame.headerLength + Int(buffer[0]) + Int(buffer[1]) << 8
        guard buffer.count >= total else { return .part(received: buffer.count, total: total) }
        defer {
            buffer = []
            isInFrame = false
        }
        // More octets than the frame has mean that a fragment was lost or repeated.
        guard buffer.count == total, let frame = try? L2CAPFrame(decoding: buffer) else {
            return .tooLong(received: buffer.count, total: total)
        }
        return .frame(frame)
    }
}
