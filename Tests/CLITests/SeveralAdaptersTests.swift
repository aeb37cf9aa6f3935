// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Several adapters", .startsPrograms())
struct SeveralAdaptersTests {
    private static func device(_ name: String, _ number: Int, _ first: Int, _ second: Int) -> String {
        """
        { "label": "\(name)", "address": "C0:00:00:00:00:0\(number)",
          "advertising": [{ "data": { "name": "\(name)" } }],
          "signal": { "rssi": \(first), "second_rssi": \(second), "movement": "still" },
          "services": [{ "uuid": "battery", "characteristics": [
            { "uuid": "battery-level", "properties": ["read"], "value": { "battery_level_percent": \(number) } }] }] }
        """
    }

    private static let world = """
        { "schema": "blectl-world/1", "devices": [
        \(device("near", 1, -50, -80)), \(device("far", 2, -80, -50)), \(device("left", 3, -60, -60)),
        \(device("right", 4, -60, -60)) ] }
        """

    /// Runs a command on a machine with two adapters in that world.
    private static func run(_ line: String, script: String = "", input: String = "") async throws -> BlectlRun {
        try await TemporaryFolder.use { folder in
            try Data(world.utf8).write(to: folder.appending(path: "world.json"))
            try Data(script.utf8).write(to: folder.appending(path: "script.blectl"))
            let words = TypedCommand(line.replacing("SCRIPT", with: folder.appending(path: "script.blectl").path))
            let options = [
                "--simulate=\(folder.path)/world.json", "--simulate-time", "virtual", "--simulate-adapter", "second",
            ]
            return try await Blectl.run(options + words.arguments, input: Array(input.utf8))
        }
    }

    @Test func `each adapter reports its own devices, with its own signal strength`() async throws {
        let run = try await Self.run("scan -i hci0,hci1 --duration 5 --json --duplicates")
        #expect(run.status == 0, "\(run.stderr)")
        var strengths: [String: [Int]] = [:]
        for record in try run.records() {
            let (name, adapter) = (record["name"]?.string ?? "?", record["adapter"]?.string ?? "?")
            if let rssi = record["rssi_dbm"]?.integer { strengths["\(name) \(adapter)", default: []].append(Int(rssi)) }
        }
        for (key, mean) in ["near hci0": -50, "near hci1": -80, "far hci0": -80, "far hci1": -50] {
            let heard = try #require(strengths[key], "\(strengths.keys)")
            #expect(heard.allSatisfy { abs($0 - mean) < 6 }, "\(key): \(heard)")
        }
    }

