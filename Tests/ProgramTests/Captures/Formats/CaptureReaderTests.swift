// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import Captures
@testable import Toolkit

@Suite("CaptureReader")
struct CaptureReaderTests {
    /// What is read of a capture that arrives in blocks, and its fault.
    static func read(_ octets: [UInt8], by step: Int = .max) -> (records: [CapturedRecord], fault: CaptureFault?) {
        var reader = CaptureReader()
        var records: [CapturedRecord] = []
        var rest = octets[...]
        do throws(CaptureFault) {
            while !rest.isEmpty {
                reader.append(rest.prefix(step))
                rest = rest.dropFirst(step)
                while let record = try reader.next() { records.append(record) }
            }
            reader.end()
            while let record = try reader.next() { records.append(record) }
        } catch {
            return (records, error)
        }
        return (records, nil)
    }

    /// A capture of each format, by its name.
    static let captures: [(name: String, octets: [UInt8])] =
        [("btsnoop", CaptureOctets.btsnoop)]
        + [false, true].flatMap { isBigEndian in
            let made = CaptureOctets(isBigEndian: isBigEndian)
            let order = isBigEndian ? "big" : "little"
            return [
                ("PacketLogger \(order)", made.packetLogger), ("pcap 187 \(order)", made.pcap(187)),
                ("pcap 201 \(order)", made.pcap(201)), ("pcap 201 ns \(order)", made.pcap(201, isNano: true)),
                ("pcap 254 \(order)", made.pcap(254)), ("pcapng 187 \(order)", made.pcapng(187)),
                ("pcapng 201 \(order)", made.pcapng(201)), ("pcapng 254 \(order)", made.pcapng(254)),
            ]
        }

    @Test("every format has the same packets, in blocks of any length", arguments: captures)
    func formats(_ name: String, _ octets: [UInt8]) {
        let adapter: ManagementIndex? = name.contains("254") ? ManagementIndex(7) : nil
        let expected = CaptureOctets.packets.enumerated().map { index, packet in
            let direction: CapturedPacket.Direction = packet.isReceived ? .received : .sent
            return CapturedRecord(
                CapturedPacket(.hci(packet.hci), direction, adapter: adapter),
                at: CaptureOctets.time(index)
            )
        }
        for step in [1, 7, .max] {
            let (records, fault) = Self.read(octets, by: step)
            #expect(fault == nil)
            #expect(records == expected, "\(step)")
        }
    }

    @Test("a capture that was cut has the whole records, and a fault", arguments: captures)
    func cut(_ name: String, _ octets: [UInt8]) {
        let whole = Self.read(octets).records
        var clean = 0
        for count in 1..<octets.count {
            let (records, fault) = Self.read(Array(octets.prefix(count)))
            #expect(records == Array(whole.prefix(records.count)), "\(count)")
            if fault == nil { clean += 1 }
        }
        // Only between records, and behind headers.
        #expect(clean <= CaptureOctets.packets.count + 1)
    }

    @Test("a header in the middle begins the next capture")
    func concatenated() {
        let (big, little) = (CaptureOctets(isBigEndian: true), CaptureOctets())
        let parts = [
            CaptureOctets.btsnoop, little.pcapng(201), big.pcap(201), little.packetLogger, CaptureOctets.btsnoop,
            big.pcapng(187), little.pcap(187), CaptureOctets.btsnoop,
        ]
        // PacketLogger has no header, so that it does not begin in the middle.
        let headed = parts.enumerated().filter { $0.offset != 3 }.map(\.element)
        for step in [1, .max] {
            let (records, fault) = Self.read(Array(headed.joined()), by: step)
            #expect(fault == nil)
            #expect(records == Array(repeatElement(CaptureOctets.records, count: headed.count).joined()))
        }
        #expect(Self.read(parts[3] + parts[0]).records == CaptureOctets.records + CaptureOctets.records)
    }

    @Test("notes of PacketLogger are remarks, and other kinds are kept")
    func packetLogger() {
        let made = CaptureOctets()
        let contents: [[UInt8]] = [[0xFC] + Array("a note".utf8) + [0], [0x09, 0x40, 0, 0], [0x0A, 1], []]
        let octets = contents.enumerated().flatMap { made.packetLoggerRecord($0.offset, $0.element) }
        #expect(
            Self.read(octets).records.map(\.content) == [
                .packet(CapturedPacket(.note("a note"), .received)),
                .packet(CapturedPacket(.hci([3, 0x40, 0, 0]), .received)),
                .packet(CapturedPacket(.other(0x0A, [1]), .received)),
                .malformed(DecodeError("packet type", .truncated(needed: 1, available: 0)), []),
            ]
        )
    }

    @Test("the direction in H4 without a header: commands, events, and the first part of what a host sends")
    func directions() {
        let made = CaptureOctets()
        let packets = ["01030c00", "040e0401030c00", "0240000700", "0240200700", "0240100700", "02"]
        let octets = packets.reduce(made.pcapHeader(187)) { octets, hex in
            let content = Hex.bytes(hex) ?? []
            let length = UInt32(content.count)
            return octets + [0, 0, length, length].flatMap { made.u32($0) } + content
        }
        let directions = Self.read(octets).records.map { record -> CapturedPacket.Direction? in
            if case .packet(let packet) = record.content { packet.direction } else { nil }
        }
        #expect(directions == [.sent, .received, .sent, .received, .received, .received])
    }

    @Test("files of other kinds are named")
    func foreign() {
        func fault(_ octets: [UInt8]) -> CaptureFault? { Self.read(octets).fault }
        func fault(_ text: String) -> CaptureFault? { fault(Array(text.utf8)) }
        let made = CaptureOctets()
        #expect(fault("a text that is no capture") == .unknown)
        #expect(fault([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 1]) == .foreign(.compressed("xz")))
        #expect(fault([0x28, 0xB5, 0x2F, 0xFD, 1]) == .foreign(.compressed("zstd")))
        #expect(fault("BZh91AY") == .foreign(.compressed("bzip2")))
        #expect(fault("Bluetooth monitor ver 5.66\n") == .foreign(.btmonText))
        #expect(fault("====\n== dumpstate: 2026-11-20 06:42:11\n") == .foreign(.bugReport))
        #expect(fault([0, 0x10, 0, 0, 0x11, 0, 0, 0, 0xD0, 0, 0, 0]) == .foreign(.unifiedLog))
        #expect(fault([UInt8](repeating: 0x61, count: 257) + Array("ustar".utf8)) == .foreign(.tar))
        for link in [251, 256, 272, 189, 220, 1] as [UInt16] {
            let kind = LinkType(rawValue: link)
            #expect(fault(made.pcapHeader(UInt32(link))) == .foreign(.link(kind)))
            let packets = made.section() + made.interface(link) + made.enhanced(0, 1, [1, 2, 3])
            #expect(fault(packets) == .foreign(.link(kind)))
            #expect(ForeignFile.link(kind).description.contains("\(link)"))
        }
        #expect(LinkType(rawValue: 251).traffic == .air && LinkType(rawValue: 220).traffic == .usb)
        #expect(fault(BTSnoopHeader(BTSnoopDatalink(rawValue: 1_003)).encoded()) == .datalink(.init(rawValue: 1_003)))
    }
}
