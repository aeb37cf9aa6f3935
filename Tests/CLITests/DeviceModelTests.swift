// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// A CC2650 SensorTag has the UUIDs of the CC2541 and other formats. All commands have to decide alike which it is.
@Suite("The model of a device", .startsPrograms())
struct DeviceModelTests {
    private static func uuid(_ short: String) -> String { "f000\(short)-0451-4000-b000-000000000000" }

    /// A tag with a thermometer. `mark` is the service that tells the model.
    private static func tag(mark: String) -> String {
        """
        {
          "schema": "blectl-device/1", "name": "Tag", "address": "B0:B4:48:C9:26:01", "address_type": "public",
          "advertising": [{ "interval": "100 ms", "data": { "name": "Tag" } }],
          "services": [
            { "uuid": "\(uuid("aa00"))", "characteristics": [
              { "uuid": "\(uuid("aa01"))", "properties": ["read", "notify"], "value": "0xe00a300b", "every": "100 ms" },
              { "uuid": "\(uuid("aa02"))", "properties": ["read", "write"], "value": "0x00" }] },
            { "uuid": "\(mark)", "characteristics": [] }
          ]
        }
        """
    }

    private func simulate(_ mark: String, _ line: String, input: String? = nil) async throws -> BlectlRun {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "tag.json")
            try Data(Self.tag(mark: mark).utf8).write(to: file)
            return try await Blectl.run(
                ["--simulate=\(file.path)", "--simulate-time", "virtual"] + TypedCommand(line).arguments,
                input: input.map { Array($0.utf8) } ?? []
            )
        }
    }

    @Test(arguments: [("aa80", "object 21.75 °C, ambient 22.375 °C"), ("aa10", "object 76.458 °C, ambient 22.375 °C")])
    func `read, notify, inspect and watch agree`(_ mark: String, _ text: String) async throws {
        let target = Self.uuid("aa01")
        for line in [
            "read \(target) -d Tag", "notify \(target) -d Tag --count 1", "watch \(target) -d Tag --count 1",
            "watch sensortag -d Tag --sensors thermometer --count 1", "inspect -d Tag --values",
        ] {
            let run = try await simulate(Self.uuid(mark), line)
            #expect(run.status == 0, "\(line): \(run.stderr)")
            #expect(run.stdout.contains(text), "\(line): \(run.stdout)")
            #expect(!run.stdout.contains("if it is"), "\(line): \(run.stdout)")
        }
    }

    @Test func `a device that is neither model gets both readings by their names, and a handle none`() async throws {
        let target = Self.uuid("aa01")
        let run = try await simulate("fff0", "read \(target) -d Tag")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout.contains("76.458 °C, ambient 22.375 °C (if it is a SensorTag CC2541), or object 21.75 °C"))
        let handle = try await simulate(Self.uuid("aa80"), "read handle:0x0010 -d Tag")
        #expect(handle.stdout == "0xe00a300b\n", "\(handle.stdout)")
        let offline = try await Blectl.run(["decode", target, "e00a300b", "--json"])
        let decoded = try offline.records().first?["decoded"]?.object
        #expect(decoded?["cc2650"]?.object?["object_c"] == .number(21.75))
        #expect(decoded?["cc2541"]?.object?["object_c"] == .number(76.458))
    }

    @Test func `a script's expectation is about the reading of the model`() async throws {
        let script = """
            device tag --name Tag
            test "is as warm as the room"
              read tag \(Self.uuid("aa01")) expect object_c == 21.75
              notify tag \(Self.uuid("aa01")) as temperatures
              await temperatures 2 within 5 s expect ambient_c in 22..23
            """
        let run = try await simulate(Self.uuid("aa80"), "run -", input: script)
        #expect(run.status == 0, "\(run.stdout)\(run.stderr)")
        let other = try await simulate(Self.uuid("aa10"), "run -", input: script)
        #expect(other.status == 1, "\(other.stdout)\(other.stderr)")
    }

    @Test func `a clone has the fields of the model, and the octets are those of the device`() async throws {
        for (mark, object) in [("aa80", "21.75"), ("aa10", "76.458")] {
            let run = try await simulate(Self.uuid(mark), "clone -d Tag --values")
            #expect(run.status == 0, "\(run.stderr)")
            #expect(run.stdout.contains("\"object_c\": \(object)"), "\(run.stdout)")
            let again = try await TemporaryFolder.use { folder in
                let file = folder.appending(path: "clone.json")
                try Data(run.stdout.utf8).write(to: file)
                return try await Blectl.run([
                    "--simulate=\(file.path)", "--simulate-time", "virtual", "read", Self.uuid("aa01"), "-d", "Tag",
                    "--json",
                ])
            }
            #expect(try again.records().first?["value"] == .string("e00a300b"), "\(again.stdout)\(again.stderr)")
        }
        let unknown = try await simulate("fff0", "clone -d Tag --values")
        #expect(unknown.stdout.contains("\"0xe00a300b\""), "\(unknown.stdout)")
    }

    @Test func `only the values of shared private UUIDs cost a look at the services`() async throws {
        for (target, requests) in [
            ("device-name", ["Read By Type Request"]),
            (Self.uuid("aa02"), ["Read By Type Request"]),
            ("handle:3", ["Read Request"]),
            // The model is asked for after the value has come, and that the service of another one is missing is confirmed.
            (
                Self.uuid("aa01"),
                [
                    "Read By Type Request", "Find By Type Value Request", "Exchange MTU Request",
                    "Read By Group Type Request", "Read By Group Type Request", "Read By Group Type Request",
                ]
            ),
        ] {
            let run = try await simulate(Self.uuid("aa80"), "read \(target) -d Tag -vv")
            #expect(run.status == 0, "\(run.stderr)")
            let sent = run.stderr.split(separator: "\n").filter { $0.contains(" > att ") }
            #expect(sent.count == requests.count, "\(sent)")
            for (line, request) in zip(sent, requests) { #expect(line.contains(request), "\(sent)") }
        }
    }
}
