// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Commands
import FoundationEssentials
import Glibc
import Records
import TestProcesses
import Testing
import Toolkit

@Suite("JSON records", .startsPrograms())
struct RecordTests {
    /// Commands that together print every type of record.
    static let commands = [
        TypedCommand("scan --duration 20 --json"),
        TypedCommand("scan --duration 2 --duplicates --passive --json"),
        TypedCommand("scan --duration 5 --summary --json"),
        TypedCommand("l2cap connect --psm 130 --count 2 -d Workbench --json"),
        TypedCommand("bench l2cap --psm 128 --count 5 -d Workbench --json"),
        TypedCommand("inspect -d Workbench --json"),
        TypedCommand("inspect -d Workbench --values --json"),
        TypedCommand("inspect -d 'Thermo 1' --values --json"),
        TypedCommand("inspect -d 'Pulse HR' --values --json"),
        TypedCommand("inspect -d 'UART Echo' --values --json"),
        TypedCommand("read battery-level 0x2A00 handle:3 heart-rate/body-sensor-location -d 'Pulse HR' --json"),
        TypedCommand("read \(Workbench.long) \(Workbench.voltage)/0x2904 \(Workbench.twin) -d Workbench --json"),
        TypedCommand("read \(Workbench.fixed) -d Workbench --as u8 --json"),
        TypedCommand("read battery-level 0xFFF1 -d 'Pulse HR' --timing --json"),
        TypedCommand("read \(Workbench.fixed) -d Workbench --as raw --json"),
        TypedCommand("read \(Workbench.authenticated) 0xFFF1 \(Workbench.silent) -d Workbench --json"),
        TypedCommand("write \(Workbench.variable) 0x01 -d Workbench --json"),
        TypedCommand("write \(Workbench.variable) 0x01 -d Workbench --verify --json"),
        TypedCommand("write client-supported-features 0xff -d Workbench --verify --json"),
        TypedCommand("write \(Workbench.commandOnly) 0x01 -d Workbench --no-response --json"),
        TypedCommand("notify heart-rate-measurement battery-level --count 5 --json"),
        TypedCommand("notify temperature-measurement intermediate-temperature -d 'Thermo 1' --count 5 --json"),
        TypedCommand("notify \(Workbench.ticker) -d Workbench --count 2 --json"),
        TypedCommand("notify heart-rate-measurement -d 'Flaky HR' --reconnect --duration 40 --json"),
        TypedCommand("watch heart-rate --count 20 --json"),
        TypedCommand("watch battery -d 'Flaky HR' --reconnect --duration 30 --json"),
        TypedCommand("watch battery --count 2 --json"),
        TypedCommand("watch uart --json", input: "AT\n"),
        TypedCommand("watch keys -d SensorTag --count 2 --json"),
        TypedCommand("watch glucose --json"),
        TypedCommand("profile glucose count --json"),
        TypedCommand("link -d 'Pulse HR' --link-phy 2m --json"),
        TypedCommand("link Museum --link-phy 2m --json"),
        TypedCommand("link -d 'Pulse HR' --signal -n 2 --json"),
        TypedCommand("serve 'Pulse HR' --duration 30 --json"),
        TypedCommand("advertise ibeacon 0x180D --duration 1 --json"),
        TypedCommand("advertise --local-name A --scan-response --tx-power 4 + --to 001122334455 --duration 1 --json"),
        TypedCommand("advertise --local-name A --privacy --duration 16m --json"),
        TypedCommand("advertise --local-name A --connectable --sid 3 --primary-phy coded --duration 1 --json"),
        TypedCommand("device check pulse-strap museum --json"),
        TypedCommand("device show ibeacon --json"),
        TypedCommand("clone -d 'Pulse HR' --values --record 3 --json"),
        TypedCommand("diff device:Workbench 'device:Pulse HR' --json"),
        TypedCommand("trace - --json", octets: CaptureSample.phone),
        TypedCommand("trace - --values --until 7ms --json", octets: CaptureSample.phone),
        TypedCommand("trace - --summary --json", octets: CaptureSample.phone),
        TypedCommand("extcap interfaces --json"),
        TypedCommand("run - --json", input: RunTests.oneOfEach),
        TypedCommand("run - --dry-run --json", input: RunTests.oneOfEach),
        TypedCommand("decode heart-rate-measurement 16480e03 --json"),
        TypedCommand("decode 0x2A18 0b01 --json"),
        TypedCommand("decode cpf 0efe2f27010000 --json"),
        TypedCommand("encode heart-rate-measurement heart-rate=72 contact=true --json"),
        TypedCommand("lookup battery --json"),
        TypedCommand("lookup glucose-measurement --json"),
        TypedCommand("lookup 0x2704 --json"),
        TypedCommand("adapters --json"),
        TypedCommand("doctor --json"),
        TypedCommand("doctor --json --simulate-adapter le-off"),
        TypedCommand(
            "shell -d 'Pulse HR' --json",
            input: "connect\nnotify heart-rate-measurement &\nlinks\njobs\n"
        ),
        TypedCommand("version --json"),
        TypedCommand("help --json"),
        TypedCommand("help scan --json"),
        TypedCommand("completion fish --json"),
    ]

