// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import Captures
@testable import Toolkit

@Suite("PcapNGFormat", .serialized)
struct PcapNGFormatTests {
    private func read(_ octets: [UInt8]) -> (records: [CapturedRecord], fault: CaptureFault?) {
        CaptureReaderTests.read(octets)
    }

    private func text(_ record: CapturedRecord) -> String? {
        guard case .packet(let packet) = record.content, case .note(let text) = packet.content else { return nil }
        return text
    }

    private static let reset: [UInt8] = [0, 0, 0, 0, 1, 3, 0x0C, 0]

    @Test("interfaces have names, and the adapters of Linux their numbers", arguments: [false, true])
    func interfaces(_ isBigEndian: Bool) {
        let made = CaptureOctets(isBigEndian: isBigEndian)
        func interface(_ name: String) -> [UInt8] { made.interface(201, made.option(2, Array(name.utf8))) }
        let names = ["hci1", "bluetooth2", "phone"].flatMap { interface($0) }
        let packets = (0..<4 as Range<UInt32>).flatMap { made.enhanced($0, 0, Self.reset) }
        let octets: [UInt8] = made.section() + names + made.interface(201) + packets
        let (records, fault) = read(octets)
        #expect(fault == nil)
        let adapters = records.map { record -> ManagementIndex? in
            if case .packet(let packet) = record.content { packet.adapter } else { nil }
        }
        #expect(adapters == [ManagementIndex(1), ManagementIndex(2), nil, nil])
        #expect(records.map(\.origin.name) == [nil, nil, "phone", nil])
        #expect(records.map(\.origin.interface) == [0, 1, 2, 3])
        var decoder = CaptureDecoder()
        #expect(decoder.event(records[2]).line.contains("> hci phone Reset"))
    }

    @Test("connections of interfaces with the same handle are distinguished")
    func handles() {
        let made = CaptureOctets()
        let request = CaptureOctets.packets[3], answer = CaptureOctets.packets[4]
        let parts: [[UInt8]] = [
            made.section(), made.interface(201), made.interface(201), made.enhanced(0, 0, made.content(request, 201)),
            made.enhanced(1, 0, made.content(answer, 201)), made.enhanced(0, 0, made.content(answer, 201)),
        ]
        let octets = Array(parts.joined())
        var decoder = CaptureDecoder()
        let events = read(octets).records.map { decoder.event($0) }
        #expect(events.map { $0.answered?.number } == [nil, nil, 1])
    }

    @Test(
        "comments pass with the next packet, unknown blocks are skipped, and packets in simple blocks have the last time"
    )
    func blocks() {
        let made = CaptureOctets(isBigEndian: true)
        let comment = { (text: String) in made.option(1, Array(text.utf8)) }
        var obsolete: [UInt8] = made.u16(0) + made.u16(2)
        for value in [0, 6_000_000, 4, 4] as [UInt32] { obsolete += made.u32(value) }
        let drops = made.option(4, [0, 0, 0, 0, 0, 0, 0, 3])
        let parts: [[UInt8]] = [
            made.section(comment("a run") + made.option(4, Array("program".utf8)) + [0, 0, 0, 0]),
            made.interface(187, comment("an adapter"), snapLength: 4),
            made.block(0x0BAD, [UInt8](repeating: 7, count: 70_000)),
            made.enhanced(0, 5_000_000, [1, 3, 0x0C, 0], comment("a packet") + drops),
            made.block(3, made.u32(6) + [4, 0x0E, 4, 1]),
            made.block(5, [1, 2, 3, 4]),
            made.block(2, obsolete + [1, 3, 0x0C, 0]),
        ]
        let octets = Array(parts.joined())
        for step in [1, 1_000, .max] {
            let (records, fault) = CaptureReaderTests.read(octets, by: step)
            #expect(fault == nil)
            #expect(records.prefix(3).map { text($0) } == ["a run", "an adapter", "a packet"])
            #expect(records.dropFirst(3).map(\.lost) == [3, 0, 2])
            #expect(records.dropFirst(3).map(\.missing) == [0, 2, 0])
            #expect(records.map { $0.time.nanoseconds / 1_000_000_000 } == [5, 5, 5, 5, 5, 6])
        }
    }

