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

    @Test func `a long value exchanges the MTU, and the wished properties are reported`() async throws {
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
    func `each record of each command that connects has it, equal in each run`(_ line: String) async throws {
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

    @Test func `an unknown time is null, with the reason`() async throws {
        let address = "C8:4B:1D:3A:90:5E --address-type random --simulate-adapter unauthorized"
        let timing = try await timing("read battery-level -d \(address)")
        let link = try #require(timing["link"]?.object)
        #expect(timing["scan_ms"] == .null && timing["requests"] == .integer(1))
        // The socket knows the PHY; the rest needs the capability.
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

    @Test func `the first line of a shell has the properties of the link that it makes`() async throws {
        let read = Array("read battery-level -d 'Pulse HR'\n".utf8)
        let run = try await Blectl.simulate("shell --timing", input: read)
        #expect(run.stderr.hasSuffix("link: MTU 23, PHY 1M, interval 30 ms, data length 251\n"), "\(run.stderr)")
    }

    @Test func `a template may have its keys`() async throws {
        let run = try await Blectl.simulate(
            "read battery-level -d 'Pulse HR' --timing --format '{timing.requests} {timing.link.mtu} {text}'"
        )
        #expect(run.stdout == "1 23 87 %\n")
        let without = try await Blectl.simulate("read battery-level -d 'Pulse HR' --format '{timing.requests}'")
        #expect(without.status == 64 && without.stderr.contains("with '--timing' only"))
    }

    @Test(arguments: [
        "decode battery-level 07", "l2cap listen --psm 128", "serve workbench", "session list", "session stop",
        "adapters",
    ])
    func `other commands refuse it, and the hint works`(_ line: String) async throws {
        // A session is not one of virtual time.
        let run = try await Blectl.run(["--simulate"] + TypedCommand(line).arguments + ["--timing"])
        #expect(run.status == 64 && run.stderr.contains("--timing"), "\(run.stderr)")
        if line == "decode battery-level 07" {
            #expect(run.stderr.hasSuffix("is for commands that scan or connect: blectl read battery-level --timing\n"))
            #expect(try await Blectl.simulate("read battery-level -d 'Pulse HR' --timing").status == 0)
        }
    }

    // MARK: - Operations of one run

    private func script(_ text: String, _ options: String = "--json") async throws -> BlectlRun {
        try await Blectl.simulate("run - --timing \(options)", input: Array("\(text)\n".utf8))
    }

    private static let rig = """
        device strap -d 'Pulse HR'
        test "rates"
          connect strap
          read strap battery-level expect 87
          notify strap heart-rate-measurement as beats
          await beats 2 within 10 s
          pause 1
          stop beats
          disconnect strap
          check strap connected is false
          read strap battery-level expect 87
        """

    @Test func `each step of a script has the times that it caused`() async throws {
        let run = try await script(Self.rig)
        #expect(run.status == 0, "\(run.stdout)\(run.stderr)")
        let records = try run.records()
        let steps = records.filter { $0["type"]?.string == "script-step" }
        for step in steps {
            let problems = RecordCheck.problems(of: step, hasTiming: true)
            #expect(problems.isEmpty, "\(problems)")
        }
        #expect(records.filter { $0["timing"] != nil }.count == steps.count)
        let timings = try steps.map { try #require($0["timing"]?.object) }
        try #require(timings.count == 9)
        let (connect, read, notify, awaited) = (timings[0], timings[1], timings[2], timings[3])
        let (pause, stop, check, again) = (timings[4], timings[5], timings[7], timings[8])
        #expect((connect["scan_ms"]?.number ?? 0) > 0 && (connect["connect_ms"]?.number ?? 0) > 0)
        #expect(connect["connect_attempts"] == .integer(1) && connect["requests"] == .integer(0))
        #expect(read["scan_ms"] == .null && read["connect_ms"] == .null && read["connect_attempts"] == .integer(0))
        #expect(read["requests"] == .integer(1) && (read["request_ms"]?.number ?? 0) > 0)
        // The link is the one that the first step has made.
        #expect(read["link"]?.object?["interval_ms"] == connect["link"]?.object?["interval_ms"])
        #expect(read["link"]?.object?["mtu"]?.integer != nil)
        // The subscription, nothing while values come, and its end.
        #expect((notify["requests"]?.integer ?? 0) >= 1)
        #expect(awaited["requests"] == .integer(0) && pause["requests"] == .integer(0))
        #expect(pause["link"]?.object?["mtu"] == .null)
        #expect(stop["requests"] == .integer(1))
        #expect(check["link"]?.object?["mtu"] == .null && check["requests"] == .integer(0))
        // The device is known, so only the link is made again.
        #expect(again["scan_ms"] == .null && (again["connect_ms"]?.number ?? 0) > 0)
        #expect(again["requests"]?.integer.map { $0 >= 1 } == true)
        #expect(try await script(Self.rig).stdout == run.stdout)
    }

    @Test func `without it no step has times, and nothing else differs`() async throws {
        let plain = try await Blectl.simulate("run - --json", input: Array("\(Self.rig)\n".utf8))
        let steps = try plain.records().filter { $0["type"]?.string == "script-step" }
        #expect(plain.status == 0 && steps.count == 9 && steps.allSatisfy { $0["timing"] == nil })
    }

    @Test func `a person sees the times of a step below it`() async throws {
        let run = try await script(Self.rig, "")
        let lines = run.stdout.split(separator: "\n").map(String.init)
        let read = try #require(lines.firstIndex { $0.contains("read strap battery-level") })
        #expect(lines[read + 1].hasPrefix("        timing: 1 request in "), "\(run.stdout)")
        #expect(lines[read + 2].hasPrefix("        link: MTU "), "\(run.stdout)")
        let pause = try #require(lines.firstIndex { $0.contains("pause 1") })
        #expect(!lines[pause + 1].contains("timing:"), "\(run.stdout)")
        #expect(run.stderr == "")
    }

    @Test func `a step cannot have it, and the hint works`() async throws {
        let run = try await Blectl.simulate("run -", input: Array("read battery-level -d 'Pulse HR' --timing\n".utf8))
        #expect(run.stderr.contains("it can be given to 'blectl run'"), "\(run.stderr)")
        #expect(try await script("device strap -d 'Pulse HR'\nread strap battery-level").status == 0)
    }

    @Test func `each line of a shell that asks for it has its own times`() async throws {
        let lines = [
            "read battery-level", "read battery-level --timing --json", "read battery-level --timing --json",
            "read battery-level -d Workbench --timing --json --timeout 5", "lookup 0x180D --timing",
            "read battery-level --json",
        ]
        let run = try await Blectl.simulate("shell -d 'Pulse HR'", input: Array(lines.map { "\($0)\n" }.joined().utf8))
        let objects = run.stdout.split(separator: "\n").filter { $0.hasPrefix("{") }
        let records = try JSON.objects(objects.joined(separator: "\n"))
        try #require(records.count == 4, "\(run.stdout)\(run.stderr)")
        for record in records.prefix(2) {
            let timing = try #require(record["timing"]?.object)
            // The link of the first line.
            #expect(timing["scan_ms"] == .null && timing["connect_ms"] == .null)
            #expect(timing["requests"] == .integer(1) && timing["discovery_requests"] == .integer(0))
            #expect(timing["link"]?.object?["interval_ms"] == .integer(30))
            #expect(timing["link"]?.object?["security"] != .null)
        }
        // Another device: its own scan and connection, whether it has the value or not.
        let other = try #require(records[2]["timing"]?.object)
        #expect((other["scan_ms"]?.number ?? 0) > 0 && (other["connect_ms"]?.number ?? 0) > 0)
        #expect(records[3]["timing"] == nil)
        #expect(run.stderr.contains("'lookup' makes no link that could be timed"), "\(run.stderr)")
    }

    @Test func `a shell with it shows the times of each line that scans or connects`() async throws {
        let lines = ["lookup 0x180D", "read battery-level", "read battery-level"]
        let run = try await Blectl.simulate(
            "shell -d 'Pulse HR' --timing",
            input: Array(lines.map { "\($0)\n" }.joined().utf8)
        )
        let timings = run.stderr.split(separator: "\n").filter { $0.hasPrefix("timing: ") }
        try #require(timings.count == 2, "\(run.stderr)")
        #expect(timings[0].contains("scan ") && timings[0].contains("connect ") && timings[0].hasSuffix("ms"))
        #expect(timings[1].hasPrefix("timing: 1 request in "))
        #expect(run.stderr.split(separator: "\n").count { $0.hasPrefix("link: MTU ") } == 2)
    }

    @Test func `the records of a scan have the time until each was heard`() async throws {
        let run = try await Blectl.simulate("scan --duration 3 --timing --json")
        let records = try run.records()
        #expect(records.count > 3)
        var last = 0.0
        for record in records {
            let problems = RecordCheck.problems(of: record, hasTiming: true)
            #expect(problems.isEmpty, "\(problems)")
            let timing = try #require(record["timing"]?.object)
            let elapsed = try #require(timing["scan_ms"]?.number)
            #expect(elapsed >= last && elapsed <= 3_100)
            last = elapsed
            #expect(timing["connect_ms"] == .null && timing["requests"] == .integer(0))
        }
        let people = try await Blectl.simulate("scan --duration 3 --timing")
        #expect(people.stderr.split(separator: "\n").last?.hasPrefix("timing: scan 3") == true, "\(people.stderr)")
    }

    @Test func `a comparison has the times of both devices`() async throws {
        let one = try await timing("diff 'Pulse HR' workbench --ignore-values")
        let both = try await timing("diff 'Pulse HR' device:Workbench --ignore-values")
        let (few, many) = (one["discovery_requests"]?.integer ?? 0, both["discovery_requests"]?.integer ?? 0)
        #expect(few >= 1 && many > few)
        #expect(one["connect_attempts"] == .integer(1) && both["connect_attempts"] == .integer(2))
    }

    @Test func `a session reports the times until its link was up`() async throws {
        let run = try await SessionShell.run(
            """
            blectl session start -d 'Pulse HR' --timing --format '{timing.connect_attempts} {timing.link.interval_ms}'
            blectl session stop >/dev/null
            blectl session start -d 'Pulse HR' --timing 2>&1 >/dev/null | cut -d' ' -f1
            blectl session stop >/dev/null
            """
        )
        #expect(run.lines == ["1 30", "timing:", "link:"], "\(run)")
    }
}
