// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Foundation
import Testing

@testable import Captures
@testable import Toolkit

@Suite("Compressed captures", .enabled("zlib is not installed") { (try? Zlib.load()) != nil })
struct UnpackingTests {
    /// The records of a file with these octets, and the error at its end.
    private func read(_ octets: [UInt8], as name: String = "capture") async throws -> ([CapturedRecord], BlectlError?) {
        try await read([(name, octets)])
    }

    private func read(_ files: [(name: String, octets: [UInt8])]) async throws -> ([CapturedRecord], BlectlError?) {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let paths = try files.map { file in
            let url = folder.appending(path: file.name)
            try Data(file.octets).write(to: url)
            return url.path
        }
        var records: [CapturedRecord] = []
        do {
            let source = try CaptureSource(paths: paths, blocking: nil)
            while let record = try await source.next() { records.append(record) }
        } catch let error as BlectlError {
            return (records, error)
        }
        return (records, nil)
    }

    // MARK: - gzip

    @Test("gzip of every format, and of several files in a row", arguments: CaptureReaderTests.captures)
    func gzip(_ name: String, _ octets: [UInt8]) async throws {
        let (plain, _) = try await read(octets)
        let (records, error) = try await read(CaptureOctets.gzip(octets))
        #expect(error == nil && records == plain && !plain.isEmpty)
        let middle = octets.count / 2
        let parts = CaptureOctets.gzip(Array(octets[..<middle])) + CaptureOctets.gzip(Array(octets[middle...]))
        #expect(try await read(parts + [0, 0, 0]).0 == plain)
    }

    @Test("damaged gzip has its whole records, and an error")
    func damaged() async throws {
        let whole = CaptureOctets.gzip(CaptureOctets.btsnoop)
        let cases: [([UInt8], String)] = [
            (Array(whole.dropLast(3)), "end too early"), (whole + [1, 2, 3], "octets follow its end"),
            (Array(whole.dropLast(8)) + [1, 2, 3, 4, 0, 0, 0, 0], "incorrect data check"),
            (Array(whole.dropLast(4)) + [9, 9, 9, 9], "incorrect length check"),
        ]
        for (octets, reason) in cases {
            let (records, error) = try await read(octets)
            #expect(error?.status == .badData && error?.message.contains(reason) == true, "\(error?.message ?? "none")")
            #expect(records.count <= CaptureOctets.records.count)
        }
        #expect(try await read([0x1F, 0x8B, 7, 0]).1?.status == .badData)
    }

    /// Deflated zeros: a literal, and matches of 258 octets with 13 bits each.
    ///
    /// Spec: RFC 1951, 3.2.6
    private static func zeros(_ matches: Int) -> [UInt8] {
        var (octets, bits, count): ([UInt8], UInt64, UInt64) = ([], 0, 0)
        func put(_ value: UInt64, _ length: UInt64) {
            bits |= value << count
            count += length
            while count >= 8 {
                octets.append(UInt8(truncatingIfNeeded: bits))
                (bits, count) = (bits >> 8, count - 8)
            }
        }
        put(0b011, 3)
        put(0b0000_1100, 8)
        for _ in 0..<matches {
            put(0b1010_0011, 8)
            put(0, 5)
        }
        put(0, 7)
        put(0, 7)
        return octets
    }

    @Test("what becomes more than any capture is refused, after a bounded number of octets")
    func bomb() throws {
        func produce(_ limit: Inflater.Limit) throws -> Int {
            let inflater = try Inflater(.none, limit: limit)
            inflater.append(Self.zeros(10_000))
            do throws(InflateFault) {
                while let part = try inflater.next(), !part.isEmpty {}
            } catch {
                guard case .bomb = error else {
                    Issue.record(error)
                    return 0
                }
            }
            return inflater.produced
        }
        #expect(try produce(Inflater.Limit(free: 100_000, ratio: 1_000, total: 10_000_000)) == 2_580_001)
        #expect(try produce(Inflater.Limit(free: 100_000, ratio: 100, total: 10_000_000)) <= 200_000)
        #expect(try produce(Inflater.Limit(free: 10_000_000, ratio: 100, total: 1_000_000)) <= 1_100_000)
    }