    @Test("interfaces of other traffic beside one of HCI are left out, with a remark")
    func otherTraffic() {
        let made = CaptureOctets()
        let parts: [[UInt8]] = [
            made.section(), made.interface(1, made.option(2, Array("eth0".utf8))), made.interface(201),
            made.enhanced(0, 0, [1, 2, 3]), made.enhanced(1, 0, Self.reset),
        ]
        let octets = Array(parts.joined())
        let (records, fault) = read(octets)
        #expect(fault == nil && records.count == 2)
        #expect(text(records[0]) == "interface eth0 has link type 1, and its packets are left out")
        // The numbers are those of all packets in the file. A remark is none.
        #expect(records.map(\.count) == [0, 2])
        var decoder = CaptureDecoder()
        #expect(records.map { decoder.event($0).number } == [0, 2])
    }

    @Test(
        "the clock of an interface",
        arguments: [
            (6, 0, 1_500_000, 1_500_000_000), (9, 0, 1_500_000_000, 1_500_000_000), (0, 0, 3, 3_000_000_000),
            (3, 10, 1_500, 11_500_000_000), (12, 0, 1_500_000_000_000, 1_500_000_000),
            (0x80 | 10, 0, 1_536, 1_500_000_000),
            (0x80, 0, 3, 3_000_000_000), (0x80 | 63, 0, 1 << 62, 500_000_000), (0x80 | 64, 0, 1 << 63, 500_000_000),
            (0x80 | 65, 0, 1 << 63, 250_000_000), (19, 0, 1 << 63, 922_337_203), (20, 0, 1 << 63, 0),
            (0x80 | 127, 0, 1 << 63, 0), (6, -2, 1_000_000, -1_000_000_000),
            (0, 0, .max, .max), (0, .max, 1, .max), (0, .min, 0, .min), (6, .max, .max, .max),
        ] as [(UInt8, Int64, UInt64, Int64)]
    )
    func clock(_ resolution: UInt8, _ offset: Int64, _ ticks: UInt64, _ nanoseconds: Int64) {
        #expect(CaptureClock(resolution: resolution, offset: offset).time(of: ticks).nanoseconds == nanoseconds)
        for isBigEndian in [false, true] {
            let made = CaptureOctets(isBigEndian: isBigEndian)
            let bits = UInt64(bitPattern: offset)
            let octets = (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * (isBigEndian ? 7 - $0 : $0))) }
            let options = made.option(9, [resolution]) + made.option(14, octets)
            let file = made.section() + made.interface(201, options) + made.enhanced(0, ticks, Self.reset)
            #expect(read(file).records.map(\.time.nanoseconds) == [nanoseconds])
        }
    }

    @Test("hostile blocks are faults")
    func hostile() {
        let made = CaptureOctets()
        let start = made.section() + made.interface(201)
        func fault(_ octets: [UInt8]) -> CaptureFault? { read(start + octets).fault }
        func raw(_ kind: UInt32, _ length: UInt32, _ body: [UInt8] = [], end: UInt32? = nil) -> [UInt8] {
            made.u32(kind) + made.u32(length) + body + made.u32(end ?? length)
        }
        let header = [UInt8](repeating: 0, count: 12)
        let long = [UInt8](repeating: 0, count: 20)
        let eight = made.u32(8)
        let next: [UInt8] = made.u32(0x1A2B_3C4D) + made.u16(2)
        let option: [UInt8] = made.u16(1) + made.u16(9)
        let most = made.u32(.max)
        let faults: [(String, [UInt8])] = [
            ("shorter than its header", raw(6, 8)), ("no multiple of four", raw(6, 13)),
            ("too long", raw(6, 0xFFFF_FFFC)),
            ("another length at its end", raw(6, 32, long, end: 36)),
            ("an interface that is not there", made.enhanced(1, 0, [])),
            ("more data than the block has", made.block(6, header + eight + eight)),
            ("more data than any block has", made.block(6, header + most + most)),
            ("an option beyond the block", made.enhanced(0, 0, [], option)),
            ("an unknown block that does not end", raw(0x0BAD, 64)),
            ("another version", made.block(0x0A0D_0D0A, next + header)),
        ]
        for (what, octets) in faults {
            guard case .damaged = fault(octets) else {
                Issue.record("\(what): \(String(describing: fault(octets)))")
                continue
            }
        }
        #expect(read(made.section() + made.block(3, made.u32(0))).fault != nil)
        let many = read(made.section() + (0..<1_100).flatMap { _ in made.interface(201) })
        #expect(many.fault != nil && many.records.isEmpty)
        // The limit of comments that wait.
        let comments = (0..<200).flatMap { _ in made.interface(201, made.option(1, [0x61])) }
        #expect(read(made.section() + comments + made.enhanced(0, 0, Self.reset)).records.count == 65)
    }
}
