// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

@testable import Captures
@testable import Toolkit

/// Captures of the formats that are read, made of octets.
struct CaptureOctets {
    /// A packet with its indicator.
    struct Packet {
        let hci: [UInt8]
        let isReceived: Bool

        init(_ hex: String, isReceived: Bool) {
            hci = Hex.bytes(hex.filter { $0 != " " }) ?? []
            self.isReceived = isReceived
        }
    }

    /// A request to the device of a connection, and its answer.
    static let packets = [
        Packet("01 030c 00", isReceived: false), Packet("04 0e 04 01 030c 00", isReceived: true),
        Packet("04 3e 13 01 00 4000 00 01 f5f4f3f2f1f0 1800 0000 2a00 00", isReceived: true),
        Packet("02 4000 0700 0300 0400 0a 1200", isReceived: false),
        Packet("02 4020 0600 0200 0400 0b 57", isReceived: true),
    ]

    /// Seconds and microseconds of the first packet; the others follow a millisecond apart.
    static let start: (seconds: UInt32, microseconds: UInt32) = (1_795_156_931, 883_291)

    /// The records of such a capture in a format without adapters.
    static var records: [CapturedRecord] {
        packets.enumerated().map { index, packet in
            CapturedRecord(CapturedPacket(.hci(packet.hci), packet.isReceived ? .received : .sent), at: time(index))
        }
    }

    static func time(_ index: Int) -> WallTime {
        WallTime(nanosecondsSince1970: (Int64(start.seconds) * 1_000_000 + Int64(microseconds(index))) * 1_000)
    }

    private static func microseconds(_ index: Int) -> UInt32 { start.microseconds + UInt32(index) * 1_000 }

    let isBigEndian: Bool

    init(isBigEndian: Bool = false) { self.isBigEndian = isBigEndian }

