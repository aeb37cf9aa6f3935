// SPDX-License-Identifier: MIT

package import Bluetooth

/// The way of an image to a boot loader with Secure DFU.
///
/// The firmware goes in objects, of which each is checked and then kept. The boot loader says how much it has, with the
/// checksum, so that a transfer goes on after a lost link.
///
/// Spec: nRF5 SDK 17, DFU Protocol
package struct SecureDFU: DFUTransfer {
    /// The first octet of an order, and of an answer.
    enum Code {
        static let create: UInt8 = 1
        static let receipts: UInt8 = 2
        static let checksum: UInt8 = 3
        static let execute: UInt8 = 4
        static let select: UInt8 = 6
        static let answer: UInt8 = 0x60
    }

    enum Object: UInt8 {
        /// The init packet.
        case command = 1
        /// A part of the firmware.
        case data = 2
    }

    /// The order by which an application starts its boot loader, and the first octet of the answer.
    package static let enterBootLoader: [UInt8] = [1]
    static let buttonlessAnswer: UInt8 = 0x20

    private enum Phase: Hashable, Sendable {
        case away
        /// Receipts are switched off.
        case preparing
        case selecting(Object)
        case creating(Object)
        case checking(Object)
        case executing(Object)
        case ended
    }

    private let image: DFUImage
    private var phase = Phase.away
    /// When the last order or answer was.
    private var since: Instant?
    private var packetLength = 20
    /// The octets of an object of the firmware.
    private var objectSize = 0
    /// Where the boot loader is in the object that is sent: in the init packet, or in the firmware.
    private var position = 0
    /// What the boot loader has, of what was confirmed.
    package private(set) var octets = 0
    private var best = 0
    /// The sum of what it has.
    private var known = (count: 0, sum: UInt32(0))
    private var stalls = 0
    /// Whether the init packet has to be sent again, so that the boot loader forgets what it has.
    private var mustBeginAnew = false
    /// Whether nothing was created on this link yet: a refusal may be due to what was there before.
    private var isResuming = true

    package init(_ image: DFUImage) { self.image = image }

    package var total: Int { image.firmware.count }

    package var deadline: Instant? { since.map { $0 + DFULimits.answer } }

    /// The refusal in an answer of an application that was told to start its boot loader; `nil` if it does.
    ///
    /// Throws if it is no such answer.
    package static func refusal(ofEntering octets: [UInt8]) throws(DecodeError) -> DFURefusal? {
        var reader = ByteReader(octets)
        let code = try reader.uint8("code")
        guard code == buttonlessAnswer else { throw DecodeError("code", .invalid(value: UInt64(code))) }
        return try DFUAnswer(.secure, &reader).refusal
    }

    // MARK: - Events

    package mutating func linkMade(packet: Int, now: Instant) -> [DFUAction] {
        guard phase == .away else { return [] }
        // Flash is written in words.
        packetLength = max(packet, 20) & ~3
        return synchronize(now)
    }

    package mutating func linkLost() -> [DFUAction] {
        switch phase {
        case .ended, .away: return []
        // It starts the firmware at once. What runs is seen afterwards.
        case .executing(.data) where octets == total: return end(.complete)
        default:
            (phase, since) = (.away, nil)
            return stalled() ?? []
        }
    }

    package mutating func timerFired(now: Instant) -> [DFUAction] {
        guard let deadline, now >= deadline else { return [] }
        return stalled() ?? synchronize(now)
    }

    package mutating func received(_ octets: [UInt8], now: Instant) -> [DFUAction] {
        guard phase != .ended, phase != .away else { return [] }
        do {
            var reader = ByteReader(octets)
            guard try reader.uint8("code") == Code.answer else { return [] }
            let answer = try DFUAnswer(.secure, &reader)
            // It was answered before, or was not asked.
            guard answer.order == awaited else { return [] }
            since = now
            if let refusal = answer.refusal { return refused(refusal, now) }
            return try succeeded(ByteReader(answer.rest), now)
        } catch {
            return end(.malformed(error))
        }
    }

    /// The order that waits for its answer.
    private var awaited: UInt8? {
        switch phase {
        case .away, .ended: nil
        case .preparing: Code.receipts
        case .selecting: Code.select
        case .creating: Code.create
        case .checking: Code.checksum
        case .executing: Code.execute
        }
    }

    // MARK: - Answers

    private mutating func succeeded(_ rest: ByteReader, _ now: Instant) throws(DecodeError) -> [DFUAction] {
        var reader = rest
        switch phase {
        case .away, .ended: return []
        case .preparing: return select(.command)
        case .selecting(let object):
            let limit = Int(try reader.uint32("maximum size"))
            let offset = Int(try reader.uint32("offset"))
            return selected(object, limit, offset, try reader.uint32("checksum"), now)
        case .creating(let object): return send(object)
        case .checking(let object):
            let offset = Int(try reader.uint32("offset"))
            let sum = try reader.uint32("checksum")
            guard offset == position, sum == checksum(object, offset) else {
                return stalled(.damaged) ?? create(object, at: start(of: object))
            }
            phase = .executing(object)
            return (object == .data ? advance(to: offset) : []) + [.order([Code.execute])]
        case .executing(.command): return select(.data)
        case .executing(.data):
            return position == total ? end(.complete) : create(.data, at: position)
        }
    }

    private mutating func selected(
        _ object: Object,
        _ limit: Int,
        _ offset: Int,
        _ sum: UInt32,
        _ now: Instant
    ) -> [DFUAction] {
        let isMine = offset <= contents(object).count && sum == checksum(object, offset)
        position = offset
        switch object {
        case .command:
            guard isMine, offset > 0, !mustBeginAnew else { return create(.command, at: 0) }
            guard offset == image.initPacket.count else { return send(.command) }
            phase = .executing(.command)
            return [.order([Code.execute])]
        case .data:
            guard limit > 0 else { return end(.malformed(DecodeError("maximum size", .invalid(value: 0)))) }
            objectSize = limit
            // It has another firmware, or a damaged one.
            guard isMine else { return beginAnew(now) }
            let progress = advance(to: offset)
            if offset > 0, offset == total || offset % limit == 0 {
                phase = .executing(.data)
                return progress + [.order([Code.execute])]
            }
            return progress + (offset == 0 ? create(.data, at: 0) : send(.data))
        }
    }

    private mutating func refused(_ refusal: DFURefusal, _ now: Instant) -> [DFUAction] {
        // What was there before may be in its way.
        guard isResuming, phase != .preparing, stalls < DFULimits.stalls else { return end(.refused(refusal)) }
        return beginAnew(now)
    }

    private mutating func advance(to count: Int) -> [DFUAction] {
        guard count != octets else { return [] }
        known = (count, checksum(.data, count))
        octets = count
        if count > best { (best, stalls) = (count, 0) }
        return [.progressed(count)]
    }

    /// Counts that something went wrong. Returns the end, if it was too often.
    private mutating func stalled(_ ending: DFUEnding = .stalled) -> [DFUAction]? {
        stalls += 1
        return stalls > DFULimits.stalls ? end(ending) : nil
    }

    private mutating func end(_ ending: DFUEnding) -> [DFUAction] {
        (phase, since) = (.ended, nil)
        return [.ended(ending)]
    }

    // MARK: - Orders

    /// Asks what the boot loader has. Receipts are not needed: the sum of each object is asked for.
    private mutating func synchronize(_ now: Instant) -> [DFUAction] {
        (phase, since, isResuming) = (.preparing, now, true)
        return [.order([Code.receipts, 0, 0])]
    }

    /// Sends the init packet again, with which the boot loader forgets what it has.
    private mutating func beginAnew(_ now: Instant) -> [DFUAction] {
        if let ending = stalled(.damaged) { return ending }
        mustBeginAnew = true
        return synchronize(now)
    }

    private mutating func select(_ object: Object) -> [DFUAction] {
        phase = .selecting(object)
        return [.order([Code.select, object.rawValue])]
    }

    private mutating func create(_ object: Object, at start: Int) -> [DFUAction] {
        phase = .creating(object)
        (position, isResuming) = (start, false)
        if object == .command { mustBeginAnew = false }
        var writer = ByteWriter()
        writer.uint8(Code.create)
        writer.uint8(object.rawValue)
        writer.uint32(UInt32(truncatingIfNeeded: endOfObject(object) - start))
        return [.order(writer.bytes)]
    }

    /// Sends the rest of an object, and asks for its sum.
    private mutating func send(_ object: Object) -> [DFUAction] {
        let (contents, end) = (contents(object), endOfObject(object))
        let packets = stride(from: position, to: end, by: packetLength).map { start in
            DFUAction.packet(Array(contents[start..<min(start + packetLength, end)]))
        }
        position = end
        phase = .checking(object)
        return packets + [.order([Code.checksum])]
    }

    // MARK: - Objects

    private func contents(_ object: Object) -> [UInt8] { object == .command ? image.initPacket : image.firmware }

    /// The sum of the first octets. That of the firmware up to where the last object ended is known.
    private func checksum(_ object: Object, _ count: Int) -> UInt32 {
        guard object == .data, count >= known.count else { return Checksum.crc32(contents(object).prefix(count)) }
        return Checksum.crc32(image.firmware[known.count..<count], following: known.sum)
    }

    /// The end of the object that the position is in, or before.
    private func endOfObject(_ object: Object) -> Int {
        guard object == .data, objectSize > 0 else { return contents(object).count }
        // Objects may be as long as the firmware, and longer.
        return position / objectSize >= total / objectSize ? total : (position / objectSize + 1) * objectSize
    }

    private func start(of object: Object) -> Int {
        object == .data && position > 0 ? (position - 1) / objectSize * objectSize : 0
    }
}
