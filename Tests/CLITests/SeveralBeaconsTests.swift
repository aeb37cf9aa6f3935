// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Devices that send several things, side by side, in the scan response and in turn.
@Suite("Several beacons of a device", .startsPrograms())
struct SeveralBeaconsTests {
    private static let turns = "D1:00:00:00:00:01"
    private static let govee = "D1:00:00:00:00:02"
    private static let both = "D1:00:00:00:00:03"
    private static let hostile = "D1:00:00:00:00:04"
    private static let bare = "D1:00:00:00:00:05"
    private static let tag = "D1:00:00:00:00:06"

    /// An iBeacon with a number, as manufacturer data.
    private static func iBeacon(_ number: Int) -> String {
        let minor = String(number + 0x100, radix: 16).suffix(2)
        return """
            { "flags": [], "manufacturer": [ { "company": "0x004C",
              "data": "0215f7826da64fa24e988024bc5b71e0893e000100\(minor)c5" } ] }
            """
    }

    private static let world = """
        {
          "schema": "blectl-world/1",
          "devices": [
            { "address": "\(turns)", "signal": { "rssi": -60, "movement": "still" }, "advertising": [ {
              "type": "non-connectable", "data": [
              { "service_data": [ { "uuid": "0xFEAA", "data": "00eb0102030405060708090aa1a2a3a4a5a60000" } ] },
              { "service_data": [ { "uuid": "0xFEAA", "data": "10ec0261046208" } ] },
              { "service_data": [ { "uuid": "0xFEAA", "data": "20000bb815800001020300000258" } ] } ] } ] },
            { "address": "\(govee)", "advertising": [ {
              "data": { "flags": [], "manufacturer": [
                { "company": "0x004C", "data": "0215494e54454c4c495f524f434b535f48575075f2ff0c" } ] },
              "scan_response": { "manufacturer": [ { "company": "0xEC88", "data": "0003519f6400" } ] } } ] },
            { "address": "\(both)", "advertising": [ {
              "data": { "flags": [], "manufacturer": [ { "company": "0x05F1", "data": "01aa" },
                { "company": "0x05F1", "data": "02bb" } ], "service_data": [ { "uuid": "0xABCD", "data": "01" } ] },
              "scan_response": { "manufacturer": [ { "company": "0x05F1", "data": "03cc" } ],
                "service_data": [ { "uuid": "0xABCD", "data": "02" } ] } } ] },
            { "address": "\(hostile)", "advertising": [ { "type": "non-connectable",
              "data": [ \((0..<20).map(iBeacon).joined(separator: ", ")) ] } ] },
            { "address": "\(bare)", "advertising": [ { "type": "non-connectable",
              "data": { "service_data": [ { "uuid": "0xABCD", "data": "0102" }, { "uuid": "0xFD5A", "data": "ff" },
                { "uuid": "0xABCD", "data": "03" } ] } } ] },
            { "address": "\(tag)", "advertising": [ { "type": "non-connectable",
              "data": { "service_data": [ { "uuid": "0xFCB2", "data": "0200" } ] } } ] }
          ]
        }
        """

