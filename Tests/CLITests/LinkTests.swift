// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("link", .startsPrograms())
struct LinkTests {
    /// A device with a battery, and what it does not do on a link.
    private static func device(_ limits: String) -> String {
        """
        {
          "schema": "blectl-device/1",
          "address": "C0:FF:EE:00:00:01",
          "advertising": [{"interval": "100 ms", "data": {"name": "Tag", "services": ["battery"]}}],
          "limits": {\(limits)},
          "services": [{"uuid": "battery", "characteristics": [{"uuid": "battery-level", "properties": ["read"], "value": 7}]}]
        }
        """
    }

    private func run(_ limits: String, _ arguments: [String]) async throws -> BlectlRun {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "tag.json")
            try Data(Self.device(limits).utf8).write(to: file)
            return try await Blectl.run(["--simulate=\(file.path)", "--simulate-time", "virtual"] + arguments)
        }
    }

    private static let phy = ["--link-phy", "2m"]
    private static let length = ["--data-length", "100"]
    private static let interval = ["--link-interval", "15ms"]

    @Test(arguments: [
        (#""refuses": ["phy"]"#, Self.phy, "unsupported remote feature (0x1A)"),
        (#""refuses": ["data-length"]"#, Self.length, "unsupported remote feature (0x1A)"),
        (#""refuses": ["interval"]"#, Self.interval, "unacceptable connection parameters (0x3B)"),
    ])
    func `a device that refuses is status 76, and the link is shown`(
        _ limits: String,
        _ option: [String],
        _ reason: String
    ) async throws {
        let run = try await run(limits, ["link", "Tag"] + option)
        #expect(run.status == 76)
        #expect(run.stdout.contains("not reached, now") && run.stdout.contains("role"))
        #expect(run.stderr.contains("the device refuses: \(reason)\n"))
    }

    @Test(arguments: [
        (#""never_answers": ["phy"]"#, Self.phy), (#""never_answers": ["data-length"]"#, Self.length),
        (#""never_answers": ["interval"]"#, Self.interval),
    ])
    func `a device that never answers is status 124`(_ limits: String, _ option: [String]) async throws {
        let run = try await run(limits, ["link", "Tag", "--timeout", "3"] + option)
        #expect(run.status == 124)
        #expect(run.stderr.contains("the device did not answer within 3 s\n"))
        #expect(run.stderr.contains("hint: --timeout allows more time\n"))
    }

    @Test func `a device that accepts no other length is not reported as silent`() async throws {
        let run = try await run(#""data_length": 60"#, ["link", "Tag", "--timeout", "3"] + Self.length)
        #expect(run.status == 124)
        #expect(run.stdout.contains("not reached, now"))
        let reason = "the two sides agree on no other length, or the device did not answer within 3 s\n"
        #expect(run.stderr.contains(reason))
    }

    @Test func `a command that connects raises the link first, and reads nothing after a failure`() async throws {
        let good = try await run("", ["read", "battery-level", "-d", "Tag", "-v"] + Self.interval + Self.phy)
        #expect(good.status == 0 && good.stdout == "7 %\n")
        #expect(good.stderr.contains("asked for 2M; reached 2M\n"))
        #expect(good.stderr.contains("asked for interval 15 ms; reached interval 15 ms, latency 0"))
        let bad = try await run(#""refuses": ["interval"]"#, ["read", "battery-level", "-d", "Tag"] + Self.interval)
        #expect(bad.status == 76 && bad.stdout == "")
        #expect(bad.stderr.contains("cannot change the connection parameters of the link to Tag"))
        let silent = try await run(#""never_answers": ["phy"]"#, ["notify", "battery-level", "-d", "Tag"] + Self.phy)
        #expect(silent.status == 124 && silent.stdout == "")
    }

    @Test(arguments: [
        ["--link-interval", "7ms"], ["--link-interval", "4.1s"], ["--link-interval", "11ms"],
        ["--link-interval", "30ms..15ms"], ["--link-interval", "1ms..2ms..3ms"], ["--link-latency", "500"],
        ["--supervision-timeout", "90ms"], ["--supervision-timeout", "33s"], ["--supervision-timeout", "101ms"],
        ["--data-length", "26"], ["--data-length", "252"], ["--link-phy", "3m"],
        ["--link-interval", "1s", "--supervision-timeout", "1s"], ["--link-interval", "4s", "--link-latency", "499"],
    ])
    func `a value out of range is status 64 before anything is sent`(_ option: [String]) async throws {
        let run = try await run("", ["link", "Tag", "-vv"] + option)
        #expect(run.status == 64 && run.stdout == "")
        // With -vv, packets would be shown.
        #expect(!run.stderr.contains("hci") && !run.stderr.contains("att "))
    }

    @Test func `the signal is a stream of records`() async throws {
        let run = try await run("", ["link", "Tag", "--signal", "-n", "4", "--period", "250ms", "--json"])
        #expect(run.status == 0)
        let lines = run.stdout.split(separator: "\n")
        #expect(lines.count == 4)
        for (index, line) in lines.enumerated() {
            #expect(line.contains(#""type":"signal""#) && line.contains(#""sequence":\#(index + 1),"#))
        }
        let few = try await self.run("", ["link", "Tag", "--signal", "-n", "9", "--duration", "2"])
        #expect(few.status == 1 && few.stdout.split(separator: "\n").count == 2)
    }

    @Test func `options of the stream require the stream`() async throws {
        for option in [["-n", "3"], ["--duration", "3"], ["--period", "3"]] {
            let run = try await run("", ["link", "Tag"] + option)
            #expect(run.status == 64 && run.stderr.contains("needs '--signal'"))
        }
    }

    @Test func `without the capability a known device is shown as far as possible`() async throws {
        let address = ["-d", "C0:FF:EE:00:00:01", "--address-type", "random"]
        let shown = try await run("", ["link", "--simulate-adapter", "unauthorized"] + address)
        #expect(shown.status == 0)
        #expect(shown.stdout.contains("connection interval  not known: the capability CAP_NET_RAW is missing"))
        #expect(shown.stdout.contains("role                 central\n") && shown.stdout.contains(" dBm\n"))
        let changed = try await run("", ["link", "--simulate-adapter", "unauthorized"] + address + Self.phy)
        #expect(changed.status == 77 && changed.stderr.contains("hint: sudo setcap cap_net_raw"))
        let read = try await run(
            "",
            ["read", "battery-level", "--simulate-adapter", "unauthorized"] + address + Self.phy
        )
        #expect(read.status == 77 && read.stdout == "" && read.stderr.contains("hint: sudo setcap cap_net_raw"))
    }
}
