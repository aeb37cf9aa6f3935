// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// What a capture tells of values is what the command printed, and what a clone of it does again.
@Suite("Captures as knowledge", .startsPrograms())
struct CapturedValuesTests {
    /// Profiles of `watch` with a device that has them, and the options that they need.
    private static let watches = [
        "battery -d 'Pulse HR'", "blood-pressure", "body-composition", "cgm", "current-time", "cycling-power",
        "cycling-speed", "environment -d 'Thermo 1'", "fitness-machine", "glucose", "heart-rate -d 'Pulse HR'",
        "location", "pulse-oximeter", "running-speed", "sensortag", "thermometer", "thingy", "weight",
    ]

    @Test(arguments: watches)
    func `trace --values has the values that watch printed`(_ watch: String) async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appendingPathComponent("run.btsnoop").path
            let run = try await Blectl.simulate("--capture '\(file)' watch \(watch) --count 4 --json")
            let printed = try run.records().filter { $0["type"] == .string("measurement") }
            try #require(!printed.isEmpty, "\(run.stderr)")
            let trace = try await Blectl.run(["trace", file, "--values", "--json"])
            #expect(trace.status == 0, "\(trace.stderr)")
            var captured: [String: [String]] = [:]
            for record in try trace.records() where record["outcome"] == .string("success") {
                guard case .string(let uuid)? = record["characteristic"], case .string(let value)? = record["value"],
                    record["operation"] != .string("write")
                else { continue }
                captured[uuid, default: []].append(value)
            }
            for record in printed {
                guard case .string(let uuid)? = record["characteristic"], case .string(let value)? = record["value"]
                else {
                    continue
                }
                let index = try #require(captured[uuid]?.firstIndex(of: value), "\(uuid) \(value): \(trace.stdout)")
                captured[uuid]?.remove(at: index)
            }
        }
    }

    /// A capture of a script, the clone of its device, and the script of the capture on the clone.
    private func roundTrip(
        _ script: String,
        of address: String,
        in world: String = "--simulate",
        folder: URL,
        without handles: [Int] = []
    ) async throws {
        try Data(script.utf8).write(to: folder.appendingPathComponent("first.blectl"))
        let run = try await Blectl.shell(
            """
            cd '\(folder.path)'
            V="--simulate-time virtual"
            "$BLECTL" \(world) $V --capture first.btsnoop run first.blectl >first.txt 2>&1 || { cat first.txt; exit 1; }
            "$BLECTL" clone --from first.btsnoop -d \(address) -o clone.json 2>clone.txt || { cat clone.txt; exit 2; }
            "$BLECTL" trace --script first.btsnoop -d \(address) >second.blectl 2>&1 || { cat second.blectl; exit 3; }
            "$BLECTL" --simulate=clone.json $V --capture second.btsnoop run second.blectl >second.txt 2>&1 ||
                { cat second.txt; exit 4; }
            for run in first second; do
                "$BLECTL" trace $run.btsnoop --values --gatt clone.json --json >$run.jsonl
            done
            """
        )
        try #require(run.status == 0, "\(run.status): \(run.stdout)")
        func values(_ name: String) throws -> [[JSON?]] {
            let text = try String(contentsOf: folder.appendingPathComponent("\(name).jsonl"), encoding: .utf8)
            return try JSON.objects(text).compactMap { record in
                // What the client did on its own account is not in the script.
                let own: [JSON?] = [.string("0x2A05"), .string("0x2B29"), .string("0x2B2A"), .null]
                guard !own.contains(record["characteristic"]) else { return nil }
                if case .integer(let handle)? = record["handle"], handles.contains(Int(handle)) { return nil }
                return ["operation", "handle", "value", "outcome", "att_error"].map { record[$0] }
            }
        }
        let (first, second) = (try values("first"), try values("second"))
        #expect(first == second)
        #expect(first.count > 3)
    }

    @Test(arguments: [
        (
            "90:59:AF:0B:82:F4",
            """
            device tag -d SensorTag
              inspect tag --values
              write tag f000aa02-0451-4000-b000-000000000000 0x01
              notify tag f000aa01-0451-4000-b000-000000000000 as values
              await values 5
              stop values
            """
        ),
        (
            "C6:92:1D:B8:40:7F",
            """
            device meter -d 'Glucose Meter'
              inspect meter --values
              watch meter glucose --count 3
              pause 1s
            """
        ),
        (
            "D9:10:CC:4E:A2:36",
            """
            device lock -d 'Door Lock'
              inspect lock --values
              pair lock --io keyboard --passkey 123456
              read lock 10cc0002-3d7a-4b52-9e0c-6f1d0a8b5e24
              write lock 10cc0003-3d7a-4b52-9e0c-6f1d0a8b5e24 0x01
              notify lock 10cc0002-3d7a-4b52-9e0c-6f1d0a8b5e24 as state
              write lock 10cc0003-3d7a-4b52-9e0c-6f1d0a8b5e24 0x00
              await state within 10 s
            """
        ),
        (
            "C8:4B:1D:3A:90:5E",
            """
            device strap -d 'Pulse HR'
              world fault strap 'read battery-level: error 0x0e #2'
              inspect strap --values
              read strap battery-level expect error 0x0e
              read strap battery-level
              write strap heart-rate-control-point 0x02 expect error 0x80
              write strap heart-rate-control-point 0x01
              notify strap heart-rate-measurement as beats
              await beats 5
              disconnect strap
              read strap body-sensor-location
            """
        ),
    ])
    func `the script of a capture passes on its clone, with the same values`(_ address: String, _ script: String)
        async throws
    {
        try await TemporaryFolder.use { try await roundTrip(script, of: address, folder: $0) }
    }

    @Test func `long values, twins, a secondary service, refusals and a silence come back`() async throws {
        let value = "b1ec0102-5ec7-4c3a-9d0e-51a1b1ec0001"
        let octets = (0..<200).map { String(format: "%02x", $0) }.joined()
        try await TemporaryFolder.use { folder in
            // The characteristic that never answers is found by its UUID, so that its handle is not in the second capture.
            try await roundTrip(
                """
                device bench -d Workbench
                  inspect bench --values expect status timed-out
                  write bench \(value) hex:\(octets)
                  read bench \(value)
                """,
                of: "D3:6F:10:2C:84:B7",
                folder: folder,
                without: [202]
            )
        }
    }

    @Test func `a device with forty characteristics comes back`() async throws {
        let services = (0..<4).map { service in
            let characteristics = (0..<10).map { number in
                let value = String(repeating: String(format: "%02x", 16 * service + number), count: number * 3 + 1)
                return
                    #"{"uuid": "5afe\#(service)\#(number)00-72c4-4e0b-8a31-7d0652b91c44", "properties": ["read", "write"], "value": "0x\#(value)"}"#
            }
            return
                #"{"uuid": "5afe\#(service)f00-72c4-4e0b-8a31-7d0652b91c44", "characteristics": [\#(characteristics.joined(separator: ","))]}"#
        }
        try await TemporaryFolder.use { folder in
            let file = folder.appendingPathComponent("forty.json")
            let device =
                #"{"schema": "blectl-device/1", "name": "Forty", "address": "C4:00:00:00:00:28", "advertising": [{"interval": "100 ms", "data": {"name": "Forty"}}], "services": ["#
            try Data("\(device)\(services.joined(separator: ","))]}".utf8).write(to: file)
            try await roundTrip(
                "device forty -d C4:00:00:00:00:28\n  inspect forty --values\n",
                of: "C4:00:00:00:00:28",
                in: "--simulate='\(file.path)'",
                folder: folder
            )
        }
    }

    // MARK: - Choosing

    @Test func `devices go by their names, attributes by theirs, and times by the first packet`() async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appendingPathComponent("run.btsnoop").path
            let run = try await Blectl.simulate("--capture '\(file)' inspect -d 'Pulse HR' --values")
            #expect(run.status == 0, "\(run.stderr)")
            func lines(_ options: String) async throws -> [String] {
                let run = try await Blectl.run(["trace", file] + TypedCommand(options).arguments)
                #expect(run.status == 0, "\(run.stderr)")
                return run.stdout.split(separator: "\n").map(String.init)
            }
            let all = try await lines("--values")
            let named = try await lines("--values -d 'pulse hr'")
            // With one device, the lines do not repeat its address.
            #expect(named == all.map { $0.replacingOccurrences(of: "C8:4B:1D:3A:90:5E ", with: "") } && named != all)
            let level = try await lines("--values --attribute battery-level")
            #expect(level.map { $0.suffix(19) } == ["Battery Level: 87 %"])
            let received = try await lines("--values --direction received")
            #expect(received.isEmpty)
            let begin = try await lines("--values --until 0.9s")
            let end = try await lines("--values --since 0.9s")
            #expect(!begin.isEmpty && !end.isEmpty)
            #expect(begin + end == all)
            let packets = try await lines("--attribute battery-level")
            #expect(packets.count == 2 && packets.allSatisfy { $0.contains("Battery Level") })
            let unknown = try await Blectl.run(["trace", file, "--values", "--attribute", "temperature"])
            #expect(unknown.status == 68 && unknown.stderr.contains("is known to be about temperature"))
            let nobody = try await Blectl.run(["trace", file, "-d", "Nobody"])
            #expect(nobody.status == 68 && nobody.stderr.contains("'Nobody'"))
        }
    }

    @Test func `a name is looked for in a pipe from its first mention on, and a clone from one needs an address`()
        async throws
    {
        try await TemporaryFolder.use { folder in
            let run = try await Blectl.shell(
                """
                cd '\(folder.path)'; mkfifo pipe
                "$BLECTL" $SIMULATE --capture run.btsnoop inspect -d 'Pulse HR' --values >/dev/null
                cat run.btsnoop >pipe & timeout 60 "$BLECTL" trace pipe --values -d 'Pulse HR' | wc -l
                timeout 60 "$BLECTL" clone --from pipe -d 'Pulse HR' >/dev/null 2>err; echo $?
                timeout 60 "$BLECTL" clone --from nothing -d 'Pulse HR' >/dev/null 2>&1; echo $?
                """
            )
            let lines = run.stdout.split(separator: "\n").map { $0.filter { $0 != " " } }
            try #require(lines.count == 3, "\(run)")
            #expect(Int(lines[0]).map { $0 > 5 } == true && lines[1] == "64" && lines[2] == "66", "\(run)")
        }
    }

    @Test func `the comment of a capture has the command line, without the digits of a pairing`() async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appendingPathComponent("run.pcapng")
            let line = "--capture '\(file.path)' pair -d 'Door Lock' --io keyboard --passkey 123456"
            #expect(try await Blectl.simulate(line).status == 0)
            let octets = try Data(contentsOf: file)
            #expect(octets.range(of: Data("blectl pair".utf8)) != nil)
            #expect(octets.range(of: Data("123456".utf8)) == nil)
        }
    }

    @Test func `a summary fits a screen, and its records have what its lines have`() async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appendingPathComponent("run.btsnoop").path
            _ = try await Blectl.simulate("--capture '\(file)' watch heart-rate -d 'Pulse HR' --count 3")
            let run = try await Blectl.run(["trace", file, "--summary"])
            #expect(run.status == 0, "\(run.stderr)")
            #expect(run.stdout.contains("C8:4B:1D:3A:90:5E random"))
            #expect(run.stdout.contains("Heart Rate Measurement: 3 notifications; last "))
            #expect(run.stdout.split(separator: "\n").count < 24)
            let records = try await Blectl.run(["trace", file, "--summary", "--json"]).records()
            #expect(
                records.compactMap { $0["type"] }.reduce(into: [JSON]()) { if !$0.contains($1) { $0.append($1) } } == [
                    .string("capture"), .string("captured-device"), .string("captured-link"),
                    .string("captured-attribute"),
                ]
            )
        }
    }

    @Test func `a redacted transcript has attributes, lengths and outcomes, and no value`() async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appendingPathComponent("run.btsnoop").path
            _ = try await Blectl.simulate("--capture '\(file)' inspect -d 'Pulse HR' --values")
            for view in ["--values", "--summary", "--values --json", "--summary --json", ""] {
                let run = try await Blectl.run(["trace", file, "--redact"] + TypedCommand(view).arguments)
                #expect(run.status == 0 && run.stdout.contains("Battery Level"), "\(view): \(run.stderr)")
                #expect(!run.stdout.contains("87 %") && !run.stdout.contains("blectl simulation"), "\(view)")
            }
            let script = try await Blectl.run(["trace", file, "--redact", "--script"])
            #expect(script.status == 64 && script.stdout.isEmpty)
        }
    }
}