    @Test func `a summary and a chart show the strength at the named adapter`() async throws {
        let records = try await Self.run("scan -i all --duration 5 --json --summary").records()
        for (name, adapter, mean) in [("near", "hci0", Int64(-50)), ("far", "hci1", -50)] {
            let device = try #require(records.first { $0["name"] == .string(name) })
            #expect(device["adapter"] == .string(adapter))
            for key in ["rssi_min_dbm", "rssi_mean_dbm", "rssi_max_dbm"] {
                let strength = try #require(device[key]?.integer)
                #expect(abs(strength - mean) < 6, "\(name): \(key) \(strength)")
            }
        }
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "scan.svg").path
            let run = try await Self.run("scan -i all --duration 5 --chart \(path)")
            #expect(run.status == 0, "\(run.stderr)")
            let picture = try String(contentsOfFile: path, encoding: .utf8)
            #expect(
                picture.contains("near C0:00:00:00:00:01 on hci0") && picture.contains("far C0:00:00:00:00:02 on hci1")
            )
        }
    }

    @Test func `a clone of a device found by one of several adapters has its advertising`() async throws {
        let run = try await Self.run("clone -d near -i all")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout.contains("\"advertising\"") && !run.stderr.contains("a session is connected"))
    }

    @Test(arguments: ["hci0,hci1", "hci1"])
    func `a script with --privacy refuses a device on another adapter, which would reveal an address`(
        _ adapters: String
    ) async throws {
        let script = """
            device a -d near -i \(adapters)
            test "x"
              read a battery-level
            """
        let run = try await Self.run("run SCRIPT --privacy -i hci0", script: script)
        #expect(run.status == 64, "\(run.status) \(run.stdout) \(run.stderr)")
        #expect(run.stdout.contains("'--privacy' hides the address of one adapter"), "\(run.stdout)")
    }

    @Test func `a script reports with -v the chosen adapter, and why`() async throws {
        let script = """
            device a -d far -i hci0,hci1
            test "x"
              read a battery-level
            """
        let run = try await Self.run("run SCRIPT -v", script: script)
        #expect(run.status == 0, "\(run.stderr)")
        #expect((run.stdout + run.stderr).contains("using hci1: for far "), "\(run.stdout) \(run.stderr)")
    }

    @Test func `without duplicates each adapter has one record, and a single adapter has no name in it`() async throws {
        let both = try await Self.run("scan -i all --duration 5 --json").records()
        #expect(both.compactMap { $0["adapter"]?.string }.count { $0 == "hci1" } == 8)
        #expect(both.count == 16)
        for line in ["scan --duration 5 --json", "scan -i hci1 --duration 5 --json"] {
            let alone = try await Self.run(line).records()
            #expect(alone.count == 8 && alone.allSatisfy { $0["adapter"] == .null }, "\(line)")
        }
    }

    @Test func `a line and a summary name the adapter that hears the device best`() async throws {
        for line in ["scan -i all --duration 5", "scan -i all --duration 5 --summary"] {
            let run = try await Self.run(line)
            let lines = run.stdout.split(separator: "\n")
            #expect(lines.contains { $0.contains("  hci0  near") }, "\(run)")
            #expect(lines.contains { $0.contains("  hci1  far") }, "\(run)")
        }
    }

    @Test func `an adapter that is pulled out or off does not end the scan of the other`() async throws {
        let pulled = try await Self.run("scan -i all --duration 5 --json --duplicates --simulate-adapter returning")
        #expect(pulled.status == 0)
        #expect(pulled.stderr.contains("going on without hci0: the adapter was unplugged"), "\(pulled.stderr)")
        #expect(try pulled.records().last?["adapter"]?.string == "hci1")
        let off = try await Self.run("scan -i all --duration 1 --simulate-adapter off")
        #expect(off.status == 0 && off.stderr.contains("going on without hci0: the adapter hci0 is down"))
        let none = try await Self.run("scan -i hci5,hci4 --duration 1")
        #expect(none.status == 69 && none.stderr.contains("there is no adapter hci5"), "\(none.stderr)")
        let forbidden = try await Self.run("scan -i all --duration 1 --simulate-adapter unauthorized")
        #expect(forbidden.status == 77 && forbidden.stdout.isEmpty, "\(forbidden.stderr)")
    }

    @Test(arguments: [("near", "hci0", "1 %"), ("far", "hci1", "2 %")])
    func `commands that connect take the adapter with the strongest signal`(
        name: String,
        adapter: String,
        value: String
    ) async throws {
        let run = try await Self.run("read battery-level -d \(name) -i all -v")
        #expect(run.status == 0 && run.stdout == "\(value)\n")
        #expect(run.stderr.contains("using \(adapter): for \(name)"), "\(run.stderr)")
    }

    @Test func `the links of a shell are distributed`() async throws {
        let lines = "read battery-level -d left\nread battery-level -d right\n"
        let run = try await Self.run("shell -i all -v", input: lines)
        #expect(run.stderr.contains("using hci0: for left"), "\(run.stderr)")
        #expect(run.stderr.contains("using hci1: for right"), "\(run.stderr)")
        #expect(run.stderr.contains("hci0 -60 dBm, 1 link; hci1 -60 dBm, no link"), "\(run.stderr)")
    }

    @Test func `the devices of a script have separate adapters`() async throws {
        let script = """
            device near -d near -i hci1
            device far -d far -i hci0,hci1
            device left -d left
            read near battery-level expect 1
            read far battery-level expect 2
            read left battery-level expect 3
            """
        let run = try await Self.run("run SCRIPT -i all", script: script)
        #expect(run.status == 0, "\(run.stdout)\(run.stderr)")
        let missing = try await Self.run("run SCRIPT", script: "device near -d near -i hci7\nread near battery-level\n")
        #expect(missing.status != 0 && (missing.stdout + missing.stderr).contains("there is no adapter hci7"))
        let step = try await Self.run("run SCRIPT", script: "device near -d near\nread near battery-level -i hci1\n")
        #expect(step.status == 65)
        #expect(step.stderr.contains("option '--adapter' belongs to the declaration of the device"), "\(step.stderr)")
    }

    @Test func `adapters and doctor are about the named ones`() async throws {
        #expect(try await Self.run("adapters").stdout.split(separator: "\n").count == 2)
        #expect(try await Self.run("adapters -i all").stdout.split(separator: "\n").count == 2)
        let one = try await Self.run("adapters -i hci1")
        #expect(one.stdout.hasPrefix("hci1") && one.stdout.split(separator: "\n").count == 1)
        let addressed = try await Self.run("adapters -i 02-00-00-00-00-02")
        #expect(addressed.stdout == one.stdout, "\(addressed)")
        #expect(try await Self.run("adapters -i hci1,hci2").status == 69)
        let stranger = try await Self.run("adapters -i 00:1A:7D:DA:71:13")
        #expect(stranger.status == 69 && stranger.stderr.contains("no adapter 00:1A:7D:DA:71:13"), "\(stranger)")
        let run = try await Self.run("doctor -i all --json --simulate-adapter off")
        let records = try run.records()
        #expect(records.count { $0["check"]?.string == "kernel" } == 1)
        let power = records.filter { $0["check"]?.string == "power" }
        #expect(power.map { $0["adapter"]?.string } == ["hci0", "hci1"])
        #expect(power.map { $0["state"]?.string } == ["failure", "ok"])
        #expect(run.status == 69)
    }

    @Test(arguments: ["off", "blocked", "le-off"])
    func `management commands reach the named adapter`(state: String) async throws {
        let run = try await Self.run("adapter show -i hci1 --simulate-adapter \(state)")
        #expect(run.status == 0 && run.stdout.contains("hci1  02:00:00:00:00:02  up  le"), "\(run)")
        let off = try await Self.run("adapter power off -i hci1")
        #expect(off.status == 0 && off.stdout.contains("hci1  02:00:00:00:00:02  down"), "\(off)")
    }

    @Test func `an address means the adapter for every command`() async throws {
        let address = "02:00:00:00:00:02"
        let read = try await Self.run("read battery-level -d near -i \(address)")
        #expect(read.status == 0 && read.stdout == "1 %\n", "\(read)")
        let off = try await Self.run("adapter power off -i \(address)")
        #expect(off.status == 0 && off.stdout.hasPrefix("hci1  \(address)  down"), "\(off)")
        let doctor = try await Self.run("doctor -i \(address) --json")
        #expect(doctor.status == 0, "\(doctor)")
        #expect(try doctor.records().contains { $0["adapter"]?.string == "hci1" }, "\(doctor)")
        // The same adapter given twice counts once.
        let scan = try await Self.run("scan -i hci1,\(address) --duration 2 --summary --json")
        #expect(Set(try scan.records().map { $0["adapter"]?.string }) == ["hci1"], "\(scan)")
    }

    @Test func `a pairing is made on the chosen adapter`() async throws {
        let run = try await Blectl.simulate("pair -d 'Door Lock' -i all --simulate-adapter second --passkey 123456 -v")
        #expect(run.stderr.contains("using hci"), "\(run.stderr)")
        #expect(run.status == 0 && run.stdout.contains("paired with Door Lock"), "\(run)")
    }
}