    private func run(_ line: String, input: String = "") async throws -> BlectlRun {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "world.json")
            try Data(Self.world.utf8).write(to: file)
            let simulation = ["--simulate=\(file.path)", "--simulate-time", "virtual"]
            let run = try await Blectl.run(simulation + TypedCommand(line).arguments, input: Array(input.utf8))
            #expect(run.status == 0, "\(run.stderr)")
            return run
        }
    }

    /// The lines of a device.
    private func lines(_ run: BlectlRun, of address: String) -> [String] {
        run.stdout.split(separator: "\n").map { String($0) }.filter { $0.hasPrefix(address) }
    }

    private func kinds(_ record: [String: JSON]) -> [String] {
        (record["beacons"]?.array ?? []).compactMap { $0.object?["kind"]?.string }
    }

    private static let frames = [
        "Eddystone UID 0102030405060708090a a1a2a3a4a5a6", "Eddystone URL http://a.info/b.org",
        "Eddystone TLM 3000 mV, 21.5 °C, 66051 advertisements, up 60 s",
    ]

    @Test func `a line is shown again when its device sends a further beacon`() async throws {
        let run = try await run("scan --duration 5")
        let turns = lines(run, of: Self.turns)
        #expect(turns.count == 3, "\(turns)")
        #expect(turns.last?.hasSuffix("(no name)  " + Self.frames.joined(separator: ", ")) == true, "\(turns)")
        let govee = lines(run, of: Self.govee)
        #expect(govee.count == 1 && govee[0].contains("iBeacon 494e5445") && govee[0].contains("Govee"), "\(govee)")
        #expect((1...8).contains(lines(run, of: Self.hostile).count))
        #expect(lines(run, of: Self.bare).map { $0.suffix(64) }.first?.contains("service data 0xABCD, ") == true)
        #expect(lines(run, of: Self.bare).first?.hasSuffix("service data Samsung Electronics Co., Ltd.") == true)
        #expect(lines(run, of: Self.tag).first?.hasSuffix("Location tracker Google separated from its owner") == true)
        let counted = try await self.run("scan --count 6")
        #expect(Set(counted.stdout.split(separator: "\n").map { $0.prefix(17) }).count == 6, "devices count, not lines")
    }

    @Test func `the summary has all beacons, in text and in JSON`() async throws {
        let text = try await run("scan --duration 5 --summary")
        #expect(lines(text, of: Self.turns).first?.hasSuffix(Self.frames.joined(separator: ", ")) == true)
        let records = try await run("scan --duration 5 --summary --json").records()
        for record in records { #expect(RecordCheck.problems(of: record).isEmpty) }
        func device(_ address: String) throws -> [String: JSON] {
            try #require(records.first { $0["address"] == .string(address) })
        }
        let turns = try device(Self.turns)
        #expect(kinds(turns) == ["eddystone-uid", "eddystone-url", "eddystone-tlm"])
        #expect(turns["forgotten"]?.integer == 0)
        #expect(turns["service_data"]?.array?.count == 3)
        #expect(kinds(turns).contains(turns["beacon"]?.object?["kind"]?.string ?? ""), "it stays one object")
        let govee = try device(Self.govee)
        #expect(kinds(govee) == ["ibeacon", "govee"])
        #expect(govee["manufacturer"]?.array?.count == 2)
    }

    @Test func `data of one company or service are all there`() async throws {
        let summary = try await run("scan --duration 5 --summary --json").records()
        let device = try #require(summary.first { $0["address"] == .string(Self.both) })
        func data(_ key: String) -> [String] {
            (device[key]?.array ?? []).compactMap { $0.object?["data"]?.string }
        }
        #expect(data("manufacturer") == ["01aa", "02bb", "03cc"])
        #expect(data("service_data") == ["01", "02"])
        #expect(device["forgotten"]?.integer == 0)
    }

    @Test func `a device with ever new beacons takes bounded room, and that is told`() async throws {
        let summary = try await run("scan --duration 10 --summary --json").records()
        let device = try #require(summary.first { $0["address"] == .string(Self.hostile) })
        #expect(kinds(device).count == 8)
        #expect(device["manufacturer"]?.array?.count == 8)
        let forgotten = try #require(device["forgotten"]?.integer)
        #expect(forgotten >= 24, "12 beacons and 12 manufacturer data did not fit")
        #expect(device["beacons"]?.array?.last == device["beacon"], "the newest is kept")
        let text = try await run("scan --duration 10 --summary")
        #expect(lines(text, of: Self.hostile).first?.hasSuffix("and \(forgotten) earlier ones") == true)
    }

    @Test func `a report has all its beacons, and templates and conditions reach them`() async throws {
        let records = try await run("scan --duration 5 --json").records()
        for record in records { #expect(RecordCheck.problems(of: record).isEmpty) }
        let reports = records.filter { $0["address"] == .string(Self.govee) }
        #expect(Set(reports.flatMap(kinds)) == ["ibeacon", "govee"])
        #expect(reports.allSatisfy { $0["beacons"]?.array?.first == $0["beacon"] })
        let template = "{address} {beacons.0.kind} {beacons.1.temperature_c}"
        let formatted = try await run("scan --duration 5 --summary -d \(Self.govee) --format '\(template)'")
        #expect(formatted.stdout == "\(Self.govee) ibeacon 21.7\n", "\(formatted.stdout)")
    }

    @Test func `reports at exactly the least signal are shown, and none of one dBm less`() async throws {
        func strengths(_ options: String) async throws -> [Int64] {
            try await run("scan --duration 10 --json --duplicates -d \(Self.turns) \(options)").records()
                .compactMap { $0["rssi_dbm"]?.integer }
        }
        let all = try await strengths("")
        let heard = Set(all).sorted()
        try #require(heard.count >= 3, "the signal fades a little: \(heard)")
        for least in heard.dropFirst() {
            let shown = try await strengths("--rssi \(least)")
            #expect(shown == all.filter { $0 >= least }, "\(least)")
            #expect(shown.contains(least) && all.contains { $0 < least })
        }
    }
}