    /// Commands that fail, each in its own way.
    static let failures = [
        TypedCommand("--json"),
        TypedCommand("scna --json"),
        TypedCommand("scan --durtion 5 --json"),
        TypedCommand("scan --json --duration soon"),
        TypedCommand("scan --json --adapter hci7"),
        TypedCommand("doctor --json --adapter hci7"),
        TypedCommand("read nonsense --json"),
        TypedCommand("read battery-level -d Nobody --timeout 1 --json"),
        TypedCommand("read battery-level -d \(World.iBeacon) --json"),
        TypedCommand("read device-name -d \(World.absent) --address-type random --json"),
        TypedCommand("inspect -d Workbench --values --json"),
        TypedCommand("write \(Workbench.fixed) 0x01 -d Workbench --json"),
        TypedCommand("write \(Workbench.long) 0x01 -d Workbench --no-response --json"),
        TypedCommand("write \(Workbench.variable) @/nowhere -d Workbench --json"),
        TypedCommand("write device-name 0x01 --name '*' --json"),
        TypedCommand("notify \(Workbench.fixed) -d Workbench --json"),
        TypedCommand("watch heart-rate -d Workbench --json"),
        TypedCommand("watch heart-rate --deadline 2 --json"),
        TypedCommand("serve nonsense --json"),
        TypedCommand("advertise ibeacn --json"),
        TypedCommand("advertise raw 00 + raw 01 + raw 02 + raw 03 + raw 04 --json"),
        TypedCommand("device check pulse-strap /dev/null --json"),
        TypedCommand("device show /nonexistent/file --json"),
        TypedCommand("trace - --json", octets: Array(CaptureSample.phone.dropLast())),
        TypedCommand("trace /nonexistent/file --json"),
        TypedCommand("decode 0x1234 00 --json"),
        TypedCommand("decode heart-rate-measurement 16480e --json"),
        TypedCommand("encode battery-level 101 --json"),
        TypedCommand("lookup xyzzyx --json"),
        TypedCommand("completion csh --json"),
    ]

