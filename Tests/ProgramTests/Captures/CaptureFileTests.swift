// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Foundation
import Glibc
import Testing

@testable import Captures
@testable import Toolkit

@Suite("CaptureFile")
struct CaptureFileTests {
    private static func temporary() -> String {
        FileManager.default.temporaryDirectory.appending(path: "capture-\(UUID().uuidString)").path()
    }

    private static func record(_ data: [UInt8]) -> BTSnoopRecord { BTSnoopRecord(data, flags: 2, at: .unixEpoch) }

    private static func records(_ octets: [UInt8]) throws -> [BTSnoopRecord] {
        var reader = BTSnoopReader()
        reader.append(octets)
        var records: [BTSnoopRecord] = []
        while let record = try reader.next() { records.append(record) }
        try reader.finish()
        return records
    }

    @Test("every record is in the file at once")
    func atOnce() throws {
        let path = Self.temporary()
        defer { unlink(path) }
        var file = try CaptureFile(path, .h4)
        #expect(try Self.records(StandardStreams.read(path, limit: 1_000)).isEmpty)
        for number in 1...3 {
            file.write(Self.record([0x01, UInt8(number)]))
            #expect(try Self.records(StandardStreams.read(path, limit: 1_000)).count == number)
        }
        #expect(file.failure == nil)
    }

    @Test("a file that cannot be created, and a pipe without a reader")
    func refusals() throws {
        func failure(_ path: String) -> BlectlError? {
            do throws(BlectlError) {
                _ = try CaptureFile(path, .h4)
                return nil
            } catch { return error }
        }
        #expect(failure("/nowhere/capture")?.status == .cannotCreateOutput)
        let pipe = Self.temporary()
        defer { unlink(pipe) }
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(failure(pipe)?.status == .cannotCreateOutput)
        #expect(failure(pipe)?.hint?.contains("wireshark") == true)
    }

    @Test("a disk without room for the header is a failure, and the run goes on")
    func full() throws {
        var file = try CaptureFile("/dev/full", .h4)
        #expect(file.failure?.status == .ioError)
        #expect(file.failure?.message == "cannot write to /dev/full: No space left on device; the capture ends here")
        file.write(Self.record([0x04]))
    }

    @Test("a pipe without room loses whole records, and the next one counts them")
    func pipe() throws {
        let path = Self.temporary()
        defer { unlink(path) }
        try #require(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        func drain() -> [UInt8] {
            var octets: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(reader, &buffer, buffer.count)
                guard count > 0 else { return octets }
                octets += buffer.prefix(count)
            }
        }
        var file = try CaptureFile(path, .h4)
        // More than any pipe takes.
        let many = 3_000
        for _ in 0..<many { file.write(Self.record([UInt8](repeating: 0x02, count: 1_000))) }
        let lost = file.droppedCount
        #expect(lost > 0 && file.failure == nil)
        var octets = drain()
        file.write(Self.record([0x04]))
        octets += drain()
        let records = try Self.records(octets)
        #expect(records.last?.data == [0x04])
        #expect(records.last.map { Int($0.cumulativeDrops) } == lost)
        #expect(records.count == many - lost + 1)
    }

    private static func packet(_ octets: [UInt8], _ adapter: Int) -> CaptureConverter.Packet {
        CaptureConverter.Packet(
            octets: octets,
            direction: .sent,
            adapter: ManagementIndex(adapter),
            timestamp: .unixEpoch
        )
    }

    @Test("the capture of one adapter is in H4, and adapters are told apart from the second one's first packet on")
    func adapters() throws {
        let path = Self.temporary()
        defer { unlink(path) }
        var file = try CaptureFile(path, for: .first)
        func written() throws -> BTSnoopReader {
            var reader = BTSnoopReader()
            reader.append(try StandardStreams.read(path, limit: 1_000_000))
            return reader
        }
        // More than what is read at a time.
        let many = 3_000
        for number in 0..<many {
            file.write(Self.packet([0x01, UInt8(number & 0xFF)] + Array(repeating: 7, count: 9), 0))
        }
        var before = try written()
        #expect(try before.next()?.data.prefix(2) == [0x01, 0x00] && before.header?.datalink == .h4)
        file.write(Self.packet([0x02, 0xAA], 1))
        file.write(Self.packet([0x01, 0xBB], 0))
        #expect(file.failure == nil)
        var after = try written()
        var seen: [CapturedPacket] = []
        while let record = try after.next() { seen.append(try CapturedPacket(record, of: .linuxMonitor)) }
        try after.finish()
        #expect(after.header?.datalink == .linuxMonitor && seen.count == many + 2)
        #expect(seen.prefix(many).allSatisfy { $0.adapter == ManagementIndex(0) })
        #expect(seen[many - 1].content == .hci([0x01, UInt8((many - 1) & 0xFF)] + Array(repeating: 7, count: 9)))
        #expect(seen.suffix(2).map(\.adapter) == [ManagementIndex(1), ManagementIndex(0)])
        #expect(seen.suffix(2).map(\.content) == [.hci([0x02, 0xAA]), .hci([0x01, 0xBB])])
    }

    @Test("a pipe tells adapters apart if they are named, and otherwise ends with the reason")
    func pipeOfAdapters() throws {
        let path = Self.temporary()
        defer { unlink(path) }
        try #require(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        for (adapters, isGood) in [(AdapterSelection.several(["hci0", "hci1"]), true), (.first, false)] {
            var file = try CaptureFile(path, for: adapters)
            file.write(Self.packet([0x01, 0x02], 0))
            file.write(Self.packet([0x01, 0x03], 1))
            #expect((file.failure == nil) == isGood)
            #expect(file.failure?.hint == (isGood ? nil : "-i hci0,hci1 tells it at the beginning"))
        }
    }

    @Test("a reader of a pipe that leaves is one failure")
    func gone() throws {
        let path = Self.temporary()
        defer { unlink(path) }
        try #require(mkfifo(path, 0o600) == 0)
        signal(SIGPIPE, SIG_IGN)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        var file = try CaptureFile(path, .h4)
        close(reader)
        file.write(Self.record([0x04]))
        file.write(Self.record([0x04]))
        #expect(file.failure?.status == .ioError)
    }
}
