// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Foundation
import TestProcesses
import Testing

@Suite("New firmware for Nordic's boot loaders", .startsPrograms())
struct DFUTests {
    /// Runs an update of a device whose boot loader has these members.
    private static func run(
        _ dfu: String,
        file: [UInt8] = FirmwareArchive.legacy(),
        device: String = "Watch",
        _ options: [String] = ["--json"]
    ) async throws -> BlectlRun {
        try await TemporaryFolder.use { (folder: URL) async throws in
            let path = folder.appendingPathComponent("watch.json")
            let text = #"""
                { "schema": "blectl-device/1", "label": "watch", "name": "Watch", "address": "D6:1C:38:A5:4F:90",
                  "limits": { "interval": "15 ms" }, "advertising": [{ "interval": "100 ms", "data": { "name": "Watch" } }],
                  "services": [{ "uuid": "device-information", "characteristics": [
                    { "uuid": "firmware-revision-string", "properties": ["read"], "value": "text:1" }] }],
                  "dfu": { \#(dfu) } }
                """#
            try Data(text.utf8).write(to: path)
            let firmware = folder.appendingPathComponent("firmware.zip")
            try Data(file).write(to: firmware)
            let arguments = ["--simulate=\(path.path)", "--simulate-time", "virtual", "update", firmware.path]
            return try await Blectl.run(arguments + ["-d", device] + options)
        }
    }

    /// The archive of another tool.
    private static func archive(_ name: String) throws -> [UInt8] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: tests.appending(path: "FirmwareUpdateTests/Vectors/packages.json"))
        let vectors = try JSONDecoder().decode([[String: String]].self, from: data)
        return try #require(vectors.first { $0["name"] == name }?["archive"].flatMap { Hex.bytes($0) })
    }

    private static func steps(_ run: BlectlRun) throws -> [String] {
        try run.records().compactMap { record in
            if case .string(let step)? = record["step"], step != "progress" { step } else { nil }
        }
    }

    @Test(arguments: [
        (#""address_shift": true"#, ["boot-loader", "uploaded", "reset", "running"]),
        (#""kind": "legacy""#, ["boot-loader", "uploaded", "reset", "running"]),
        (#""buttonless": false"#, ["uploaded", "reset", "running"]),
    ])
    func `an application is sent to the boot loader, wherever that is`(_ dfu: String, _ steps: [String]) async throws {
        let run = try await Self.run(dfu)
        #expect(run.status == 0, "\(run.stderr)")
        #expect(try Self.steps(run) == steps)
        #expect(run.stdout.contains("the device is back, with firmware 7"))
    }

    @Test(arguments: [
        ("secure application", #""kind": "secure", "address_shift": true"#),
        ("secure application", #""kind": "secure", "bonds": true"#),
        ("secure application", #""kind": "secure", "address_shift": true, "object_size": 256"#),
        ("legacy application", #""kind": "legacy""#),
    ])
    func `archives of nrfutil and adafruit-nrfutil are taken`(_ archive: String, _ dfu: String) async throws {
        let run = try await Self.run(dfu, file: Self.archive(archive))
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout.contains("the device is back, with firmware 7"))
    }

    @Test(arguments: [
        (#""faults": [{ "at": 3000, "do": "lose" }]"#, 0), (#""faults": [{ "at": 3000, "do": "restart" }]"#, 0),
        (#""faults": [{ "at": 3000, "do": "restart" }], "two_banks": true, "address_shift": true"#, 0),
        (#""faults": [{ "at": 3000, "do": "damage" }]"#, 0), (#""erase_time": "30 s""#, 0),
        (#""faults": [{ "at": 3000, "do": "refuse" }]"#, 76), (#""size": 4096"#, 76), (#""starts": false"#, 1),
        (#""kind": "secure""#, 68),
    ])
    func `what goes wrong is got over, or ends with a status and the state of the device`(
        _ dfu: String,
        _ status: Int32
    ) async throws {
        let run = try await Self.run(dfu)
        #expect(run.status == status, "\(run.stderr)")
        #expect((try Self.steps(run).last == "running") == (status == 0))
        if status != 0 { #expect(run.stderr.contains("hint:") && run.stderr.contains("; the "), "\(run.stderr)") }
    }

    @Test(arguments: [
        #"{ "manifest": { "application": { "bin_file": "../app.bin", "dat_file": "app.dat" } } }"#,
        #"{ "manifest": { "application": { "bin_file": "app.bin" } } }"#, #"{ "manifest": {} }"#, #"{ "manifest": 7 }"#,
        #"{ "manifest": { "bootloader": { "bin_file": "app.bin", "dat_file": "manifest.json" } } }"#,
        #"{ "manifest": { "softdevice_bootloader": { "bin_file": "app.bin", "dat_file": "app.dat", "sd_size": 1 } } }"#,
    ])
    func `a list that makes no sense is refused before anything is sent`(_ manifest: String) async throws {
        let run = try await Self.run("", file: FirmwareArchive.legacy(manifest: manifest), ["-v"])
        #expect(run.status == 65, "\(run.stderr)")
        #expect(Trace(run.stderr).sent.isEmpty)
    }

    @Test func `an archive that is cut, or unpacks to more than it says, is refused`() async throws {
        let whole = FirmwareArchive.legacy()
        #expect(try await Self.run("", file: Array(whole.dropLast(40))).status == 65)
        var bomb = whole
        // The length in the directory of the last file, which is the init packet.
        let place = bomb.count - 22 - 7 - 46 + 24
        bomb.replaceSubrange(place..<place + 4, with: [0xFF, 0xFF, 0xFF, 0x7F])
        #expect(try await Self.run("", file: bomb).status == 65)
    }
}
