// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("blectl devices, and blectl forget", .startsPrograms())
struct KnownDeviceTests {
    /// Runs lines one after the other with the same folders, on simulated devices. Returns the records of each.
    private func run(_ lines: [String]) async throws -> [(status: Int32, records: [[String: JSON]], stderr: String)] {
        try await TemporaryFolder.use { folder in
            var runs: [(status: Int32, records: [[String: JSON]], stderr: String)] = []
            for line in lines {
                let run = try await Blectl.run(
                    ["--simulate=security", "--json"] + TypedCommand(line).arguments,
                    environment: ["XDG_STATE_HOME": folder.path, "XDG_CACHE_HOME": folder.path]
                )
                runs.append((run.status, try run.records(), run.stderr))
            }
            return runs
        }
    }

    @Test func `a device is known by its attributes and keys, and is forgotten except for its keys`() async throws {
        let runs = try await run([
            "devices", "inspect 'Just Works'", "devices", "pair 'Just Works'", "devices", "forget 'Just Works'",
            "devices", "forget 'Just Works'", "unpair 'Just Works'", "devices", "forget 'Just Works'",
        ])
        func kept(_ index: Int) -> [[JSON?]] {
            runs[index].records.map { [$0["cached"], $0["bonded"], $0["session"]] }
        }
        #expect(runs[0].status == 0 && runs[0].records.isEmpty)
        #expect(kept(2) == [[.bool(true), .bool(false), .null]])
        #expect(kept(4) == [[.bool(true), .bool(true), .null]])
        #expect(runs[4].records.first?["device"]?.object?["name"] == .string("Just Works"))
        #expect(
            runs[5].records.map { [$0["type"], $0["cached"], $0["bonded"]] } == [
                [.string("forgotten"), .bool(true), .bool(true)]
            ]
        )
        #expect(kept(6) == [[.bool(false), .bool(true), .null]])
        #expect(runs[7].status == 0 && runs[9].records.isEmpty)
        #expect(runs[10].status == 68 && runs[10].stderr.contains("nothing is known of it"))
    }

    @Test func `all are forgotten, and the next command discovers them again`() async throws {
        let runs = try await run([
            "inspect 'Just Works'", "inspect 'Just Works' -v", "forget --all", "devices", "inspect 'Just Works' -v",
            "forget",
        ])
        func requests(_ index: Int) -> Int {
            runs[index].stderr.split(separator: "\n").count { $0.contains("Request") }
        }
        #expect(runs[2].records.count == 1 && runs[3].records.isEmpty)
        #expect(requests(1) < requests(4))
        #expect(runs[5].status == 64)
    }

    @Test func `a device is forgotten by its name, even if only its attributes are kept`() async throws {
        let runs = try await run([
            "inspect C5:EC:00:00:00:01", "devices", "forget 'just works'", "devices", "forget 'Just Works'",
            "pair C5:EC:00:00:00:01", "bonds", "unpair 'just works'", "bonds",
        ])
        #expect(runs[1].records.first?["device"]?.object?["name"] == .string("Just Works"))
        #expect(runs[2].status == 0 && runs[2].records.count == 1, "\(runs[2].stderr)")
        #expect(runs[3].records.isEmpty)
        #expect(runs[4].status == 68)
        #expect(runs[6].records.first?["device"]?.object?["name"] == .string("Just Works"))
        #expect(runs[7].status == 0 && runs[8].records.isEmpty, "\(runs[7].stderr)")
    }

    @Test func `a session is shown with its device`() async throws {
        let run = try await SessionShell.run(
            """
            blectl session start -d 'Pulse HR'
            blectl devices --format '{session} {device.name} {bonded}'
            blectl devices
            """
        )
        #expect(run.lines.contains("pulse-hr Pulse HR false"), "\(run)")
        #expect(run.lines.last?.hasPrefix("Pulse HR (C8:4B:1D:3A:90:5E)  session 'pulse-hr'") == true, "\(run)")
    }
}
