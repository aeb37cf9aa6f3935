// SPDX-License-Identifier: MIT

import Bluetooth

/// The data that wait for the controller: who sends next, in which pieces, and how many the controller has room for.
///
/// All links share the controller's buffers, and take turns by packets, so that one with much to send does not hold up
/// the others. Nor does one whose peer takes nothing: a link with packets there leaves a buffer for each that has none,
/// up to half of them. A buffer is free again when the controller says so (Number Of Completed Packets), or when the
/// link that has used it ends, of which no such event comes.
///
/// Spec: Core 5.4, Vol 4, Part E, 4.1.1 and 7.7.19; Vol 3, Part A, 7.2.1
struct ACLScheduler: Sendable {
    private struct Link: Sendable {
        /// Frames that were not sent, the first perhaps in part.
        var frames: [[UInt8]] = []
        /// The number of frames at the beginning of `frames` that are done, and are removed together.
        var done = 0
        /// The number of octets of the first frame that were sent.
        var sentOctets = 0
        /// The number of packets that the controller has not completed.
        var outstanding = 0

        var waiting: Int { frames.count - done }
    }

    /// The number of frames of a link that wait. A sender that does not wait for room is told so.
    static let frameLimit = 4_096
    /// The number beyond which signals and packets of the Security Manager are dropped, which nobody holds back.
    static let signalLimit = 16_384

    private let packetLength: Int
    private let packetCount: Int
    private var links: [ConnectionHandle: Link] = [:]
    /// The links in the order of their turns.
    private var turns: [ConnectionHandle] = []
    private var outstanding = 0
    /// The number of links without packets in the controller.
    private var idleLinks = 0

    /// Creates the data of no link.
    ///
    /// - Parameters:
    ///   - packetLength: The octets that a packet carries, at least 1.
    ///   - packetCount: The number of packets that the controller has room for.
    init(packetLength: Int, packetCount: Int) {
        self.packetLength = max(1, packetLength)
        self.packetCount = packetCount
    }

    mutating func open(_ handle: ConnectionHandle) {
        guard links[handle] == nil else { return }
        links[handle] = Link()
        idleLinks += 1
        turns.append(handle)
    }

    /// A link has ended, and its packets with it.
    mutating func close(_ handle: ConnectionHandle) {
        guard let link = links.removeValue(forKey: handle) else { return }
        outstanding -= link.outstanding
        if link.outstanding == 0 { idleLinks -= 1 }
        turns.removeAll { $0 == handle }
    }

    /// The number of frames of a link that are not sent to their end.
    func waitingFrames(on handle: ConnectionHandle) -> Int { links[handle]?.waiting ?? 0 }

    /// Whether all data of a link have left the controller.
    func isAtRest(_ handle: ConnectionHandle) -> Bool {
        links[handle].map { $0.waiting == 0 && $0.outstanding == 0 } ?? true
    }

    /// Takes a frame. Frames for unknown links are dropped.
    mutating func enqueue(_ frame: L2CAPFrame, on handle: ConnectionHandle) {
        links[handle]?.frames.append(frame.encoded())
    }

    /// Counts packets that the controller has completed. A controller that claims more than it has is not believed.
    mutating func completed(_ count: Int, on handle: ConnectionHandle) {
        guard let link = links[handle] else { return }
        let credited = min(count, link.outstanding)
        if credited > 0, credited == link.outstanding { idleLinks += 1 }
        links[handle]?.outstanding -= credited
        outstanding -= credited
    }

    /// The packets that the controller has room for now.
    mutating func packets() -> [HCIACLPacket] {
        var packets: [HCIACLPacket] = []
        var idle = 0
        while outstanding < packetCount, idle < turns.count {
            let handle = turns.removeFirst()
            turns.append(handle)
            guard let packet = nextPacket(of: handle) else {
                idle += 1
                continue
            }
            idle = 0
            outstanding += 1
            packets.append(packet)
        }
        return packets
    }

    private mutating func nextPacket(of handle: ConnectionHandle) -> HCIACLPacket? {
        guard var link = links[handle], link.waiting > 0 else { return nil }
        guard link.outstanding == 0 || outstanding + min(idleLinks, packetCount / 2) < packetCount else { return nil }
        if link.outstanding == 0 { idleLinks -= 1 }
        // Taken out, so that the change copies nothing.
        links[handle] = nil
        defer { links[handle] = link }
        let frame = link.frames[link.done]
        let end = min(frame.count, link.sentOctets + packetLength)
        // 0b00: the first packet of a frame, which is not flushed; 0b01: one that continues it.
        let packet = HCIACLPacket(
            handle,
            flags: link.sentOctets == 0 ? 0b00 : 0b01,
            data: Array(frame[link.sentOctets..<end])
        )
        link.sentOctets = end
        link.outstanding += 1
        if end == frame.count {
            link.sentOctets = 0
            link.done += 1
            // The rest is moved only when it is the smaller half.
            if link.done * 2 >= link.frames.count {
                link.frames.removeFirst(link.done)
                link.done = 0
            }
        }
        return packet
    }
}
