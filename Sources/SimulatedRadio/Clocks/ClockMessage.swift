// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// What the processes of a world in virtual time tell each other. Only one process runs at a time: it has the turn.
///
/// The message: the kind, its fields in the order of their declaration, and the packets. Numbers are little-endian.
enum ClockMessage: Hashable, Sendable {
    /// The process has the turn, at that moment of the world's clock.
    case turn(now: Instant, [ChannelPacket])
    /// The process gives the turn back: it waits until something happens, or until a moment, if there is one.
    ///
    /// - Parameter isActive: Whether the clock is to go on for this process. It goes on only if one wants that.
    case waiting(until: Instant?, isActive: Bool, [ChannelPacket])
    /// The process needs a turn before anything is due: a signal, or a request from outside of the world.
    case ask
    /// All others wait for that process, which has had the turn for long.
    case held(process: UInt32)
}

extension ClockMessage: WireDecodable, WireEncodable {
    /// Stands for no moment.
    private static let never = UInt64.max

    init(from reader: inout ByteReader) throws(DecodeError) {
        switch try reader.uint8("Kind") {
        case 0:
            let now = Instant(nanoseconds: Int64(clamping: try reader.uint64("Now")))
            self = .turn(now: now, try Self.packets(&reader))
        case 1:
            let moment = try reader.uint64("Until")
            let due = moment == Self.never ? nil : Instant(nanoseconds: Int64(clamping: moment))
            let isActive = try reader.uint8("Active") != 0
            self = .waiting(until: due, isActive: isActive, try Self.packets(&reader))
        case 2: self = .ask
        case 3: self = .held(process: try reader.uint32("Process"))
        case let kind: throw DecodeError("Kind", .invalid(value: UInt64(kind)))
        }
    }

    private static func packets(_ reader: inout ByteReader) throws(DecodeError) -> [ChannelPacket] {
        var packets: [ChannelPacket] = []
        while !reader.isAtEnd { packets.append(try ChannelPacket(from: &reader)) }
        return packets
    }

    func encode(into writer: inout ByteWriter) {
        switch self {
        case .turn(let now, let packets):
            writer.uint8(0)
            writer.uint64(UInt64(clamping: now.nanoseconds))
            for packet in packets { packet.encode(into: &writer) }
        case .waiting(let due, let isActive, let packets):
            writer.uint8(1)
            writer.uint64(due.map { UInt64(clamping: $0.nanoseconds) } ?? Self.never)
            writer.uint8(isActive ? 1 : 0)
            for packet in packets { packet.encode(into: &writer) }
        case .ask: writer.uint8(2)
        case .held(let process):
            writer.uint8(3)
            writer.uint32(process)
        }
    }
}