    // MARK: - zip

    private static let folder = "FS/data/misc/bluetooth/logs/"

    /// The capture with its first record at a later second.
    private static func later(_ seconds: UInt32) -> [UInt8] {
        let made = CaptureOctets()
        let time = CaptureOctets.start.seconds + seconds
        let content = [UInt8]([1, 3, 0x0C, 0])
        let length = UInt32(content.count)
        return made.pcapHeader(187) + [time, 0, length, length].flatMap { made.u32($0) } + content
    }

    private func names(_ records: [CapturedRecord]) -> [String] {
        records.compactMap { record in
            guard case .packet(let packet) = record.content, case .note(let text) = packet.content else { return nil }
            return text
        }
    }

    @Test("the logs of a bug report are read in the order of their times")
    func bugReport() async throws {
        let octets = CaptureOctets.zip([
            .init(name: "version.txt", octets: Array("2.0".utf8)),
            .init(name: "bugreport-phone.txt", octets: Array("== dumpstate: 2026".utf8), isDeflated: true),
            .init(name: Self.folder, octets: []),
            .init(name: Self.folder + "btsnoop_hci.log", octets: Self.later(20), isDeflated: true),
            .init(name: Self.folder + "btsnoop_hci.log.last", octets: Self.later(10)),
            .init(name: Self.folder + "empty.log", octets: []),
            .init(name: Self.folder + "notes", octets: Array("no capture".utf8)),
            .init(name: "FS/data/log/bt/BT_HCI_2026.cfa", octets: CaptureOctets.btsnoop, isDeflated: true),
        ])
        let (records, error) = try await read(octets, as: "bugreport.zip")
        #expect(error == nil, "\(error?.message ?? "")")
        #expect(
            names(records) == [
                "FS/data/log/bt/BT_HCI_2026.cfa", Self.folder + "btsnoop_hci.log.last", Self.folder + "btsnoop_hci.log",
            ]
        )
        #expect(records.count == 3 + CaptureOctets.records.count + 2)
        #expect(records.map(\.time.nanoseconds) == records.map(\.time.nanoseconds).sorted())
        var (decoder, summary) = (CaptureDecoder(), CaptureSummary())
        for record in records { summary.add(decoder.event(record)) }
        #expect(summary.packets == CaptureOctets.records.count + 2)
    }

    @Test("a log that ends too early does not hide those after it", arguments: [false, true])
    func cutLog(withinFirstRecord: Bool) async throws {
        let last = withinFirstRecord ? Self.later(10).dropLast(2) : CaptureOctets.btsnoop.dropLast(2)
        let (records, error) = try await read(
            CaptureOctets.zip([
                .init(name: Self.folder + "btsnoop_hci.log", octets: Self.later(20), isDeflated: true),
                .init(name: Self.folder + "btsnoop_hci.log.last", octets: Array(last)),
            ])
        )
        #expect(error?.message.contains("btsnoop_hci.log.last in ") == true, "\(error?.message ?? "none")")
        #expect(names(records).last == Self.folder + "btsnoop_hci.log")
        #expect(records.count == 2 + (withinFirstRecord ? 0 : CaptureOctets.records.count))
    }

    @Test("an archive without a capture is named as what it is")
    func withoutCapture() async throws {
        let summary = Array("x\n--- BEGIN:BTSNOOP_LOG_SUMMARY (9 bytes in) ---\nAAAA\n".utf8)
        let cases: [([CaptureOctets.Entry], String)] = [
            ([], "it has no Bluetooth log"),
            ([CaptureOctets.Entry(name: "bugreport.txt", octets: summary)], "btsnooz.py"),
            ([CaptureOctets.Entry(name: "bugreport.txt", octets: summary, isDeflated: true)], "btsnooz.py"),
            ([CaptureOctets.Entry(name: "bugreport.txt", octets: [65])], "it has no Bluetooth log"),
            ([CaptureOctets.Entry(name: "btsnoop_hci.log", octets: [65])], "none of its Bluetooth logs"),
        ]
        for (entries, reason) in cases {
            let (records, error) = try await read(CaptureOctets.zip(entries))
            #expect(records.isEmpty && error?.status == .badData)
            #expect(error?.message.contains(reason) == true, "\(error?.message ?? "none")")
        }
    }

    @Test("hostile archives end with status 65, and say why")
    func hostile() async throws {
        let log = CaptureOctets.Entry(name: "btsnoop_hci.log", octets: CaptureOctets.btsnoop)
        func changed(_ change: (inout CaptureOctets.Entry) -> Void) -> [UInt8] {
            var entry = log
            change(&entry)
            return CaptureOctets.zip([log, entry])
        }
        let good = CaptureOctets.zip([log])
        let end = good.count - 22
        func patched(_ index: Int, _ octets: [UInt8]) -> [UInt8] {
            Array(good[..<index]) + octets + good[(index + octets.count)...]
        }
        #expect(try await read(good).1 == nil)
        let cases: [([UInt8], String)] = [
            (changed { $0.name = "../btsnoop.log" }, "leads out"),
            (changed { $0.name = "/etc/btsnoop.log" }, "leads out"),
            (changed { $0.name = "a\\..\\btsnoop.log" }, "leads out"), (changed { $0.name = "a/../../b" }, "leads out"),
            (changed { $0.error.length = 1 }, "lengths contradict"),
            (changed { ($0.isDeflated, $0.error.length) = (true, 1) }, "shorter than its length"),
            (changed { ($0.isDeflated, $0.error.length) = (true, -1) }, "longer than its length"),
            (changed { $0.error.crc = 1 }, "checksum is wrong"), (changed { $0.flags = 1 }, "encrypted"),
            (changed { $0.offset = 0 }, "within another file"),
            (changed { $0.error.length = 0xFFFF_FFFF - log.octets.count }, "zip64"),
            (changed { $0.error.length = 1 << 30 }, "octets come of one"),
            (CaptureOctets.zip([log], count: 2), "directory is damaged"),
            (CaptureOctets.zip([log, log], count: 1), "directory is damaged"),
            (CaptureOctets.zip([log], count: 0xFFFF), "zip64"),
            (Array(good.dropLast()), "end is missing"), (good + [0], "end is missing"),
            (patched(end + 16, [1, 0, 0, 0]), "does not end"), (patched(end + 4, [1]), "several files"),
            (patched(0, [0x50, 0x4B, 3, 4, 20, 0, 9]), "directory has it"),
            (patched(31, [0x41]), "not that of the directory"),
            (Array(good.prefix(40)), "end is missing"),
        ]
        for (octets, reason) in cases {
            let (_, error) = try await read(octets)
            #expect(error?.status == .badData, "\(reason)")
            #expect(error?.message.contains(reason) == true, "\(reason): \(error?.message ?? "none")")
        }
        // Whatever is changed, reading ends.
        for index in good.indices {
            _ = try await read(Array(good[..<index]) + [good[index] ^ 0xFF] + good[(index + 1)...])
        }
    }

    // MARK: - Several captures

    @Test("several captures are read in the order of time, and distinguished")
    func several() async throws {
        let (records, error) = try await read([
            ("b", Self.later(0)), ("a", CaptureOctets.btsnoop), ("c", Self.later(9)),
        ])
        #expect(error == nil && records.count == 2 + CaptureOctets.records.count)
        #expect(records.map(\.time.nanoseconds) == records.map(\.time.nanoseconds).sorted())
        var (decoder, summary) = (CaptureDecoder(), CaptureSummary())
        for record in records { summary.add(decoder.event(record)) }
        #expect(summary.packets == CaptureOctets.records.count + 2)
        #expect(records.first?.origin.capture?.hasSuffix("/b") == true)
        #expect(records.last?.origin.capture?.hasSuffix("/c") == true)
        // The rest of the others is read before the error of a damaged one.
        let (some, fault) = try await read([("a", Array(CaptureOctets.btsnoop.dropLast())), ("c", Self.later(9))])
        #expect(fault?.status == .badData && some.count == CaptureOctets.records.count)
    }
}
