// SPDX-License-Identifier: MIT

package import Bluetooth

/// What happens on one of the channels that a connection between two processes carries.
package struct ChannelPacket: Hashable, Sendable {
    package enum Event: Hashable, Sendable {
        /// The channel begins: to the process that has made the offer of that name, or without a name to the process at the
        /// other end.
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
    package let channel: UInt32
    package let event: Event

    package init(channel: UInt32, event: Event) {
        self.channel = channel
        self.event = event
    }
}

extension ChannelPacket: WireDecodable, WireEncodable {
    package init(from reader: inout ByteReader) throws(DecodeError) {
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

    package func encode(into writer: inout ByteWriter) {
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
