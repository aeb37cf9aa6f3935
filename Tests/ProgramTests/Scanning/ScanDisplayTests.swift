// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization
import Testing

@testable import Commands
@testable import Records
@testable import Terminal
@testable import Toolkit

@Suite("ScanDisplay")
struct ScanDisplayTests {
    private final class Buffer: ByteSink {
        private let bytes = Mutex<[UInt8]>([])
        var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
        func write(_ more: Span<UInt8>) {
            bytes.withLock { bytes in more.withUnsafeBufferPointer { bytes += $0 } }
        }
    }

    private let buffer = Buffer()

    private func output(isTerminal: Bool) -> Output {
        Output(buffer, isJSON: false, style: TextStyle(usesColor: false, isTerminal: isTerminal))
    }

    /// The report of a device whose name is in its scan response, if that has come.
    private static func report(_ index: Int, isResponse: Bool = false, name: String = "") -> ScanReport {
        let address = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F400 + UInt64(index)), .random)
        let report = AdvertisingReport(
            address: address,
            properties: isResponse ? [.scanResponse, .scannable, .legacy] : [.connectable, .scannable, .legacy],
            rssi: -60,
            data: name.isEmpty ? [] : [UInt8(name.utf8.count + 1), 0x09] + Array(name.utf8)
        )
        return ScanReport(report, .zero, WallTime(nanosecondsSince1970: 0))
    }

    private func session(
        _ display: any ScanDisplay,
        count: Int?,
        isActive: Bool = true
    ) -> ScanSession {
        ScanSession(filter: ScanFilter(), display: display, limits: StopLimits(count: count), isActive: isActive)
    }

    @Test("hidden devices are shown at the end, within the screen", arguments: [1, 2, nil])
    func heldBack(count: Int?) async throws {
        let session = session(DeviceLines(output: output(isTerminal: false)), count: count)
        let progress = try await session.add((0..<3).map { Self.report($0, name: "device") })
        #expect(progress == .goOn)
        #expect(buffer.text.isEmpty)
        try await session.end()
        #expect(buffer.text.split(separator: "\n").count == count ?? 3)
        #expect(session.tally.count == count ?? 3)
    }

    /// A table that is shown in the end, as on a terminal.
    private struct Table: ScanDisplay {
        let counted = CountedThing.device
        let output: Output

        func end(_ devices: [AdvertiserInfo]) throws {
            for device in devices { try output.put(device.name?.text ?? "-") }
        }
    }

    private var displays: [any ScanDisplay] {
        [Table(output: output(isTerminal: true)), DeviceLines(output: output(isTerminal: false))]
    }

    @Test("a device counts after its scan response or its second report, on a terminal too")
    func described() async throws {
        for display in displays {
            let responding = session(display, count: 1)
            #expect(try await responding.add([Self.report(0)]) == .goOn)
            #expect(try await responding.add([Self.report(0, isResponse: true, name: "Late")]) == .stop)
            try await responding.end()
            #expect(buffer.text.contains("Late"))
        }
        for display in displays {
            let silent = session(display, count: 1)
            #expect(try await silent.add([Self.report(0)]) == .goOn)
            #expect(try await silent.add([Self.report(0)]) == .stop)
            let passive = session(display, count: 1, isActive: false)
            #expect(try await passive.add([Self.report(1)]) == .stop)
        }
        let reports = session(ReportDisplay(output: output(isTerminal: false), showsDuplicates: true), count: 2)
        #expect(try await reports.add([Self.report(0), Self.report(0)]) == .stop)
    }

    @Test func `a line comes again with a further beacon, but not with another message or the same beacon`()
        async throws
    {
        func report(_ hex: String) throws -> ScanReport {
            let octets = try #require(Hex.bytes(hex.filter { $0 != " " }))
            let report = AdvertisingReport(
                address: DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F400), .random),
                properties: [.legacy],
                rssi: -60,
                data: [UInt8(octets.count)] + octets
            )
            return ScanReport(report, .zero, WallTime(nanosecondsSince1970: 0))
        }
        let session = session(DeviceLines(output: output(isTerminal: false)), count: nil)
        let reports = [
            "16aafe 10 ec 02 61 04 62 08", "16aafe 20 00 0bb8 1580 00010203 00000258", "ff4c00 1005 17 1c 839096",
            "16aafe 20 00 0bb8 1580 00010204 00000259", "16aafe 10 ec 02 61 04 62 08",
        ]
        _ = try await session.add(reports.map { try report($0) })
        let lines = buffer.text.split(separator: "\n")
        #expect(lines.count == 2, "\(buffer.text)")
        #expect(lines.last?.contains("Eddystone URL http://a.info/b.org, Eddystone TLM 3000 mV") == true, "\(lines)")
        #expect(session.tally.count == 1)
        // Ever new beacons end in a line for each of those that are kept.
        let minors = (0..<200).map { "ff4c00 0215f7826da64fa24e988024bc5b71e0893e0001 00\(Hex.string([UInt8($0)])) c5" }
        _ = try await session.add(minors.map { try report($0) })
        #expect(buffer.text.split(separator: "\n").count <= AdvertiserInfo.Limit.beacons)
    }

    @Test("with a count, the last table has the counted devices")
    func counted() async throws {
        let session = session(Table(output: output(isTerminal: true)), count: 1)
        let reports = [
            Self.report(0, name: "early"), Self.report(1), Self.report(1, isResponse: true, name: "first"),
        ]
        #expect(try await session.add(reports) == .stop)
        try await session.end()
        #expect(buffer.text.contains("first") && !buffer.text.contains("early"), "\(buffer.text)")
        #expect(session.tally.count == 1)
    }
}
