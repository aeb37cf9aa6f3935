// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@Suite("Reading", .startsPrograms())
struct ReadTests {
    @Test func `a missing target does not fail the others`() async throws {
        let run = try await Blectl.simulate(
            "read battery-level 0xFFF1 \(Workbench.applicationError) device-name -d 'Pulse HR' --json"
        )
        #expect(run.status == 68)
        let records = try run.records()
        #expect(records.map { $0["type"] } == ["value", "error", "error", "value"].map { .string($0) })
        #expect(
            records.map { $0["target"] }
                == ["battery-level", "0xFFF1", Workbench.applicationError, "device-name"].map {
                    .string($0)
                }
        )
        #expect(records[1]["status"] == .integer(68))
        let message = try #require(records[1]["message"]?.string)
        #expect(run.stderr.contains("blectl: \(message)\n"), "the record says what people read")
    }

    @Test func `a value is read once in each time, until the count`() async throws {
        let run = try await Blectl.simulate("read battery-level 0x2A00 -d 'Pulse HR' --every 10s -n 6 --json")
        #expect(run.status == 0, "\(run.stderr)")
        let records = try run.records()
        for record in records { #expect(RecordCheck.problems(of: record).isEmpty) }
        #expect(records.map { $0["type"] } == Array(repeating: .string("value"), count: 6))
        #expect(records.map { $0["target"]?.string } == (0..<3).flatMap { _ in ["battery-level", "0x2A00"] })
        let times = records.compactMap { $0["monotonic_ns"]?.integer }
        #expect((19_900_000_000...20_100_000_000).contains(times[4] - times[0]), "\(times)")
    }

    @Test func `each value has its time, and fewer than wanted are status 1`() async throws {
        let run = try await Blectl.simulate("read battery-level -d 'Pulse HR' --every 2 --count 9 --duration 5")
        #expect(run.status == 1 && run.stderr.contains("3 of 9 values received from Pulse HR"), "\(run.stderr)")
        #expect(run.stdout.split(separator: "\n").allSatisfy { $0.hasPrefix("2024-01-01T") && $0.hasSuffix("87 %") })
    }

    @Test func `what is refused is told once and left out, and the status is that of it`() async throws {
        let line = "read battery-level 0xFFF1 heart-rate-measurement -d 'Pulse HR' --every 1 --duration 3.5 --json"
        let run = try await Blectl.simulate(line)
        #expect(run.status == 68, "\(run.stderr)")
        let records = try run.records()
        #expect(records.count { $0["type"]?.string == "error" } == 2)
        #expect(records.count { $0["type"]?.string == "value" } == 4, "\(run.stdout)")
        let alone = try await Blectl.simulate("read 0xFFF1 -d 'Pulse HR' --every 1")
        #expect(alone.status == 68 && alone.stderr.contains("cannot read 0xFFF1 from Pulse HR"), "\(alone.stderr)")
    }

    @Test func `a lost link ends the reading, unless it is made again, and the loss is told`() async throws {
        let line = "read battery-level -d 'Flaky HR' --every 1 --duration 60"
        let lost = try await Blectl.simulate(line)
        #expect(lost.status == 75, "\(lost.stderr)")
        let kept = try await Blectl.simulate("\(line) --reconnect --json")
        #expect(kept.status == 0, "\(kept.stderr)")
        // A link is lost after 20 s.
        #expect(try kept.records().count > 40 && kept.stderr.contains("the connection was lost"), "\(kept.stderr)")
    }

    @Test func `a script has a stream of it`() async throws {
        let script = """
            device strap -d 'Pulse HR'
            test "polls"
              read strap battery-level --every 2s as level
              await level 3 where battery_level > 50 within 10 s
              never level where battery_level < 50 for 4 s
              stop level
              read strap battery-level --every 1 --count 2   expect battery_level > 50
            """
        let run = try await Blectl.simulate("run -", input: Array(script.utf8))
        #expect(run.status == 0, "\(run.stdout)\(run.stderr)")
        let endless = try await Blectl.simulate("run -", input: Array("read battery-level -d x --every 1".utf8))
        #expect(endless.status == 65 && endless.stderr.contains("'read' has no end"), "\(endless.stderr)")
    }

    @Test(arguments: ["--count 2", "--duration 5", "--reconnect"])
    func `limits need --every`(_ option: String) async throws {
        let run = try await Blectl.simulate("read battery-level \(option)")
        #expect(run.status == 64 && run.stderr.contains("needs '--every'"), "\(run.stderr)")
        let descriptor = try await Blectl.simulate("read battery-level/cccd --every 1")
        #expect(descriptor.status == 64 && descriptor.stderr.contains("is a descriptor"), "\(descriptor.stderr)")
    }

    @Test func `a whole service is read by its name, in the order of its handles`() async throws {
        let run = try await Blectl.simulate("read device-information/* battery-level -d 'Pulse HR'")
        #expect(run.status == 0, "\(run.stderr)")
        let names = run.stdout.split(separator: "\n").map { $0.prefix { $0 != ":" } }
        #expect(
            names.first == "device-information/manufacturer-name-string" && names.last == "battery-level",
            "\(names)"
        )
        let one = try await Blectl.simulate("read battery/* -d 'Pulse HR'")
        #expect(one.stdout == "87 %\n")
        let records = try await Blectl.simulate("read battery/* -d 'Pulse HR' --every 1 -n 2 --json").records()
        #expect(records.map { $0["target"] } == [.string("battery/battery-level"), .string("battery/battery-level")])
    }

    @Test(arguments: [
        ("read glucose/* -d 'Pulse HR'", 68, "has no service Glucose"),
        ("read nonsense/* -d 'UART Echo'", 64, "expected a UUID or the assigned name of a service"),
        ("read nordic-uart/* -d 'UART Echo'", 68, "none of its characteristics can be read"),
        ("read glucose/* battery-level -d 'Pulse HR'", 68, "has no service Glucose"),
        ("notify battery/* -d 'Pulse HR'", 64, "and only in 'read'"),
    ])
    func `a service without values says so`(_ line: String, _ status: Int32, _ message: String) async throws {
        let run = try await Blectl.simulate(line)
        #expect(run.status == status && run.stderr.contains(message), "\(run)")
    }

    @Test(arguments: [
        // The last target has the whole timeout. Earlier ones have half of it, and so has the probe that shows that the
        // device is gone.
        ([Workbench.silent], [20]), ([Workbench.silent, Workbench.fixed], [10]),
        ([Workbench.silent, Workbench.silent, Workbench.fixed], [10, 20]),
        ([Workbench.silent, Workbench.fixed, Workbench.silent], [10, 30]),
    ])
    func `silence does not take longer than the timeout`(_ targets: [String], _ seconds: [Int64]) async throws {
        let line = ["read", Workbench.fixed] + targets + ["-d", "Workbench", "--json", "--timeout", "20"]
        let run = try await Blectl.run(Blectl.virtual + line)
        #expect(run.status == 124)
        let records = try run.records()
        let moments = try records.map { record in
            guard case .integer(let moment)? = record["monotonic_ns"] else { throw NoMoment() }
            return moment
        }
        let start = try #require(moments.first)
        let waits = zip(records, moments).filter { $0.0["type"] == .string("error") }.map { $0.1 - start }
        #expect(waits.count == seconds.count)
        for (wait, second) in zip(waits, seconds) {
            // Connecting again takes time, too.
            #expect((second * 1_000_000_000..<(second + 1) * 1_000_000_000).contains(wait), "\(waits)")
        }
    }

    private struct NoMoment: Error {}

    @Test func `the status is that of the first failure, whatever fails later`() async throws {
        let refused = Workbench.applicationError
        for (targets, status) in [
            ([refused, "0xFFF1"], 76), (["0xFFF1", refused], 68), ([Workbench.silent, refused], 124),
        ] {
            let run = try await Blectl.run(
                Blectl.virtual + ["read", "-d", "Workbench", "--json"] + targets + [Workbench.fixed]
            )
            #expect(run.status == Int32(status), "\(targets)")
            let records = try run.records()
            #expect(records.first?["status"] == .integer(Int64(status)))
            #expect(records.count == 3, "a target that fails does not fail the next: \(targets): \(run.stdout)")
        }
    }

    @Test(arguments: [("0x0018", "handle:0x0018; what it has: "), ("0x18", "a handle is written handle:0x18")])
    func `the hint for a bare number has the spelling of a handle`(_ text: String, _ advice: String) async throws {
        let run = try await Blectl.simulate("read \(text) -d 'Pulse HR'")
        #expect([64, 68].contains(run.status) && run.stderr.contains(advice), "\(run)")
    }

    @Test func `the ATT error is in the record as a number`() async throws {
        let run = try await Blectl.simulate(
            "read \(Workbench.authenticated) \(Workbench.authorized) \(Workbench.applicationError) \(Workbench.writeOnly) handle:0xFFFF -d Workbench --json"
        )
        #expect(run.status == 76)
        #expect(try run.records().map { $0["att_error"] } == [5, 8, 0x85, 2, 1].map { .integer($0) })
    }

    @Test func `of several that a name fits, the chosen one is reported`() async throws {
        let (service, exhibit) = (Workbench.numbered("0650"), Workbench.numbered("0651"))
        let read = try await Blectl.simulate("read \(exhibit) \(service)/\(exhibit) -d Museum")
        #expect(read.stdout.split(separator: "\n").allSatisfy { $0.hasSuffix(": 0x0101") })
        let one = "this is the one at 0x00B2."
        #expect(read.stderr.contains("has 4 of \(exhibit); \(one) SERVICE/CHARACTERISTIC or handle: names another"))
        #expect(read.stderr.contains("has 2 of \(service)/\(exhibit); \(one) handle: names another"))
        let only = try await Blectl.simulate("read battery/battery-level -d 'Pulse HR'")
        #expect(only.stderr.isEmpty)
    }

    @Test func `of two equal services a profile watches the first, which is reported`() async throws {
        let battery = ServiceDefinition(
            0x180F,
            characteristics: [CharacteristicDefinition(0x2A19, [.read, .notify], value: .fixed([0x32]))]
        )
        let manners = Manners.having([.genericAccess(name: "Twice"), battery, battery])
        try await ScriptedPeer.run(manners) { peer in
            let arguments = peer.arguments + ["watch", "battery", "--duration", "0.2"]
            let run = try await Blectl.run(arguments)
            #expect(run.status == 0, "\(run.stderr)")
            #expect(run.stderr.contains("has 2 services Battery (0x180F)"))
            #expect(run.stderr.contains("blectl notify handle: names another"))
        }
    }

    @Test func `a wrong target is an error of the whole line: nothing is read`() async throws {
        let run = try await Blectl.simulate("read battery-level nonsense -d 'Pulse HR' -vv")
        #expect(run.status == 64)
        #expect(run.stdoutBytes.isEmpty && Trace(run.stderr).packets.isEmpty)
    }

    @Test func `raw octets are unchanged, from several targets in order`() async throws {
        let run = try await Blectl.simulate("read \(Workbench.fixed) \(Workbench.variable) -d Workbench --as raw")
        #expect(run.stdoutBytes == [1, 2, 3, 4] + Array("hello".utf8))
    }

    @Test func `512 octets are read to the last`() async throws {
        let run = try await Blectl.simulate("read \(Workbench.long) -d Workbench --as raw")
        #expect(run.stdoutBytes == (0..<512).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
    }

    @Test(arguments: [
        ("u8", "1 2 3 4"), ("u16", "513 1027"), ("u16be", "258 772"), ("u32", "67305985"), ("s32be", "16909060"),
        ("hex", "01020304"),
    ])
    func `a value is read in every form`(_ format: String, _ text: String) async throws {
        let run = try await Blectl.simulate("read \(Workbench.fixed) -d Workbench --as \(format)")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout.replacing(",", with: "") == text + "\n")
    }

    @Test func `of two characteristics with one UUID the first is read, and that is reported`() async throws {
        let run = try await Blectl.simulate("read \(Workbench.twin) -d Workbench")
        #expect(run.status == 0)
        #expect(run.stdout == "0x01\n")
        #expect(
            run.stderr.contains("the device has 2 of \(Workbench.twin); this is the one at 0x0094"),
            "\(run.stderr)"
        )
        let other = try await Blectl.simulate("read handle:0x0097 -d Workbench")
        #expect(other.stdout == "0x02\n" && other.stderr.isEmpty)
    }

    @Test func `the name of several attributes, of a service or of nothing is explained`() async throws {
        for (target, why) in [
            ("heart-rate", "'heart-rate' is a service; name one of its characteristics: heart-rate-measurement, "),
            ("heart-rat/battery-level", "no service is called 'heart-rat'; did you mean 'heart-rate'?"),
            ("batery-level", "did you mean 'battery-level'"),
            ("a/b/c/d", "expected at most SERVICE/CHARACTERISTIC/DESCRIPTOR"),
            ("handle:0x10000", "expected a handle from 0x0001 to 0xFFFF"),
        ] {
            let run = try await Blectl.simulate("read \(target) -d 'Pulse HR'")
            #expect(run.status == 64)
            #expect(run.stderr.contains(why), "\(run.stderr)")
        }
    }

    @Test func `without a device, the service of the target finds one`() async throws {
        let strap = try await Blectl.simulate("read body-sensor-location --json")
        #expect(try strap.records().first?["device"]?.object?["address"] == .string(World.strap))
        let several = try await Blectl.simulate("read device-name")
        #expect(several.status == 68)
        #expect(several.stderr.contains("several accept connections"), "\(several.stderr)")
        let nothing = try await Blectl.simulate("read handle:0x0003")
        #expect(nothing.status == 64)
        #expect(nothing.stderr.contains("no device is named"), "\(nothing.stderr)")
    }

    @Test func `BLECTL_DEVICE names the device, unless the line does`() async throws {
        let environment = ["BLECTL_DEVICE": "Thermo 1"]
        let named = try await TypedCommand("read device-name", environment: environment).run()
        #expect(named.stdout == "Thermo 1\n")
        for line in ["read device-name -d Workbench", "read device-name --name 'Work*'"] {
            #expect(try await TypedCommand(line, environment: environment).run().stdout == "Workbench\n")
        }
        let empty = try await TypedCommand("read battery-level", environment: ["BLECTL_DEVICE": ""]).run()
        #expect(empty.stdout == "87 %\n", "\(empty.stderr)")
    }
}
