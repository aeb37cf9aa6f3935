// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

enum CaptureFileFormat: Equatable {
    /// The format of btmon and of Android, which also tells adapters apart.
    case btsnoop
    /// Packets in H4 with their direction, without adapters.
    case pcap
    /// The same with an interface for each adapter, and with the command line as a comment.
    case pcapng

    init(_ path: String) {
        self = path.hasSuffix(".pcapng") ? .pcapng : path.hasSuffix(".pcap") ? .pcap : .btsnoop
    }
}

/// Writes packets as the records of a pcap file, all of one adapter.
enum PcapEncoding {
    /// The header of a file with microseconds.
    static var header: [UInt8] {
        var writer = ByteWriter()
        writer.uint32(PcapFormat.microseconds)
        writer.uint16(PcapFormat.majorVersion)
        writer.uint16(4)
        writer.uint64(0)
        writer.uint32(UInt32(BTSnoopRecord.maximumLength))
        writer.uint32(UInt32(LinkType.h4WithDirection.rawValue))
        return writer.bytes
    }

    static func record(_ packet: CaptureConverter.Packet) -> [UInt8] {
        let octets = LinkType.octets(of: packet)
        let (seconds, microseconds) = floorDivision(packet.timestamp.microsecondsSince1970, 1_000_000)
        var writer = ByteWriter(capacity: 16 + octets.count)
        writer.uint32(UInt32(clamping: seconds))
        writer.uint32(UInt32(clamping: microseconds))
        for _ in 0..<2 { writer.uint32(UInt32(clamping: octets.count)) }
        writer.append(octets)
        return writer.bytes
    }
}

/// Writes packets as the blocks of a pcapng file, whose first block is its section.
struct PcapNGEncoding {
    /// The adapters that have an interface, in the order of its numbers.
    private var adapters: [ManagementIndex] = []

    /// The beginning of a file.
    ///
    /// - Parameters:
    ///   - program: The program that writes it.
    ///   - comment: What the section is; `nil` for none.
    static func section(by program: String, comment: String?) -> [UInt8] {
        block(PcapNGFormat.Block.section) { writer in
            writer.uint32(PcapNGFormat.Block.byteOrder)
            writer.uint16(1)
            writer.uint16(0)
            // The length of the section is not known.
            writer.uint64(.max)
            if let comment { option(PcapNGFormat.Option.comment, Array(comment.utf8), &writer) }
            option(PcapNGFormat.Option.program, Array(program.utf8), &writer)
            writer.uint32(0)
        }
    }

    /// A packet, behind the interface of its adapter if it is the first one. `remember` notes that interface.
    ///
    /// - Parameter lost: The number of packets that were lost since the packet before.
    func packet(_ packet: CaptureConverter.Packet, lost: UInt32) -> [UInt8] {
        let known = adapters.firstIndex(of: packet.adapter)
        let octets = LinkType.octets(of: packet)
        let time = UInt64(clamping: packet.timestamp.microsecondsSince1970)
        let block = Self.block(PcapNGFormat.Block.enhancedPacket) { writer in
            writer.uint32(UInt32(clamping: known ?? adapters.count))
            writer.uint32(UInt32(truncatingIfNeeded: time >> 32))
            writer.uint32(UInt32(truncatingIfNeeded: time))
            for _ in 0..<2 { writer.uint32(UInt32(clamping: octets.count)) }
            Self.append(octets, &writer)
            guard lost > 0 else { return }
            var count = ByteWriter()
            count.uint64(UInt64(lost))
            Self.option(PcapNGFormat.Option.drops, count.bytes, &writer)
            writer.uint32(0)
        }
        return (known == nil ? Self.interface(of: packet.adapter) : []) + block
    }

    /// Notes that the interface of an adapter is in the file.
    mutating func remember(_ adapter: ManagementIndex) {
        if !adapters.contains(adapter) { adapters.append(adapter) }
    }

    private static func interface(of adapter: ManagementIndex) -> [UInt8] {
        block(PcapNGFormat.Block.interface) { writer in
            writer.uint16(LinkType.h4WithDirection.rawValue)
            writer.uint16(0)
            // No limit of the length.
            writer.uint32(0)
            option(PcapNGFormat.Option.name, Array(adapter.description.utf8), &writer)
            writer.uint32(0)
        }
    }

    private static func block(_ kind: UInt32, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
        var content = ByteWriter()
        body(&content)
        let length = UInt32(clamping: content.bytes.count + 12)
        var writer = ByteWriter(capacity: content.bytes.count + 12)
        writer.uint32(kind)
        writer.uint32(length)
        writer.append(content.bytes)
        writer.uint32(length)
        return writer.bytes
    }

    private static func option(_ code: UInt16, _ value: [UInt8], _ writer: inout ByteWriter) {
        let value = Array(value.prefix(Int(UInt16.max) - 3))
        writer.uint16(code)
        writer.uint16(UInt16(value.count))
        append(value, &writer)
    }

    /// Appends octets, and zeros up to a multiple of four.
    private static func append(_ octets: [UInt8], _ writer: inout ByteWriter) {
        writer.append(octets)
        writer.append([UInt8](repeating: 0, count: -octets.count & 3))
    }
}

extension LinkType {
    fileprivate static func octets(of packet: CaptureConverter.Packet) -> [UInt8] {
        [0, 0, 0, packet.direction == .received ? 1 : 0] + packet.octets
    }
}
