// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Foundation
import Testing

@testable import Captures
@testable import Toolkit

@Suite("Captures in the formats of Wireshark")
struct CaptureWritingTests {
    private func packet(_ octets: [UInt8], _ adapter: Int, isReceived: Bool = false) -> CaptureConverter.Packet {
        CaptureConverter.Packet(
            octets: octets,
            direction: isReceived ? .received : .sent,
            adapter: ManagementIndex(adapter),
            timestamp: BTSnoopTimestamp(microsecondsSince1970: 1_795_156_931_883_291)
        )
    }

    /// What is in a file that was written.
    private func written(
        _ suffix: String,
        comment: String? = nil,
        _ packets: [CaptureConverter.Packet]
    ) throws -> (records: [CapturedRecord], failure: BlectlError?) {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + suffix).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var file = try CaptureFile(path, for: .first, comment: comment)
        for packet in packets { file.write(packet) }
        let (records, fault) = CaptureReaderTests.read(try StandardStreams.read(path, limit: 100_000))
        #expect(fault == nil)
        return (records, file.failure)
    }

    @Test("pcapng has an interface for each adapter, and the command line")
    func pcapng() throws {
        let packets = [
            packet([1, 3, 0x0C, 0], 0), packet([4, 0x0E, 0], 1, isReceived: true), packet([1, 1, 2, 1, 9], 0),
        ]
        let (records, failure) = try written(".pcapng", comment: "blectl read 'a b'", packets)
        #expect(failure == nil)
        #expect(records.first?.content == .packet(CapturedPacket(.note("blectl read 'a b'"), .received)))
        #expect(
            records.dropFirst().map(\.content)
                == packets.map { .packet(CapturedPacket(.hci($0.octets), $0.direction, adapter: $0.adapter)) }
        )
        #expect(records.allSatisfy { $0.time.nanoseconds == 1_795_156_931_883_291_000 })
    }

    @Test("pcap has one adapter, and ends with the packet of a second one")
    func pcap() throws {
        let (records, failure) = try written(".pcap", [packet([1, 3, 0x0C, 0], 0), packet([1, 3, 0x0C, 0], 1)])
        #expect(records.map(\.content) == [.packet(CapturedPacket(.hci([1, 3, 0x0C, 0]), .sent))])
        #expect(failure?.status == .ioError && failure?.hint?.contains("pcapng") == true)
    }

    @Test("another name is a btsnoop file")
    func btsnoop() throws {
        #expect(CaptureFileFormat("run.btsnoop") == .btsnoop && CaptureFileFormat("pcapng") == .btsnoop)
        #expect(try written("", [packet([1, 3, 0x0C, 0], 0)]).records.count == 1)
    }

    @Test("a pipe without room loses whole blocks, and the next one tells how many")
    func pipe() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".pcapng").path
        defer { unlink(path) }
        try #require(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        var octets: [UInt8] = []
        func drain() {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(reader, &buffer, buffer.count)
                guard count > 0 else { return }
                octets += buffer.prefix(count)
            }
        }
        var file = try CaptureFile(path, for: .first)
        for _ in 0..<3_000 { file.write(packet([UInt8](repeating: 0x02, count: 1_000), 0)) }
        let lost = file.droppedCount
        drain()
        file.write(packet([4], 1))
        file.write(packet([4], 1))
        drain()
        let (records, fault) = CaptureReaderTests.read(octets)
        #expect(fault == nil && lost > 0)
        #expect(records.count == 3_000 - lost + 2)
        #expect(records.suffix(2).map(\.lost) == [lost, 0])
    }
}
