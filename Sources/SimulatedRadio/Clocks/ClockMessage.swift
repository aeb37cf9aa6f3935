// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// What the processes of a world in virtual time tell each other. Only one process runs at a time: it has the turn.
///
/// The message: the kind, its fields in the order of their declaration, and the packets. Numbers are little-endian.
enum ClockMessage: Hashable, Sendable {
    /// The process has the turn, at that moment of the world's clock.
    case turn(now: Instant, [ClockPacket])
    /// The process gives the turn back: it waits until something happens, or until a moment, if there is one.
    ///
    /// - Parameter isActive: Whether the clock is to go on for this process. It goes on only if one wants that.
    case waiting(until: Instant?, isActive: Bool, [ClockPacket])
    /// The process needs a turn before anything is due: a signal, or a request from outside of the world.
    case ask
    /// All others wait for that process, which has had the turn for long.
    case held(process: UInt32)
}

/// What happens on a channel between two processes of a world.
struct ClockPacket: Hashable, Sendable {
    enum Event: Hashable, Sendable {
        /// The channel begins: to the process that has made the offer of that name, or without a name to the world.
        case open(String?)
        /// Others may open channels to the sender by that name. The channel has no meaning.
        case offer(String)
        case withdraw(String)
        case data([UInt8])
        /// The receiver has enough packets, and more have to wait.
        case pause
        case resume
        case close
    }

    /// The number of the channel, which the process chooses that opens it.
    let channel: UInt32
    let event: Event
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

    private static func packets(_ reader: inout ByteReader) throws(DecodeError) -> [ClockPacket] {
        var packets: [ClockPacket] = []
        while !reader.isAtEnd { packets.append(try ClockPacket(from: &reader)) }
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

extension ClockPacket: WireDecodable, WireEncodable {
    init(from reader: inout ByteReader) throws(DecodeError) {
        channel = try reader.uint32("Channel")
        switch try reader.uint8("Event") {
        case 0: event = .open(nil)
        case 1: event = .data(try reader.bytes(Int(try reader.uint16("Length")), "Data"))
        case 2: event = .pause
        case 3: event = .resume
        case 4: event = .close
        case 5: event = .open(try Self.name(&reader))
        case 6: event = .offer(try Self.name(&reader))
        case 7: event = .withdraw(try Self.name(&reader))
        case let other: throw DecodeError("Event", .invalid(value: UInt64(other)))
        }
    }

    private static func name(_ reader: inout ByteReader) throws(DecodeError) -> String {
        String(decoding: try reader.bytes(Int(try reader.uint16("Length")), "Name"), as: UTF8.self)
    }

    func encode(into writer: inout ByteWriter) {
        writer.uint32(channel)
        switch event {
        case .open(nil): writer.uint8(0)
        case .open(let name?): Self.encode(name, as: 5, into: &writer)
        case .offer(let name): Self.encode(name, as: 6, into: &writer)
        case .withdraw(let name): Self.encode(name, as: 7, into: &writer)
        case .data(let bytes):
            writer.uint8(1)
            writer.uint16(UInt16(clamping: bytes.count))
            writer.append(bytes)
        case .pause: writer.uint8(2)
        case .resume: writer.uint8(3)
        case .close: writer.uint8(4)
        }
    }

    private static func encode(_ name: String, as kind: UInt8, into writer: inout ByteWriter) {
        let bytes = Array(name.utf8.prefix(Int(UInt16.max)))
        writer.uint8(kind)
        writer.uint16(UInt16(bytes.count))
        writer.append(bytes)
    }
}
