// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Notify: several targets", .startsPrograms())
struct NotifyTests {
    @Test func `one failed target of several does not stop the others`() async throws {
        let run = try await Blectl.simulate(
            "notify temperature heart-rate-measurement body-sensor-location -d 'Pulse HR' --count 3 --json"
        )
        // A missing characteristic determines the status (68), before one that cannot notify (76).
        #expect(run.status == 68, "\(run.stderr)")
        let records = try run.records()
        let errors = records.filter { $0["type"] == .string("error") }
        #expect(errors.map { $0["target"] } == [.string("temperature"), .string("body-sensor-location")])
        #expect(errors.map { $0["status"] } == [.integer(68), .integer(76)])
        let values = records.filter { $0["type"] == .string("notification") }
        #expect(values.count == 3 && records.count == 5)
        #expect(values.allSatisfy { $0["target"] == .string("heart-rate-measurement") })
        #expect(run.stderr.contains("cannot subscribe to temperature of Pulse HR (\(World.strap)): the device has no"))
        let reason = "it neither notifies nor indicates, only: read"
        #expect(run.stderr.contains("cannot subscribe to body-sensor-location of Pulse HR (\(World.strap)): \(reason)"))
    }

    @Test func `if all fail there is nothing to listen to`() async throws {
        let run = try await Blectl.simulate("notify body-sensor-location temperature -d 'Pulse HR' --json")
        #expect(run.status == 76, "\(run.stderr)")
        #expect(try run.records().count == 2)
    }

    @Test func `a failure of the only target ends the command`() async throws {
        let run = try await Blectl.simulate("notify temperature -d 'Pulse HR' --json")
        #expect(run.status == 68, "\(run.stderr)")
        #expect(try run.records().map { $0["type"] } == [.string("error")])
    }
}

@Suite("Notify: frames", .startsPrograms())
struct FrameTests {
    /// A device that sends lines in pieces, and loses its link in the middle of one.
    private static let device = #"""
        {"schema": "blectl-device/1", "label": "serial", "address": "C0:00:00:00:00:07",
         "advertising": [{"data": {"name": "Serial"}}],
         "services": [{"uuid": "FFE0", "characteristics": [{"uuid": "FFE1", "properties": ["notify"], "value":
            {"replay": [["1 s", "text:tem"], ["2 s", "text:p 21.5\r\nhum 40\n"], ["3 s", "text:pres"],
                        ["4 s", "text:s 1013\n"], ["5 s", "text:end"]]}}]}]}
        """#

    private static func notify(_ options: String) async throws -> BlectlRun {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "serial.json")
            try Data(device.utf8).write(to: file)
            return try await Blectl.shell(
                "$BLECTL --simulate=\(file.path) --simulate-time virtual notify 0xFFE1 -d Serial \(options)"
            )
        }
    }

    @Test func `the lines in the values are the results, with the time of their end`() async throws {
        let run = try await Self.notify("--frames line --count 3 --json")
        #expect(run.status == 0 && run.stderr == "", "\(run)")
        let records = try run.records()
        let lines = ["temp 21.5", "hum 40", "press 1013"].map { line in
            line.utf8.map { String($0, radix: 16) }.joined()
        }
        #expect(records.map { $0["value"] } == lines.map { .string($0) })
        #expect(records.map { $0["sequence"] } == [.integer(1), .integer(2), .integer(3)])
        #expect(records.map { $0["length"] } == lines.map { .integer(Int64($0.utf8.count / 2)) })
        for record in records { #expect(RecordCheck.problems(of: record) == []) }
        #expect(
            records.count == 3 && records[0]["time"] == records[1]["time"] && records[1]["time"] != records[2]["time"]
        )
    }

    @Test func `--count counts frames, and what has not ended is reported`() async throws {
        let few = try await Self.notify("--frames end:0a --as text --count 4 --duration 10")
        #expect(few.status == 1 && few.stderr.contains("3 of 4 frames received"), "\(few)")
        #expect(few.stderr.contains("3 octets of 0xFFE1 left out, whose frame has not ended"), "\(few)")
        let wrong = try await Self.notify("--frames length:u32 --duration 10")
        #expect(
            wrong.stdout == "" && wrong.stderr.contains("octets of 0xFFE1 left out, which are not a frame"),
            "\(wrong)"
        )
        let usage = try await Self.notify("--frames lines")
        #expect(usage.status == 64 && usage.stderr.contains("expected line, end:OCTETS"), "\(usage)")
    }

    @Test func `a step of a script awaits a frame`() async throws {
        let run = try await TemporaryFolder.use { folder in
            let (device, script) = (folder.appending(path: "serial.json"), folder.appending(path: "x.blectl"))
            try Data(Self.device.utf8).write(to: device)
            try Data(
                """
                device d -d Serial
                test "lines"
                  notify d 0xFFE1 --frames line as lines
                  await lines where value == 0x70726573732031303133 within 10s
                """.utf8
            ).write(to: script)
            return try await Blectl.shell(
                "$BLECTL --simulate=\(device.path) --simulate-time virtual run \(script.path)"
            )
        }
        #expect(run.status == 0, "\(run)")
    }
}
