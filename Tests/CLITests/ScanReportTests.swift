// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

@Suite("Reports of a scan", .startsPrograms())
struct ScanReportTests {
    @Test func `JSON has new reports, --duplicates all, --summary each device once`() async throws {
        let new = try await Blectl.simulate("scan --duration 10 --json").records()
        let every = try await Blectl.simulate("scan --duration 10 --json --duplicates")
        let summary = try await Blectl.simulate("scan --duration 10 --json --summary").records()
        let reports = try every.records()
        #expect(
            every.stderr.contains("blectl: \(reports.count) reports from \(summary.count) devices"),
            "\(every.stderr)"
        )
        #expect(new.count < reports.count / 10)
        let contents = Set(
            reports.map { "\($0["address"] ?? .null) \($0["data"] ?? .null) \($0["scan_response"] ?? .null)" }
        )
        #expect(new.count == contents.count, "each content of each sender once")
        #expect(Set(summary.compactMap { $0["address"]?.string }) == Set(reports.compactMap { $0["address"]?.string }))
    }

    @Test func `a radio that listens a tenth of the time hears less`() async throws {
        let all = try await Blectl.simulate("scan --duration 30 --json --duplicates --passive").records().count
        let windows = "--scan-interval 300ms --scan-window 30ms"
        let part = try await Blectl.simulate("scan --duration 30 --json --duplicates --passive \(windows) -vv")
        let heard = try part.records().count
        #expect(heard > all / 40 && heard < all / 4, "\(heard) of \(all)")
        #expect(Trace(part.stderr).packets.contains { $0.contains("window 30 ms of 300 ms") })
    }

    @Test func `an empty scan says whether nothing was heard or the filters hide everything`() async throws {
        let silence = "blectl: nothing was heard in 6 s: is a device near and switched on?"
        let hidden = "blectl: 25 devices heard, but none passes: --name Pulse; did you mean -d 'Pulse HR'?\n"
        for options in ["", "--json", "--summary", "--duplicates"] {
            let silent = try await Blectl.simulate("scan --duration 6 --fault 'scan: lose' \(options)")
            #expect(silent.status == 0 && silent.stdoutBytes.isEmpty, "\(silent.stdout)")
            #expect(silent.stderr.components(separatedBy: silence).count == 2, "\(silent.stderr)")
            let filtered = try await Blectl.simulate("scan --duration 2 --name Pulse \(options)")
            #expect(filtered.status == 0 && filtered.stdoutBytes.isEmpty, "\(filtered.stdout)")
            #expect(filtered.stderr.components(separatedBy: hidden).count == 2, "\(filtered.stderr)")
        }
        for line in ["scan --duration 6 --fault 'scan: lose'", "scan --duration 2 --name Pulse"] {
            for option in ["--quiet", "--redact"] {
                let run = try await Blectl.simulate("\(line) \(option)")
                #expect(run.stderr.isEmpty, "\(run.stderr)")
            }
        }
        let some = try await Blectl.simulate("scan --duration 6 --name 'Pulse*'")
        #expect(some.stderr.split(separator: "\n").count == 1, "\(some.stderr)")
    }

    @Test func `a summary agrees with the reports`() async throws {
        let reports = try await Blectl.simulate("scan --duration 10 --json --duplicates").records()
        let summary = try await Blectl.simulate("scan --duration 10 --json --summary").records()
        for device in summary {
            let own = reports.filter { $0["address"] == device["address"] }
            let strengths = own.compactMap { $0["rssi_dbm"]?.integer }
            #expect(device["type"] == .string("device") && device["count"] == .integer(Int64(own.count)))
            #expect(device["rssi_min_dbm"]?.integer == strengths.min())
            #expect(device["rssi_max_dbm"]?.integer == strengths.max())
            let mean = Double(strengths.reduce(0, +)) / Double(strengths.count)
            #expect(device["rssi_mean_dbm"]?.integer == Int64(mean.rounded()))
            #expect(device["first_seen"] == own.first?["time"] && device["last_seen"] == own.last?["time"])
            #expect(device["name"] == own.last?["name"])
            let moments = own.filter { $0["scan_response"] == .bool(false) }.compactMap { $0["monotonic_ns"]?.integer }
            // The lower quartile of the last times between two, so that missed advertisements do not count.
            let gaps = zip(moments.dropFirst(), moments).map { $0 - $1 }.filter { $0 > 5_000_000 }.suffix(24).sorted()
            let interval = gaps.isEmpty ? JSON.null : .integer((gaps[gaps.count / 4] + 500_000) / 1_000_000)
            #expect(device["interval_ms"] == interval)
        }
    }

    @Test func `a summary has the requested order`() async throws {
        let summary = try await Blectl.simulate("scan --duration 5 --json --summary --sort rssi").records()
        let strengths = summary.compactMap { $0["rssi_mean_dbm"]?.integer }
        #expect(strengths.count > 5 && strengths == strengths.sorted(by: >), "\(strengths)")
    }

    @Test func `people get the same facts in a line for each device`() async throws {
        let run = try await Blectl.simulate("scan --duration 10 --summary --name 'Pulse*'")
        #expect(run.stdout.split(separator: "\n").count == 1)
        #expect(
            run.stdout.wholeMatch(
                of:
                    /C8:4B:1D:3A:90:5E  random-static   -\d+\/-\d+\/-\d+ dBm +\d+ reports +every \d+ ms +Pulse HR  Heart.*\n/
            ) != nil,
            "\(run.stdout)"
        )
        let some = try await Blectl.simulate("scan --count 3 --summary")
        #expect(some.stdout.split(separator: "\n").count == 3)
    }
}