    func u32(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * (isBigEndian ? 3 - $0 : $0))) }
    }

    func u16(_ value: UInt16) -> [UInt8] {
        (0..<2).map { UInt8(truncatingIfNeeded: value >> (8 * (isBigEndian ? 1 - $0 : $0))) }
    }

    // MARK: - btsnoop, PacketLogger and pcap

    static var btsnoop: [UInt8] {
        packets.enumerated().reduce(BTSnoopHeader(.h4).encoded()) { octets, packet in
            let moment = BTSnoopTimestamp(microsecondsSince1970: time(packet.offset).nanoseconds / 1_000)
            return octets
                + BTSnoopRecord(packet.element.hci, flags: packet.element.isReceived ? 1 : 0, at: moment).encoded()
        }
    }

    var packetLogger: [UInt8] {
        Self.packets.enumerated().flatMap { index, packet in
            let kind: UInt8 =
                switch packet.hci[0] {
                case 0x01: 0
                case 0x04: 1
                default: packet.isReceived ? 3 : 2
                }
            return packetLoggerRecord(index, [kind] + packet.hci.dropFirst())
        }
    }

    func packetLoggerRecord(_ index: Int, _ content: [UInt8]) -> [UInt8] {
        [UInt32(8 + content.count), Self.start.seconds, Self.microseconds(index)].flatMap { u32($0) } + content
    }

    func pcapHeader(_ link: UInt32, isNano: Bool = false) -> [UInt8] {
        var octets = u32(isNano ? 0xA1B2_3C4D : 0xA1B2_C3D4)
        octets += u16(2)
        octets += u16(4)
        for value in [0, 0, 65_535, link] { octets += u32(value) }
        return octets
    }

    /// - Parameter link: 187, 201 or 254.
    func pcap(_ link: UInt32, isNano: Bool = false) -> [UInt8] {
        var octets = pcapHeader(link, isNano: isNano)
        for (index, packet) in Self.packets.enumerated() {
            let content = content(packet, UInt16(link))
            let length = UInt32(content.count)
            let fraction = Self.microseconds(index) * (isNano ? 1_000 : 1)
            for value in [Self.start.seconds, fraction, length, length] { octets += u32(value) }
            octets += content
        }
        return octets
    }

    /// The packet with what the link type puts before it.
    func content(_ packet: Packet, _ link: UInt16) -> [UInt8] {
        switch link {
        case 201: return [0, 0, 0, packet.isReceived ? 1 : 0] + packet.hci
        case 254:
            let opcode: UInt8 =
                switch packet.hci[0] {
                case 0x01: 2
                case 0x04: 3
                default: packet.isReceived ? 5 : 4
                }
            return [0, 7, 0, opcode] + packet.hci.dropFirst()
        default: return packet.hci
        }
    }

    // MARK: - pcapng

    func block(_ kind: UInt32, _ body: [UInt8]) -> [UInt8] {
        let padded = body + [UInt8](repeating: 0, count: -body.count & 3)
        let length = UInt32(padded.count + 12)
        return u32(kind) + u32(length) + padded + u32(length)
    }

    func option(_ code: UInt16, _ value: [UInt8]) -> [UInt8] {
        u16(code) + u16(UInt16(value.count)) + value + [UInt8](repeating: 0, count: -value.count & 3)
    }

    func section(_ options: [UInt8] = []) -> [UInt8] {
        var body = u32(0x1A2B_3C4D)
        body += u16(1)
        body += u16(0)
        body += [UInt8](repeating: 0xFF, count: 8)
        return block(0x0A0D_0D0A, body + options)
    }

    func interface(_ link: UInt16, _ options: [UInt8] = [], snapLength: UInt32 = 0) -> [UInt8] {
        let head: [UInt8] = u16(link) + u16(0)
        return block(1, head + u32(snapLength) + options)
    }

    func enhanced(_ interface: UInt32, _ ticks: UInt64, _ content: [UInt8], _ options: [UInt8] = []) -> [UInt8] {
        let length = UInt32(content.count)
        var body: [UInt8] = []
        for value in [interface, UInt32(ticks >> 32), UInt32(truncatingIfNeeded: ticks), length, length] {
            body += u32(value)
        }
        body += content
        body += [UInt8](repeating: 0, count: -content.count & 3)
        body += options
        return block(6, body)
    }

    /// - Parameter link: 187, 201 or 254.
    func pcapng(_ link: UInt16) -> [UInt8] {
        Self.packets.enumerated().reduce(section() + interface(link)) { octets, packet in
            let ticks = UInt64(Self.time(packet.offset).nanoseconds) / 1_000
            // In H4 without a header, the flags tell the direction.
            let flags = option(2, u32(packet.element.isReceived ? 1 : 2))
            return octets + enhanced(0, ticks, content(packet.element, link), link == 187 ? flags : [])
        }
    }

    // MARK: - gzip and zip

    static func crc(_ octets: [UInt8]) -> UInt32 {
        var crc = UInt32.max
        for octet in octets {
            crc ^= UInt32(octet)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : (crc >> 1) ^ 0xEDB8_8320 }
        }
        return ~crc
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Deflated data of a stored block.
    static func deflated(_ octets: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [1]
        result += little(octets.count, 2)
        result += little(~octets.count, 2)
        return result + octets
    }

    static func gzip(_ octets: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        result += deflated(octets)
        result += little(Int(crc(octets)), 4)
        return result + little(octets.count, 4)
    }

    /// A file of an archive, and what is wrong with it.
    struct Entry {
        var name: String
        var octets: [UInt8]
        var isDeflated = false
        var flags = 0
        /// What is added to the length and to the checksum.
        var error = (length: 0, crc: 0)
        /// The place in the directory, if it is another one.
        var offset: Int?
    }

    static func zip(_ entries: [Entry], count: Int? = nil) -> [UInt8] {
        var files: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let packed = entry.isDeflated ? deflated(entry.octets) : entry.octets
            var fields = little(entry.flags, 2)
            fields += little(entry.isDeflated ? 8 : 0, 2)
            fields += little(0, 4)
            fields += little(Int(crc(entry.octets)) ^ entry.error.crc, 4)
            fields += little(packed.count, 4)
            fields += little(entry.octets.count + entry.error.length, 4)
            fields += little(entry.name.utf8.count, 2)
            fields += little(0, 2)
            directory += [0x50, 0x4B, 1, 2, 20, 0, 20, 0]
            directory += fields
            directory += little(0, 2 + 2 + 2 + 4)
            directory += little(entry.offset ?? files.count, 4)
            directory += Array(entry.name.utf8)
            files += [0x50, 0x4B, 3, 4, 20, 0]
            files += fields
            files += Array(entry.name.utf8)
            files += packed
        }
        var end: [UInt8] = [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
        for _ in 0..<2 { end += little(count ?? entries.count, 2) }
        end += little(directory.count, 4)
        end += little(files.count, 4)
        end += little(0, 2)
        return files + directory + end
    }
}