    @Test(arguments: failures)
    func `a failure of a command is its last record, with the message of standard error`(
        _ command: TypedCommand
    ) async throws {
        let run = try await command.run()
        #expect(run.status != 0)
        let record = try #require(try run.records().last, "\(run.stderr)")
        #expect(record["type"] == .string("error"))
        #expect(record["status"] == .integer(Int64(run.status)))
        #expect(RecordCheck.problems(of: record).isEmpty, "\(RecordCheck.problems(of: record))")
        let errors = try run.records().filter { $0["type"] == .string("error") }
        #expect(errors.count == 1, "one record for each failure")
        let message = try #require(record["message"]?.string)
        if command.text != "--json" { #expect(run.stderr.contains("blectl: \(message)\n"), "\(run.stderr)") }
        if let hint = record["hint"]?.string { #expect(run.stderr.contains("hint: \(hint)\n"), "\(run.stderr)") }
        if let action = record["action"]?.string, message.hasPrefix("cannot ") {
            #expect(message.contains(try #require(record["reason"]?.string)) && !action.isEmpty)
        }
    }

    @Test func `a failure names its action, its device, its attribute and the error by name`() async throws {
        let run = try await Blectl.simulate("write \(Workbench.fixed) 0x01 -d Workbench --json")
        let record = try #require(try run.records().last)
        #expect(record["action"] == .string("write \(Workbench.fixed) to Workbench (D3:6F:10:2C:84:B7)"))
        #expect(record["reason"]?.string?.hasPrefix("the device refused a value of 1 octet (ATT 0x0D") == true)
        #expect(record["device"]?.object?["address"] == .string("D3:6F:10:2C:84:B7"))
        #expect(record["device"]?.object?["name"] == .string("Workbench"))
        #expect(record["characteristic"] == .string(Workbench.fixed))
        #expect(record["target"] == .string(Workbench.fixed))
        #expect(record["att_error"] == .integer(0x0D))
        #expect(record["att_error_name"] == .string("invalid attribute value length"))
        #expect(record["status_name"] == .string("protocol-error") && record["retryable"] == .bool(false))
        let adapter = try #require(try await Blectl.simulate("scan --adapter hci7 --json").records().last)
        #expect(adapter["adapter"] == .string("hci7"))
        let late = try #require(try await Blectl.simulate("watch heart-rate --deadline 2 --json").records().last)
        #expect(late["retryable"] == .bool(true) && late["status_name"] == .string("timed-out"))
    }

    @Test func `the tree of a device needs no fold`() async throws {
        let run = try await Blectl.simulate("inspect -d Workbench --values --json")
        var service: JSON?
        var characteristic: JSON?
        for record in try run.records() {
            switch record["type"]?.string {
            case "service": service = record["uuid"]
            case "characteristic": characteristic = record["uuid"]
            default: break
            }
            guard record["type"] != .string("error") else { continue }
            #expect(record["service"] == service)
            #expect(
                ["characteristic", "descriptor"].contains(record["type"]?.string) == (record["characteristic"] != nil)
            )
            if let named = record["characteristic"] { #expect(named == characteristic) }
        }
        let voltage = try #require(
            try run.records().first {
                $0["uuid"] == .string(Workbench.voltage) && $0["type"] == .string("characteristic")
            }
        )
        #expect(voltage["decoded"] != .null && voltage["text"] == .string("3.3 V"))
    }

    @Test func `times of several processes are on one clock, that of the machine`() async throws {
        var moments: [Int64] = []
        for _ in 0..<2 {
            moments.append(clock())
            let run = try await Blectl.run(["--simulate", "version", "--json"])
            moments.append(try #require(try run.records().first?["monotonic_ns"]?.integer))
        }
        moments.append(clock())
        #expect(moments == moments.sorted() && Set(moments).count == moments.count, "\(moments)")
    }

    /// The machine's clock, as other programs read it.
    private func clock() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    @Test(arguments: commands)
    func `records have the keys and the types of the manual, always in the same form`(
        _ command: TypedCommand
    ) async throws {
        let run = try await command.run()
        let records = try run.records()
        #expect(!records.isEmpty, "\(run.stderr)")
        var last: Int64 = 0
        for (record, line) in zip(records, run.stdout.split(separator: "\n")) {
            let problems = RecordCheck.problems(of: record, hasTiming: command.arguments.contains("--timing"))
            #expect(problems.isEmpty, "\(problems.joined(separator: "; "))")
            #expect(try JSON.line(record) == line, "keys are in order and nothing stands between")
            let schema = CommandSet.all.records.first { .string($0.type) == record["type"] }
            let name = try #require(command.arguments.first)
            #expect(
                schema.map { CommandSet.all.commands(printing: $0) }?.map(\.rawValue).contains(name) == true,
                "the manual knows it of other commands"
            )
            let moment = try #require(record["monotonic_ns"]?.integer)
            #expect(moment >= last, "time does not go back")
            last = moment
        }
    }

    @Test func `every type of record of the manual occurs`() async throws {
        var types: Set<String> = []
        for command in Self.commands {
            types.formUnion(try await command.run().records().compactMap { $0["type"]?.string })
        }
        // In virtual time values are never dropped: see InterruptionResultTests, and the kernel lab.
        // Worlds that processes share are in real time: see SharedWorldTests.
        types.formUnion(["world", "world-device", "world-adapter", "world-fault"])
        // Sessions are in real time, too: see SessionTests.
        types.insert("session")
        // The link of a served device gets security from a central that has a key: see PeripheralHostTests, and the kernel lab.
        types.insert("secured")
        // An update needs a file, and what MCUmgr answers depends on it: see UpdateTests, and the kernel lab.
        types.formUnion(["update", "mcumgr"])
        // A controller that can be lent is none of a simulated world, nor has that enhanced bearers: see the kernel lab.
        types.formUnion(["radio", "bearer"])
        types.formUnion(try await typesOfBonds())
        #expect(types.union(["values-dropped"]) == Set(CommandSet.all.records.map(\.type)))
    }

    /// The types that commands about one bond write. In virtual time none outlives its command.
    private func typesOfBonds() async throws -> Set<String> {
        try await TemporaryFolder.use { folder in
            var types: Set<String> = []
            for line in [
                "pair 'Just Works' --json", "bonds --json", "devices --json", "forget 'Just Works' --json",
                "unpair 'Just Works' --json",
            ] {
                let arguments = ["--simulate=security"] + TypedCommand(line).arguments
                let run = try await Blectl.run(arguments, environment: ["XDG_STATE_HOME": folder.path])
                for record in try run.records() {
                    #expect(RecordCheck.problems(of: record).isEmpty)
                    types.formUnion([record["type"]?.string].compactMap { $0 })
                }
            }
            return types
        }
    }

    @Test func `beacons have keys of their own`() async throws {
        let run = try await Blectl.simulate("scan --duration 10 --json")
        var kinds: [String: Set<String>] = [:]
        for record in try run.records() {
            guard let beacon = record["beacon"]?.object, let kind = beacon["kind"]?.string else { continue }
            kinds[kind, default: []].formUnion(beacon.keys)
        }
        #expect(
            kinds == [
                "ibeacon": ["kind", "uuid", "major", "minor", "measured_power_dbm"],
                "eddystone-url": ["kind", "url", "tx_power_dbm"],
                "eddystone-tlm": ["kind", "battery_mv", "temperature_c", "advertisement_count", "uptime_s"],
            ]
        )
    }

    @Test func `a check without matches would be useless`() {
        let version = ["type": JSON.string("version"), "time": .string("2026-01-01T00:00:00.000000Z")]
        let content: [String: JSON] = [
            "version": .string("1"), "library": .string("l"), "library_use": .string("u"),
            "record_schema": .string("s"),
        ]
        let whole = version.merging(["monotonic_ns": .integer(1)]) { $1 }.merging(content) { $1 }
        #expect(RecordCheck.problems(of: whole).isEmpty)
        #expect(RecordCheck.problems(of: version).count == 5)
        #expect(RecordCheck.problems(of: whole.merging(["more": .null]) { $1 }).count == 1)
        #expect(RecordCheck.problems(of: whole.merging(["version": .null]) { $1 }).count == 1)
        #expect(RecordCheck.problems(of: whole.merging(["monotonic_ns": .bool(true)]) { $1 }).count == 1)
        #expect(RecordCheck.problems(of: whole.merging(["time": .string("today")]) { $1 }).count == 1)
        #expect(RecordCheck.problems(of: ["type": .string("surprise")]).count == 1)
    }
}
