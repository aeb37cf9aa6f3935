// SPDX-License-Identifier: GPL-2.0-or-later

import BlectlKit
import Testing

@Suite("JSON records", .startsPrograms())
struct RecordTests {
    /// Commands that together print every type of record.
    static let commands = [
        TypedCommand("scan --duration 20 --json"),
        TypedCommand("scan --duration 2 --duplicates --passive --json"),
        TypedCommand("inspect -d Workbench --json"),
        TypedCommand("inspect -d Workbench --values --json"),
        TypedCommand("inspect -d 'Thermo 1' --values --json"),
        TypedCommand("inspect -d 'Pulse HR' --values --json"),
        TypedCommand("inspect -d 'UART Echo' --values --json"),
        TypedCommand("read battery-level 0x2A00 handle:3 heart-rate/body-sensor-location -d 'Pulse HR' --json"),
        TypedCommand("read \(Workbench.long) \(Workbench.voltage)/0x2904 \(Workbench.twin) -d Workbench --json"),
        TypedCommand("read \(Workbench.fixed) -d Workbench --as u8 --json"),
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
        TypedCommand("serve 'Pulse HR' --duration 30 --json"),
        TypedCommand("adapters --json"),
        TypedCommand("version --json"),
    ]

    @Test(arguments: commands)
    func `records have the keys and the types of the manual, always in the same form`(
        _ command: TypedCommand
    ) async throws {
        let run = try await command.run()
        let records = try run.records()
        #expect(!records.isEmpty, "\(run.stderr)")
        var last: Int64 = 0
        for (record, line) in zip(records, run.stdout.split(separator: "\n")) {
            let problems = RecordCheck.problems(of: record)
            #expect(problems.isEmpty, "\(problems.joined(separator: "; "))")
            #expect(try JSON.line(record) == line, "keys are in order and nothing stands between")
            let schema = RecordSchema.all.first { .string($0.type) == record["type"] }
            let name = try #require(command.arguments.first)
            #expect(schema?.commands.map(\.rawValue).contains(name) == true, "the manual knows it of other commands")
            let moment = try #require(record["monotonic_ns"]?.integer)
            #expect(moment >= last, "time does not go back")
            last = moment
        }
    }

    @Test func `every type of record of the manual comes up`() async throws {
        var types: Set<String> = []
        for command in Self.commands {
            types.formUnion(try await command.run().records().compactMap { $0["type"]?.string })
        }
        // In virtual time values are never dropped: see InterruptionResultTests, and the kernel lab.
        #expect(types.union([RecordSchema.valuesDropped.type]) == Set(RecordSchema.all.map(\.type)))
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

    @Test func `a check that finds nothing would be none`() {
        let version = ["type": JSON.string("version"), "time": .string("2026-01-01T00:00:00.000000Z")]
        let content: [String: JSON] = ["version": .string("1"), "library": .string("l"), "library_use": .string("u")]
        let whole = version.merging(["monotonic_ns": .integer(1)]) { $1 }.merging(content) { $1 }
        #expect(RecordCheck.problems(of: whole).isEmpty)
        #expect(RecordCheck.problems(of: version).count == 4)
        #expect(RecordCheck.problems(of: whole.merging(["more": .null]) { $1 }).count == 1)
        #expect(RecordCheck.problems(of: whole.merging(["version": .null]) { $1 }).count == 1)
        #expect(RecordCheck.problems(of: whole.merging(["monotonic_ns": .bool(true)]) { $1 }).count == 1)
        #expect(RecordCheck.problems(of: whole.merging(["time": .string("today")]) { $1 }).count == 1)
        #expect(RecordCheck.problems(of: ["type": .string("surprise")]).count == 1)
    }
}
