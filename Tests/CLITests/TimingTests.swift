// SPDX-License-Identifier: GPL-2.0-or-later

import TestProcesses
import Testing

@Suite("--timing", .startsPrograms())
struct TimingTests {
    private func timing(_ line: String) async throws -> [String: JSON] {
        let run = try await Blectl.simulate(line + " --timing --json")
        return try #require(try run.records().last?["timing"]?.object, "\(line): \(run.stderr)")
    }

    @Test func `a read of a value takes one request of two connection events`() async throws {
        let timing = try await timing("read battery-level -d 'Pulse HR'")
        #expect(timing["requests"] == .integer(1) && timing["request_ms"] == .integer(60))
        #expect(timing["discovery_requests"] == .integer(0) && timing["connect_attempts"] == .integer(1))
        let link = try #require(timing["link"]?.object)
        #expect(link["mtu"] == .integer(23) && link["interval_ms"] == .integer(30))
        #expect(link["phy_tx"] == .string("1M") && link["data_length_tx_octets"] == .integer(251))
        #expect(link["unknown"] == .array([]))
    }

    @Test func `a long value exchanges the MTU, and the wished properties are told`() async throws {
        let timing = try await timing("read \(Workbench.long) -d Workbench --link-phy 2m --link-interval 7.5ms")
        let link = try #require(timing["link"]?.object)
        #expect(link["mtu"] == .integer(247))
        #expect(link["phy_tx"] == .string("2M") && link["phy_rx"] == .string("2M"))
        #expect(link["interval_ms"] == .number(7.5))
        #expect((timing["discovery_requests"]?.integer ?? 0) >= 1)
    }

    @Test(arguments: [
        "inspect -d 'Pulse HR'", "read battery-level 0xFFF1 -d 'Pulse HR'",
        "write \(Workbench.variable) 01 -d Workbench",
        "notify heart-rate-measurement --count 3", "watch heart-rate --count 3", "profile glucose count",
        "link -d 'Pulse HR'", "l2cap connect --psm 130 --count 2 -d Workbench",
        "bench read battery-level -d 'Pulse HR'", "bench l2cap --psm 128 --count 5 -d Workbench", "clone -d 'Pulse HR'",
        "pair 'Door Lock' --timeout 2",
        "read battery-level -d Nobody --timeout 1",
    ])
    func `each record of each command that connects has it, the same in each run`(_ line: String) async throws {
        let run = try await Blectl.simulate(line + " --timing --json")
        let records = try run.records()
        #expect(!records.isEmpty, "\(run.stderr)")
        var last = 0.0
        for (record, text) in zip(records, run.stdout.split(separator: "\n")) {
            let problems = RecordCheck.problems(of: record, hasTiming: true)
            #expect(problems.isEmpty, "\(problems)")
            #expect(try JSON.line(record) == text)
            let timing = try #require(record["timing"]?.object)
            let phases = ["scan_ms", "connect_ms", "discovery_ms", "request_ms"]
            let total = phases.reduce(0) { $0 + (timing[$1]?.number ?? 0) }
            #expect(total >= last)
            last = total
        }
        #expect(try await Blectl.simulate(line + " --timing --json").stdout == run.stdout)
        // Nothing else differs.
        let plain = try await Blectl.simulate(line)
        let timed = try await Blectl.simulate(line + " --timing")
        #expect(plain.status == timed.status && plain.status == run.status)
        // The strength of a signal is another one after one more question for it.
        if !line.hasPrefix("link") { #expect(plain.stdout == timed.stdout) }
    }

    @Test func `people get two lines on standard error at the end`() async throws {
        let run = try await Blectl.simulate("read battery-level -d 'Pulse HR' --timing")
        #expect(run.stdout == "87 %\n")
        #expect(
            run.stderr == """
                timing: scan 43.7 ms, connect 250.5 ms, 1 request in 60.0 ms
                link: MTU 23, PHY 1M, interval 30 ms, data length 251

                """
        )
        let missing = try await Blectl.simulate("read battery-level -d Nobody --timeout 1 --timing")
        #expect(missing.stderr.hasSuffix("timing: scan 1000.0 ms\n"))
    }

    @Test func `what is not known is null, with the reason`() async throws {
        let address = "C8:4B:1D:3A:90:5E --address-type random --simulate-adapter unauthorized"
        let timing = try await timing("read battery-level -d \(address)")
        let link = try #require(timing["link"]?.object)
        #expect(timing["scan_ms"] == .null && timing["requests"] == .integer(1))
        // The socket tells the PHY; the rest takes the capability.
        #expect(link["phy_tx"] == .string("1M") && link["data_length_tx_octets"] == .null)
        let unknown = try #require(link["unknown"]?.array).compactMap(\.object)
        #expect(unknown.map { $0["property"]?.string } == ["data_length", "interval_ms"])
        #expect(unknown.allSatisfy { $0["reason"]?.string?.contains("CAP_NET_RAW") == true }, "\(unknown)")
        let none = try await self.timing("read battery-level -d Nobody --timeout 1")
        #expect(none["connect_ms"] == .null && none["link"]?.object?["mtu"] == .null)
        let channel = try await self.timing("l2cap connect --psm 130 --count 1 -d Workbench")
        let reason = try #require(channel["link"]?.object?["unknown"]?.array?.first?.object)
        #expect(reason == ["property": .string("mtu"), "reason": .string("the link carries no attributes")])
    }

    @Test func `a template may have its keys`() async throws {
        let run = try await Blectl.simulate(
            "read battery-level -d 'Pulse HR' --timing --format '{timing.requests} {timing.link.mtu} {text}'"
        )
        #expect(run.stdout == "1 23 87 %\n")
        let without = try await Blectl.simulate("read battery-level -d 'Pulse HR' --format '{timing.requests}'")
        #expect(without.status == 64 && without.stderr.contains("with '--timing' only"))
    }

    @Test(arguments: ["scan", "decode battery-level 07", "run -", "shell", "l2cap listen --psm 128", "serve workbench"])
    func `other commands refuse it`(_ line: String) async throws {
        let run = try await Blectl.simulate(line + " --timing")
        #expect(run.status == 64 && run.stderr.contains("--timing"))
    }
}
