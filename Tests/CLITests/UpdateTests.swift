// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("New firmware over the air", .startsPrograms())
struct UpdateTests {
    /// Runs a command on a board whose server has these members.
    private static func run(
        _ line: String,
        board: String = "",
        file: [UInt8] = FirmwareImage.octets(),
        format: String = "--json"
    ) async throws -> BlectlRun {
        try await TemporaryFolder.use { (folder: URL) async throws in
            let device = folder.appendingPathComponent("board.json")
            let text = #"""
                { "schema": "blectl-device/1", "label": "board", "name": "Board", "limits": { "interval": "15 ms", "mtu": 498 },
                  "advertising": [{ "interval": "100 ms", "data": { "name": "Board" } }],
                  "services": [{ "uuid": "device-information", "characteristics": [
                    { "uuid": "firmware-revision-string", "properties": ["read"], "value": "text:1.0.0" }] }],
                  "smp": { \#(board) } }
                """#
            try Data(text.utf8).write(to: device)
            let firmware = folder.appendingPathComponent("firmware.bin")
            try Data(file).write(to: firmware)
            var arguments = ["--simulate=\(device.path)", "--simulate-time", "virtual"]
            arguments += TypedCommand(line).arguments.map { $0 == "FILE" ? firmware.path : $0 }
            return try await Blectl.run(arguments + ["-d", "Board"] + (format.isEmpty ? [] : [format]))
        }
    }

    private static func steps(_ run: BlectlRun) throws -> [String] {
        try run.records().compactMap { record in
            if case .string(let step)? = record["step"], step != "progress" { step } else { nil }
        }
    }

    @Test func `an image is uploaded, started, seen to run, and confirmed`() async throws {
        let run = try await Self.run("update FILE")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(try Self.steps(run) == ["uploaded", "chosen", "reset", "running", "confirmed"])
        let uploaded = try #require(try run.records().first { $0["step"] == .string("uploaded") })
        #expect(uploaded["version"] == .string("2.0.0") && uploaded["octets"] == uploaded["total"])
    }

    @Test func `a person reads what is done`() async throws {
        let run = try await Self.run("update FILE", format: "")
        #expect(run.status == 0, "\(run.stderr)")
        let lines = run.stdout.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("uploaded 2.0.0: 20072 octets in ") == true, "\(run.stdout)")
        #expect(
            lines.dropFirst() == [
                "2.0.0 is started next, once", "the device starts anew", "2.0.0 runs", "2.0.0 is confirmed",
            ]
        )
    }

    @Test func `the rest of an upload is never no time, and a low speed not none`() async throws {
        let run = try await Self.run("update FILE --no-reset", file: FirmwareImage.octets(length: 300_000))
        let progress = try run.records().filter { $0["step"] == .string("progress") && $0["octets"] != $0["total"] }
        #expect(progress.count > 2)
        #expect(progress.allSatisfy { !"\($0)".contains(", 0 s left") }, "\(run.stdout)")
        let slow = try await Self.run("update FILE --no-reset", board: #""erase_time": "30 s""#, format: "")
        #expect(slow.stdout.contains(" B/s\n") && !slow.stdout.contains("kB/s"), "\(slow.stdout)")
    }

    @Test func `options leave out what they say`() async throws {
        #expect(try Self.steps(await Self.run("update FILE --test")) == ["uploaded", "chosen", "reset", "running"])
        #expect(try Self.steps(await Self.run("update FILE --no-reset")) == ["uploaded", "chosen"])
        let early = try await Self.run("update FILE --permanent")
        #expect(try Self.steps(early) == ["uploaded", "chosen", "reset", "running", "confirmed"])
    }

    @Test(arguments: [
        (#""faults": [{ "at": 9000, "do": "lose" }]"#, 0), (#""faults": [{ "at": 9000, "do": "restart" }]"#, 0),
        (#""reassembly": false"#, 0), (#""buffers": 1, "buffer_size": 128"#, 0), (#""erase_time": "30 s""#, 0),
        (#""faults": [{ "at": 9000, "do": "damage" }]"#, 76), (#""faults": [{ "at": 9000, "do": "refuse" }]"#, 76),
        (#""starts": false"#, 1), (#""slot_size": 16384"#, 65),
    ])
    func `what goes wrong is got over, or ends with a status and the state of the device`(
        _ board: String,
        _ status: Int32
    ) async throws {
        let run = try await Self.run("update FILE", board: board)
        #expect(run.status == status, "\(run.stderr)")
        let last = try Self.steps(run).last
        #expect((last == "confirmed") == (status == 0))
        if status != 0 {
            #expect(run.stderr.contains("hint:") && run.stderr.contains("; the device "), "\(run.stderr)")
        }
    }

    @Test func `a program that the device does not have is refused before the upload, and not tried again`()
        async throws
    {
        let run = try await Self.run("update FILE --image 1")
        #expect(run.status == 65, "\(run.stderr)")
        #expect(try run.records().map { $0["type"] } == [.string("error")])
        #expect(run.stderr.contains("is for program 1, for which it has no slots; the device is as it was"))
        #expect(run.stderr.contains("hint: 'blectl mcumgr info' shows its slots"), "\(run.stderr)")
    }

    @Test func `firmware decides which of several devices is the only one that takes it`() async throws {
        try await TemporaryFolder.use { (folder: URL) async throws in
            let (image, archive) = (folder.appendingPathComponent("a.bin"), folder.appendingPathComponent("a.zip"))
            try Data(FirmwareImage.octets()).write(to: image)
            try Data(FirmwareArchive.legacy()).write(to: archive)
            for (file, name) in [(image, "Board"), (archive, "Watch")] {
                let world = ["--simulate=mcuboot-board", "--simulate=dfu-watch", "--simulate-time", "virtual"]
                let run = try await Blectl.run(world + ["update", file.path, "--format", "{device.name}"])
                #expect(run.status == 0, "\(run.stderr)")
                #expect(Set(run.stdout.split(separator: "\n")) == [Substring(name)])
                let other = name == "Board" ? "Watch" : "Board"
                let wrong = try await Blectl.run(world + ["update", file.path, "-d", other])
                #expect(wrong.status == 68)
                #expect(wrong.stderr.contains("\nhint: what it has: blectl inspect -d "), "\(wrong.stderr)")
            }
        }
    }

    @Test(arguments: ["", "text", ":10000000C0", "PK\u{3}\u{4}"])
    func `a wrong file is refused before anything is sent`(_ text: String) async throws {
        let run = try await Self.run("update FILE -v", file: Array(text.utf8))
        #expect(run.status == 65, "\(run.stderr)")
        #expect(Trace(run.stderr).sent.isEmpty)
    }

    @Test func `an image that was changed, and one behind which something follows, are refused`() async throws {
        var changed = FirmwareImage.octets()
        changed[5_000] ^= 1
        #expect(try await Self.run("update FILE", file: changed).status == 65)
        #expect(try await Self.run("update FILE", file: FirmwareImage.octets() + [0xFF]).status == 65)
    }

    @Test(arguments: [
        ("mcumgr echo hello", ["hello"]), ("mcumgr datetime 2026-11-29T10:35:00", []),
        ("mcumgr stats", ["smp_svr"]), ("mcumgr shell help", ["kernel uptime", "help"]), ("mcumgr reset", []),
    ])
    func `the other commands print what the device answers`(_ line: String, _ lines: [String]) async throws {
        let run = try await Self.run(line, format: "")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout.split(separator: "\n").map(String.init) == lines)
    }

    @Test func `what the device refuses, and what cannot be meant, is no success`() async throws {
        let shell = try await Self.run("mcumgr shell nothing", format: "")
        #expect(shell.status == 1)
        #expect(shell.stdout == "nothing: command not found\n")
        #expect(shell.stderr.contains("cannot run a command on Board") && shell.stderr.contains("status -8"))
        #expect(try await Self.run("mcumgr datetime tomorrow", format: "").status == 64)
        let clock = try await Self.run("mcumgr datetime", format: "")
        #expect(clock.status == 76 && clock.stderr.contains("clock not set"))
        #expect(clock.stderr.contains("\nhint: blectl mcumgr datetime 20"), "\(clock.stderr)")
        let group = try await Self.run("mcumgr stats nothing", format: "")
        #expect(group.status == 68 && group.stderr.contains("\nhint: blectl mcumgr stats -d "), "\(group.stderr)")
    }

    @Test func `images are listed with what is known of them`() async throws {
        let record = try #require(try await Self.run("mcumgr images").records().first)
        #expect(record["states"] == .array([.string("active"), .string("confirmed")]))
        #expect(record["image"] == .integer(0) && record["number"] == .integer(0) && record["slot"] == .integer(0))
        let slots = try await Self.run("mcumgr info").records().filter { $0["name"] == .string("slot") }
        #expect(slots.map { $0["slot"] } == [.integer(0), .integer(1)])
        #expect(slots.allSatisfy { $0["image"] == .integer(0) && $0["states"] == .null }, "\(slots)")
        let run = try await Self.run("mcumgr images", format: "")
        #expect(run.stdout.hasPrefix("image 0 slot 0: 1.0.0 (active, confirmed)\n  "), "\(run.stdout)\(run.stderr)")
        for what in ["settings get", "fs get", "stats"] {
            let refused = try await Self.run("mcumgr \(what) nothing", format: "")
            #expect(refused.status == 68, "\(refused.stderr)")
        }
        let usage = try await Self.run("mcumgr fs get", format: "")
        #expect(usage.status == 64)
    }
}
