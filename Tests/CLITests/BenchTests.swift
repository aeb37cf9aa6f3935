// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("blectl bench", .startsPrograms())
struct BenchTests {
    @Test func `each kind of operation has the same figures in each run`() async throws {
        let commands: [(String, Int64, Int64)] = [
            ("bench read battery-level -d 'Pulse HR' --count 20", 20, 20),
            ("bench write \(Workbench.long) -d Workbench --size 100 --count 10", 10, 1_000),
            ("bench notify heart-rate-measurement -d 'Pulse HR' --count 5", 5, 0),
            ("bench l2cap --psm 128 -d Workbench --size 400 --count 10", 10, 4_000),
            ("bench l2cap --psm 129 -d Workbench --size 500 --count 50 --one-way", 50, 25_000),
        ]
        for (line, count, octets) in commands {
            let run = try await Blectl.simulate(line + " --json")
            #expect(run.status == 0, "\(line): \(run.stderr)")
            let record = try #require(try run.records().last)
            #expect(record["type"] == .string("bench") && record["count"] == .integer(count), "\(line)")
            if octets > 0 { #expect(record["octets"] == .integer(octets), "\(line)") }
            #expect((record["latency"] == .null) == line.contains("--one-way"))
            #expect(try await Blectl.simulate(line + " --json").stdout == run.stdout)
        }
    }

    @Test(arguments: [
        ("read battery-level -d 'Pulse HR' --count 1000 --duration 1", "of 1000 values received: --duration"),
        ("write \(Workbench.long) -d Workbench --count 1000 --duration 1", "of 1000 values received: --duration"),
        ("l2cap --psm 128 -d Workbench --count 1000 --duration 1", "of 1000 units received: --duration"),
        (
            "notify heart-rate-measurement -d 'Pulse HR' --count 1000 --duration 5",
            "of 1000 values received from Pulse HR (\(World.strap)): --duration"
        ),
    ])
    func `fewer operations than counted are a failure after the result`(_ line: String, _ words: String) async throws {
        let run = try await Blectl.simulate("bench \(line) --json")
        #expect(run.status == 1 && run.stderr.contains(words), "\(run.stderr)")
        let records = try run.records()
        #expect(records.map { $0["type"] } == [.string("bench"), .string("error")], "\(records)")
        let count = try #require(records.first?["count"]?.integer)
        #expect(count > 0 && count < 1_000)
        #expect(records.last?["device"]?.object?["name"] == records.first?["device"]?.object?["name"])
    }

    @Test func `the rate of notifications comes from the times between them`() async throws {
        let line = ["--simulate=bench", "--simulate-time", "virtual", "bench", "notify", "--json", "--count"]
        let two = try #require(try await Blectl.run(line + ["2"]).records().last)
        #expect(two["count"] == .integer(2) && two["duration_ms"] == .number(7.5))
        let rate = try #require(two["rate_per_s"]?.number)
        #expect(abs(rate - 1_000 / 7.5) < 0.001)
        let one = try #require(try await Blectl.run(line + ["1"]).records().last)
        #expect(one["count"] == .integer(1) && one["rate_per_s"] == .null && one["throughput_kbps"] == .null)
    }

    @Test func `queued units have no rate`() async throws {
        let line = ["--simulate=bench", "--simulate-time", "virtual", "bench", "l2cap", "--psm", "0x81", "--one-way"]
        let few = try await Blectl.run(line + ["--count", "3"])
        #expect(few.status == 0 && few.stdout.hasSuffix(": 3, too few for a rate\n"), "\(few)")
        let record = try #require(try await Blectl.run(line + ["--count", "3", "--json"]).records().last)
        #expect(record["rate_per_s"] == .null && record["throughput_kbps"] == .null)
        let many = try #require(try await Blectl.run(line + ["--count", "20", "--json"]).records().last)
        #expect(try #require(many["rate_per_s"]?.number) < 10_000)
    }

    @Test func `a person gets percentiles and a histogram`() async throws {
        let run = try await Blectl.simulate("bench read battery-level -d 'Pulse HR' --count 30")
        #expect(run.status == 0, "\(run.stderr)")
        let lines = run.stdout.split(separator: "\n")
        #expect(lines.first?.hasPrefix("read battery-level of Pulse HR") == true)
        #expect(lines.dropFirst().first?.contains("p99 ") == true)
        #expect(lines.count > 2 && lines.dropFirst(2).allSatisfy { $0.contains(" ms  ") })
    }

    @Test func `a device that does not echo is reported`() async throws {
        let run = try await Blectl.simulate("bench l2cap --psm 129 -d Workbench --timeout 2")
        #expect(run.status == 124)
        #expect(run.stderr.contains("--one-way"))
    }

    @Test(arguments: [
        "read", "write", "write --one-way --size 200", "notify", "l2cap --psm 128", "l2cap --psm 129 --one-way",
    ])
    func `the bench device needs no other argument`(_ action: String) async throws {
        let line = ["--simulate=bench", "--simulate-time", "virtual", "bench"]
        let words = action.split(separator: " ").map(String.init)
        let run = try await Blectl.run(line + words + ["--count", "40", "--json"])
        #expect(run.status == 0, "\(run.stderr)")
        let record = try #require(try run.records().last)
        #expect(record["count"] == .integer(40) && record["device"]?.object?["name"] == .string("Bench"))
        // A notification in each of the shortest connection events.
        if action == "notify" {
            #expect(record["octets"] == .integer(40 * 244))
            #expect(record["latency"]?.object?["p50_ms"] == .number(7.5))
        }
    }

    @Test(arguments: ["read", "write", "notify"])
    func `for another device the error asks for a characteristic`(_ action: String) async throws {
        let run = try await Blectl.simulate("bench \(action) -d 'Pulse HR'")
        #expect(run.status == 68 && !run.stderr.contains("b1ecb00"), "\(run.stderr)")
        #expect(run.stderr.contains("no characteristic is named, and it is not the bench device"), "\(run.stderr)")
        let hint = "hint: name one: blectl bench \(action) CHARACTERISTIC -d \(World.strap)\n"
        #expect(run.stderr.contains(hint), "\(run.stderr)")
        let named = try await Blectl.simulate("bench \(action) 0xFFF1 -d 'Pulse HR'")
        #expect(named.status == 68 && named.stderr.contains("the device has no characteristic"), "\(named.stderr)")
    }

    @Test func `a shorter interval makes round trips shorter`() async throws {
        var rates: [Double] = []
        for interval in ["7.5ms", "30ms"] {
            for line in ["bench read", "bench l2cap --psm 128"] {
                let words = line.split(separator: " ").map(String.init)
                let run = try await Blectl.run(
                    ["--simulate=bench", "--simulate-time", "virtual"] + words + [
                        "--link-interval", interval, "--json",
                    ]
                )
                #expect(run.status == 0, "\(run.stderr)")
                rates.append(try #require(try run.records().last?["rate_per_s"]?.number))
            }
        }
        #expect(rates[0] > 3 * rates[2] && rates[1] > 3 * rates[3], "\(rates)")
    }

    @Test func `a channel has no key length, and a listening service no link options`() async throws {
        for line in [
            "bench l2cap --psm 128 -d Workbench --min-key-size 16",
            "l2cap connect --psm 128 -d Workbench --min-key-size 16",
            "l2cap listen --psm 128 --link-phy 2m",
        ] {
            let run = try await Blectl.simulate(line)
            #expect(run.status == 64 && run.stdout.isEmpty, "\(line)")
        }
    }

    @Test func `a link that refuses the wished properties opens no channel`() async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "tag.json")
            let text = """
                {"schema": "blectl-device/1", "address": "C0:FF:EE:00:00:01", "limits": {"refuses": ["phy"]},
                "advertising": [{"interval": "100 ms", "data": {"name": "Tag"}}],
                "channels": [{"psm": 128, "does": "echo"}]}
                """
            try Data(text.utf8).write(to: file)
            for line in ["bench l2cap --psm 128", "l2cap connect --psm 128"] {
                let words = line.split(separator: " ").map(String.init) + ["-d", "Tag", "--link-phy", "2m"]
                let run = try await Blectl.run(["--simulate=\(file.path)", "--simulate-time", "virtual"] + words)
                #expect(run.status == 76 && run.stdout.isEmpty, "\(line)")
                #expect(run.stderr.contains("cannot change the PHY of the link to Tag"), "\(run.stderr)")
            }
        }
    }

    @Test(arguments: [("notify", ["time between two notifications (ms)", "throughput (kbit/s)"])])
    func `a chart shows times and throughput`(_ action: String, _ labels: [String]) async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "bench.svg").path
            let run = try await Blectl.run(
                ["--simulate=bench", "--simulate-time", "virtual", "bench", action, "--chart", path]
            )
            #expect(run.status == 0, "\(run.stderr)")
            let picture = try String(contentsOfFile: path, encoding: .utf8)
            for label in labels { #expect(picture.contains(label)) }
            #expect(picture.contains("99 values, 7.5 to 7.5 ms"), "\(picture)")
        }
    }
}
