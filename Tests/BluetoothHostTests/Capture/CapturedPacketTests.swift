// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@Suite("Captured packets")
struct CapturedPacketTests {
    private static let moment = BTSnoopTimestamp.unixEpoch

    private func packet(_ hex: String, flags: UInt32, _ datalink: BTSnoopDatalink) throws -> CapturedPacket {
        try CapturedPacket(BTSnoopRecord(octets(hex), flags: flags, at: Self.moment), of: datalink)
    }

    @Test("each datalink encodes the type and the direction of a packet")
    func hci() throws {
        let h4 = try packet("04 0e 04 01 03 0c 00", flags: 3, .h4)
        #expect(h4 == CapturedPacket(.hci(octets("04 0e 04 01 03 0c 00")), .received))
        let command = try packet("03 0c 00", flags: 2, .unencapsulatedHCI)
        #expect(command == CapturedPacket(.hci(octets("01 03 0c 00")), .sent))
        let event = try packet("0e 04 01 03 0c 00", flags: 3, .unencapsulatedHCI)
        #expect(event == CapturedPacket(.hci(octets("04 0e 04 01 03 0c 00")), .received))
        let data = try packet("40 00 00 00", flags: 1, .unencapsulatedHCI)
        #expect(data == CapturedPacket(.hci(octets("02 40 00 00 00")), .received))
        let monitored = try packet("40 20 00 00", flags: 0x0001_0005, .linuxMonitor)
        #expect(monitored == CapturedPacket(.hci(octets("02 40 20 00 00")), .received, adapter: ManagementIndex(1)))
    }

    @Test("a packet survives every datalink unchanged")
    func roundTrip() throws {
        let packets: [(String, CapturedPacket.Direction)] = [
            ("01 03 0c 00", .sent), ("04 0e 04 01 03 0c 00", .received), ("02 40 00 00 00", .sent),
            ("02 40 20 00 00", .received),
        ]
        for datalink in [BTSnoopDatalink.unencapsulatedHCI, .h4, .linuxMonitor] {
            for (hex, direction) in packets {
                let record = CapturedPacket.record(hci: octets(hex), direction, in: datalink, at: Self.moment)
                let read = try CapturedPacket(record, of: datalink)
                #expect(read.content == .hci(octets(hex)) && read.direction == direction, "\(datalink) \(hex)")
            }
        }
    }

    @Test("messages of the monitor socket that are not packets")
    func monitor() throws {
        let adapter = ManagementIndex(0)
        let added = try packet("00 00 f5f4f3f2f1f0 6863693000000000", flags: 0, .linuxMonitor)
        #expect(added.content == .adapter("added as hci0, address F0:F1:F2:F3:F4:F5"))
        let removed = try packet("", flags: 1, .linuxMonitor)
        #expect(removed == CapturedPacket(.adapter("removed"), .received, adapter: adapter))
        let described = try packet("f5f4f3f2f1f0 f105", flags: 10, .linuxMonitor)
        #expect(described.content == .adapter("address F0:F1:F2:F3:F4:F5, manufacturer 0x05F1"))
        let note = try packet("4c696e757800", flags: 0xFFFF_000C, .linuxMonitor)
        #expect(note.content == .note("Linux") && note.adapter == ManagementIndex.none)
        let logged = try packet("06 02 6162 686900", flags: 13, .linuxMonitor)
        #expect(logged.content == .note("ab: hi"))
        let powered = try packet("01000000 0500 01", flags: 16, .linuxMonitor)
        let set = ManagementPacket(code: 5, adapter: adapter, parameters: [1])
        #expect(powered == CapturedPacket(.management(set), .sent, adapter: adapter))
        let other = try packet("aabb", flags: 99, .linuxMonitor)
        #expect(other.content == .other(99, [0xAA, 0xBB]))
        for (hex, flags) in [("00 00 f5", 0), ("f5f4", 10), ("06 09 61", 13), ("0100", 16)] as [(String, UInt32)] {
            #expect(throws: DecodeError.self) { _ = try packet(hex, flags: flags, .linuxMonitor) }
        }
    }

    @Test("an unknown datalink is refused")
    func unknown() {
        #expect(throws: DecodeError("datalink type", .invalid(value: 1_003))) {
            _ = try packet("01", flags: 0, BTSnoopDatalink(rawValue: 1_003))
        }
    }
}
