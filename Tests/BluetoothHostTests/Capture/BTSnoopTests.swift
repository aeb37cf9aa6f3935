// SPDX-License-Identifier: MIT

import BluetoothDevices
import Testing

@testable import Bluetooth
@testable import BluetoothHost

@Suite("btsnoop")
struct BTSnoopTests {
    /// 2026-11-20T06:42:11.883291Z
    private static let moment = BTSnoopTimestamp(microsecondsSince1970: 1_795_156_931_883_291)

    /// A file with the datalink H4: a Reset command, and its Command Complete with an octet cut off.
    private static let file = octets(
        """
        62 74 73 6e 6f 6f 70 00  00000001  000003ea
        00000004 00000004 00000002 00000000 00e33e629a6d311b  01 03 0c 00
        00000007 00000006 00000003 00000005 00e33e629a6d317f  04 0e 04 01 03 0c
        """.filter { !$0.isNewline }
    )

    private func read(_ octets: [UInt8], by step: Int) -> (records: [BTSnoopRecord], error: BTSnoopError?) {
        var reader = BTSnoopReader()
        var records: [BTSnoopRecord] = []
        do throws(BTSnoopError) {
            for start in stride(from: 0, to: octets.count, by: step) {
                reader.append(octets[start..<min(octets.count, start + step)])
                while let record = try reader.next() { records.append(record) }
            }
            try reader.finish()
        } catch {
            return (records, error)
        }
        return (records, nil)
    }

    /// Expects that the value encodes to exactly these octets, and that fewer or more do not decode.
    private func expectWire<Value: WireDecodable & WireEncodable & Equatable>(_ value: Value, _ hex: String) throws {
        let bytes = octets(hex)
        #expect(value.encoded() == bytes)
        #expect(try Value(decoding: bytes) == value)
        for wrong in bytes.indices.map({ Array(bytes[..<$0]) }) + [bytes + [0x00]] {
            #expect(throws: DecodeError.self, "\(wrong.count) octets") { _ = try Value(decoding: wrong) }
        }
    }

    @Test("the header's octets")
    func header() throws {
        try expectWire(BTSnoopHeader(.h4), "62 74 73 6e 6f 6f 70 00 00000001 000003ea")
        try expectWire(BTSnoopHeader(.linuxMonitor), "62 74 73 6e 6f 6f 70 00 00000001 000007d1")
        #expect(throws: DecodeError("version", .invalid(value: 2))) {
            _ = try BTSnoopHeader(decoding: octets("62 74 73 6e 6f 6f 70 00 00000002 000003ea"))
        }
        #expect("\(BTSnoopDatalink.h4), \(BTSnoopDatalink(rawValue: 1_004))" == "HCI UART (H4), datalink 1004")
    }

    @Test("a record's octets: all numbers big-endian")
    func record() throws {
        try expectWire(
            BTSnoopRecord(octets("01 03 0c 00"), flags: 2, at: Self.moment),
            "00000004 00000004 00000002 00000000 00e33e629a6d311b 01 03 0c 00"
        )
        let cut = BTSnoopRecord([0x04], originalLength: 9, flags: 3, cumulativeDrops: 7, at: Self.moment)
        try expectWire(cut, "00000009 00000001 00000003 00000007 00e33e629a6d311b 04")
        #expect(cut.missingLength == 8)
    }

    @Test("microseconds count from the year 0, and never trap")
    func timestamps() {
        // The number that BlueZ has for the beginning of the year 2000.
        #expect(BTSnoopTimestamp(rawValue: 0x00E0_3AB4_4A67_6000).microsecondsSince1970 == 946_684_800_000_000)
        #expect(Self.moment.microsecondsSince1970 == 1_795_156_931_883_291)
        #expect(BTSnoopTimestamp(microsecondsSince1970: .max).rawValue == .max)
        #expect(BTSnoopTimestamp(rawValue: .min).microsecondsSince1970 == .min)
        #expect(BTSnoopTimestamp.unixEpoch < Self.moment)
    }

    @Test("a file is read in pieces of any size", arguments: [1, 2, 3, 7, 16, 24, 1_000])
    func pieces(step: Int) {
        let (records, error) = read(Self.file, by: step)
        #expect(error == nil)
        #expect(records.map { Hex.string($0.data) } == ["01030c00", "040e0401030c"])
        #expect(records.map(\.cumulativeDrops) == [0, 5])
        #expect(records.map(\.missingLength) == [0, 1])
        #expect(records.first?.timestamp == Self.moment)
    }

    @Test("whole records before a truncation are read, and the error has its place", arguments: [1, 5, 1_000])
    func truncated(step: Int) {
        let ends = [16, 44, 74]
        #expect(Self.file.count == ends.last)
        for length in 0..<Self.file.count {
            let (records, error) = read(Array(Self.file.prefix(length)), by: step)
            let whole = ends.filter { $0 <= length }
            #expect(records.count == max(0, whole.count - 1), "\(length) octets")
            #expect(error?.offset == (ends.contains(length) ? nil : UInt64(whole.last ?? 0)), "\(length) octets")
        }
        let message = read(Array(Self.file.prefix(70)), by: step).error.map { "\($0)" }
        #expect(message == "octet 44: packet data: needs 6 octets, 2 left")
    }

    @Test("a foreign file is refused at its header, an impossible length at its record")
    func hostile() {
        var reader = BTSnoopReader()
        reader.append([0x62, 0x74, 0x74])
        #expect(throws: BTSnoopError(BTSnoopHeader.otherFile, at: 0)) { _ = try reader.next() }

        let huge = Array(Self.file.prefix(16)) + octets("ffffffff ffffffff 00000000 00000000 0000000000000000 00")
        let (records, error) = read(huge, by: 1)
        #expect(records.isEmpty)
        #expect(error.map { "\($0)" } == "octet 16: included length: invalid value 0xFFFFFFFF")
    }

    @Test("random octets after a header never trap, and never ask for more than a record")
    func random() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<2_000 {
            let noise = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
                UInt8.random(in: 0...(Bool.random(using: &generator) ? 3 : 255), using: &generator)
            }
            let datalink =
                [BTSnoopDatalink.h4, .unencapsulatedHCI, .linuxMonitor].randomElement(using: &generator) ?? .h4
            for record in read(BTSnoopHeader(datalink).encoded() + noise, by: 50).records {
                _ = try? CapturedPacket(record, of: datalink)
                #expect(record.data.count <= BTSnoopRecord.maximumLength)
            }
        }
    }
}
