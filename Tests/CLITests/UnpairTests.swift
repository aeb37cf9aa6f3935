// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Bonds that are removed, in simulation and in real time, so that they are kept from one command to the next.
@Suite("blectl unpair", .startsPrograms(isLong: true))
struct UnpairTests {
    /// A user with a folder of bonds of their own.
    private struct User {
        let folder: URL

        func run(_ line: String) async throws -> BlectlRun {
            try await Blectl.run(
                ["--simulate=security"] + TypedCommand(line).arguments,
                environment: ["XDG_STATE_HOME": folder.path]
            )
        }

        /// The only record that a command writes, which is of that type.
        func record(_ type: String, of line: String) async throws -> [String: JSON] {
            let run = try await run("\(line) --json")
            #expect(run.status == 0, "\(line): \(run.stderr)")
            let records = try run.records().filter { $0["type"] != .string("pairing") }
            #expect(records.count == 1 && records.first?["type"] == .string(type), "\(run)")
            return try #require(records.first)
        }

        func fails(_ line: String, _ status: Int32, _ part: String) async throws {
            let run = try await run(line)
            #expect(run.status == status && run.stderr.contains(part), "\(line): \(run)")
        }
    }

    private func user(_ body: (User) async throws -> Void) async throws {
        try await TemporaryFolder.use { try await body(User(folder: $0)) }
    }

    @Test func `bonds of an adapter that is gone are removed, and those of another one are named`() async throws {
        try await user { user in
            let second = "--simulate-adapter second"
            _ = try await user.record("paired", of: "pair 'Just Works'")
            _ = try await user.record("paired", of: "pair Legacy \(second) -i hci1")
            // Both adapters are there: those of the other one stay, and the remark has the command.
            let kept = try await user.run("unpair --all \(second)")
            #expect(kept.status == 0 && kept.stdout == "forgot the keys of Just Works (C5:EC:00:00:00:01)\n", "\(kept)")
            #expect(
                kept.stderr == "blectl: not removed, because they are of hci1: Legacy (C5:EC:00:00:00:05); "
                    + "blectl unpair --all --adapter hci1\n"
            )
            #expect(try await user.run("unpair --all \(second) --quiet").stderr.isEmpty)
            // The second adapter is gone.
            let orphaned = try await user.run("unpair --all --json")
            let record = try #require(try orphaned.records().first)
            #expect(RecordCheck.problems(of: record).isEmpty && orphaned.stderr.isEmpty, "\(orphaned)")
            #expect(record["adapter"] == .string("02:00:00:00:00:02") && record["kept"] == .bool(true))
            #expect(record["kernel"] == .bool(false))
            #expect(try await user.run("bonds").stdout.isEmpty)
        }
    }

    @Test func `bonds of a controller that is not the kernel's are left, and named`() async throws {
        try await user { user in
            _ = try await user.record("paired", of: "pair Legacy --simulate-adapter second -i hci1")
            let file = user.folder.appending(path: "blectl/addresses").path
            let content = #"{"addresses":{"tcp:a:1":"02:00:00:00:00:02"},"schema":"blectl-addresses/1"}"#
            let mode = [FileAttributeKey.posixPermissions: 0o600]
            #expect(FileManager.default.createFile(atPath: file, contents: Data(content.utf8), attributes: mode))
            let kept = try await user.run("unpair --all")
            #expect(kept.status == 0 && kept.stdout.isEmpty, "\(kept)")
            let remark = "of tcp:a:1: Legacy (C5:EC:00:00:00:05); blectl unpair --all --adapter tcp:a:1"
            #expect(kept.stderr.contains(remark), "\(kept)")
            #expect(try await user.run("bonds --format '{device.name}'").stdout == "Legacy\n")
        }
    }

    @Test(arguments: [
        "Legacy", "C5:EC:00:00:00:05", "--all", "--all -i 02:00:00:00:00:02", "Legacy -i 02:00:00:00:00:02",
    ])
    func `a bond of an adapter that is gone can be removed alone`(_ device: String) async throws {
        try await user { user in
            _ = try await user.record("paired", of: "pair Legacy --simulate-adapter second -i hci1")
            _ = try await user.record("paired", of: "pair 'Just Works'")
            _ = try await user.record("unpaired", of: "unpair 'Just Works'")
            // Whether another adapter is there or none.
            let gone = device.hasPrefix("Legacy") ? "--simulate-adapter gone" : ""
            _ = try await user.record("unpaired", of: "unpair \(device) \(gone)")
            #expect(try await user.run("bonds").stdout.isEmpty)
            try await user.fails("unpair Legacy --simulate-adapter gone", 69, "there is no Bluetooth adapter")
        }
    }

    @Test func `the error of unpair --all names the bonds that are left`() async throws {
        try await user { user in
            for name in ["'Just Works'", "Legacy"] { _ = try await user.record("paired", of: "pair \(name)") }
            try await user.fails(
                "unpair --all --simulate-adapter unauthorized",
                77,
                "cannot unpair Just Works (C5:EC:00:00:00:01) and Legacy (C5:EC:00:00:00:05): the capability"
            )
            #expect(try await user.run("bonds --format '{device.name}'").stdout == "Just Works\nLegacy\n")
        }
    }
}
