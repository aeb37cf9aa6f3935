// SPDX-License-Identifier: MIT

package import Bluetooth

/// The way of an image to a boot loader with Legacy DFU.
///
/// After a lost link such a boot loader begins anew, also with the firmware. It says every few packets how much it has, and
/// nothing is sent until then: its queue of packets is short.
///
/// Spec: nRF5 SDK 11, BLE DFU Service
package struct LegacyDFU: DFUTransfer {
    /// The first octet of an order, and of what the boot loader sends.
    enum Code {
        static let start: UInt8 = 1
        static let describe: UInt8 = 2
        static let receive: UInt8 = 3
        static let validate: UInt8 = 4
        static let activate: UInt8 = 5
        static let reset: UInt8 = 6
        static let receipts: UInt8 = 8
        static let answer: UInt8 = 16
        static let receipt: UInt8 = 17
    }

    /// The order by which an application starts its boot loader: to replace the application.
    package static let enterBootLoader: [UInt8] = [Code.start, 4]
    /// The version of the service in an application that can only start its boot loader.
    package static let versionOfApplication: [UInt8] = [1, 0]
    /// That in a boot loader of today.
    package static let versionOfBootLoader: [UInt8] = [8, 0]

    /// The octets of a packet: boot loaders of that time have no larger MTU, and others count on 20.
    private static let packetLength = 20
    /// The packets after which the boot loader says how much it has.
    private static let receiptPeriod = 10
    /// How long it may take to write what leads to a receipt: of a packet that got lost, nothing tells.
    private static let receiptLimit = Duration.seconds(15)

    private enum Phase: Hashable, Sendable {
        case away
        case starting
        case describing
        case receiving
        case validating
        /// The boot loader was told to start the firmware, and its link ends.
        case activating
        /// It was told to start anew, to be in a known state.
        case resetting
        case ended
    }

    private let image: DFUImage
    private var phase = Phase.away
    /// When the last order or answer was.
    private var since: Instant?
    private var sent = 0
    /// What the boot loader says to have.
    package private(set) var octets = 0
    /// The most that it ever said to have.
    private var best = 0
    private var stalls = 0

    package init(_ image: DFUImage) { self.image = image }

    package var total: Int { image.firmware.count }

    package var deadline: Instant? {
        since.map { $0 + (phase == .receiving && octets > 0 ? Self.receiptLimit : DFULimits.answer) }
    }

    // MARK: - Events

    package mutating func linkMade(packet: Int, now: Instant) -> [DFUAction] {
        guard phase == .away else { return [] }
        (phase, since) = (.starting, now)
        (sent, octets) = (0, 0)
        var writer = ByteWriter()
        for size in [image.sizes.softdevice, image.sizes.bootloader, image.sizes.application] {
            writer.uint32(UInt32(truncatingIfNeeded: size))
        }
        return [.order([Code.start, image.kind.legacyType]), .packet(writer.bytes)]
    }

    package mutating func linkLost() -> [DFUAction] {
        switch phase {
        case .ended, .away: return []
        case .activating: return end(.complete)
        case .resetting:
            (phase, since) = (.away, nil)
            return []
        case .starting, .describing, .receiving, .validating:
            (phase, since) = (.away, nil)
            return stalled() ?? []
        }
    }

    package mutating func timerFired(now: Instant) -> [DFUAction] {
        guard let deadline, now >= deadline else { return [] }
        switch phase {
        // It has said that the firmware is whole. What runs is seen afterwards.
        case .activating: return end(.complete)
        case .resetting:
            (phase, since) = (.away, nil)
            return [.reconnect]
        default: return beginAnew(now)
        }
    }

    package mutating func received(_ octets: [UInt8], now: Instant) -> [DFUAction] {
        guard phase != .ended, phase != .away else { return [] }
        var reader = ByteReader(octets)
        do {
            switch try reader.uint8("code") {
            case Code.answer: return answered(try DFUAnswer(.legacy, &reader), now)
            case Code.receipt: return receipt(Int(try reader.uint32("octets")), now)
            default: return []
            }
        } catch {
            return end(.malformed(error))
        }
    }

    // MARK: - Answers

    private mutating func answered(_ answer: DFUAnswer, _ now: Instant) -> [DFUAction] {
        switch (phase, answer.order) {
        case (.starting, Code.start), (.describing, Code.describe), (.receiving, Code.receive),
            (.validating, Code.validate):
            break
        // It was answered before, or was not asked.
        default: return []
        }
        since = now
        if let refusal = answer.refusal {
            // Something was left of an earlier attempt, or got lost on the way.
            let isOfTheWay = phase == .starting ? refusal == .legacyInvalidState : refusal == .legacyWrongChecksum
            guard isOfTheWay else { return end(.refused(refusal)) }
            return stalls < DFULimits.stalls ? beginAnew(now) : end(.refused(refusal))
        }
        switch phase {
        case .starting:
            phase = .describing
            return [.order([Code.describe, 0])] + packets(of: image.initPacket[...]) + [.order([Code.describe, 1])]
        case .describing:
            phase = .receiving
            let receipts: [UInt8] = [Code.receipts, UInt8(Self.receiptPeriod), 0]
            return [.order(receipts), .order([Code.receive])] + proceed()
        case .receiving:
            guard sent == total else { return beginAnew(now) }
            phase = .validating
            return advance(to: total) + [.order([Code.validate])]
        default:
            phase = .activating
            return [.order([Code.activate])]
        }
    }

    private mutating func receipt(_ count: Int, _ now: Instant) -> [DFUAction] {
        guard phase == .receiving, count != octets else { return [] }
        guard count <= sent else {
            return end(.malformed(DecodeError("octets", .invalid(value: UInt64(count)))))
        }
        // Packets got lost, which cannot be sent again.
        guard count == sent else { return beginAnew(now) }
        since = now
        return advance(to: count) + proceed()
    }

    private mutating func advance(to count: Int) -> [DFUAction] {
        guard count != octets else { return [] }
        octets = count
        if count > best { (best, stalls) = (count, 0) }
        return [.progressed(count)]
    }

    /// Counts that something went wrong. Returns the end, if it was too often.
    private mutating func stalled() -> [DFUAction]? {
        stalls += 1
        return stalls > DFULimits.stalls ? end(.stalled) : nil
    }

    /// Has the boot loader start anew, so that it forgets what it has.
    private mutating func beginAnew(_ now: Instant) -> [DFUAction] {
        if let ending = stalled() { return ending }
        (phase, since) = (.resetting, now)
        return [.order([Code.reset])]
    }

    private mutating func end(_ ending: DFUEnding) -> [DFUAction] {
        (phase, since) = (.ended, nil)
        return [.ended(ending)]
    }

    // MARK: - Packets

    /// Sends until the next receipt.
    private mutating func proceed() -> [DFUAction] {
        let end = min(sent + Self.packetLength * Self.receiptPeriod, total)
        defer { sent = end }
        return packets(of: image.firmware[sent..<end])
    }

    private func packets(of octets: ArraySlice<UInt8>) -> [DFUAction] {
        stride(from: octets.startIndex, to: octets.endIndex, by: Self.packetLength).map { start in
            .packet(Array(octets[start..<min(start + Self.packetLength, octets.endIndex)]))
        }
    }
}

/// What a boot loader with Legacy DFU has to know of firmware.
///
/// Spec: nRF5 SDK 11, DFU Init packet handling
struct LegacyInitPacket: Hashable, Sendable {
    /// The version of the application; `0xFFFFFFFF` for any.
    let version: UInt32
    /// The CRC-16 of the firmware; `nil` for an extended packet, which has something else.
    let checksum: UInt16?

    init(_ octets: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(octets)
        _ = try reader.uint16("device type")
        _ = try reader.uint16("device revision")
        version = try reader.uint32("application version")
        let count = Int(try reader.uint16("number of SoftDevices"))
        _ = try reader.bytes(count * 2, "SoftDevices")
        let rest = reader.rest()
        guard rest.count >= 2 else { throw DecodeError("checksum", .truncated(needed: 2, available: rest.count)) }
        checksum = rest.count == 2 ? UInt16(rest[0]) | UInt16(rest[1]) << 8 : nil
    }
}
