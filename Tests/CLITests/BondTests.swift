// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// The file of bonds as a user meets it, and what `pair` refuses before it begins.
@Suite("Bonds", .startsPrograms())
struct BondTests {
    private static let key = "00112233445566778899aabbccddeeff"
    private static let file = """
        { "schema": "blectl-bonds/1", "bonds": [{ "adapter": "00:11:22:33:44:55", "address": "C4:11:22:33:44:55",
          "type": "random", "name": "Vault", "since": 1795000000000000000, "irk": "\(key)", "csrk": [],
          "ltk": [{ "type": 3, "central": true, "size": 16, "ediv": 0, "rand": 0, "key": "\(key)" }] }] }
        """

    /// Runs a line with a file of bonds.
    private func run(_ line: String, bonds: String?) async throws -> (BlectlRun, path: String, mode: Int?) {
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "blectl/bonds").path
            if let bonds {
                let own = folder.appending(path: "blectl")
                try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
                try Data(bonds.utf8).write(to: URL(filePath: path))
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            }
            let run = try await Blectl.run(TypedCommand(line).arguments, environment: ["XDG_STATE_HOME": folder.path])
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return (run, path, attributes?[.posixPermissions] as? Int)
        }
    }

    @Test func `a bond is listed without its keys, which are printed only on demand`() async throws {
        let (run, _, mode) = try await run("bonds --json", bonds: Self.file)
        #expect(run.status == 0 && run.stderr.isEmpty, "\(run.stderr)")
        for part in [
            "\"address\":\"C4:11:22:33:44:55\"", "\"keys\":[\"ltk\",\"irk\"]", "\"level\":\"fips\"", "\"secrets\":null",
            "\"since\":\"2026-11-18T",
        ] { #expect(run.stdout.contains(part), "\(run.stdout)") }
        #expect(!run.stdout.contains(Self.key))
        #expect(mode == 0o600, "a file that others could read is theirs no more")
        let (text, _, _) = try await self.run("bonds -vv", bonds: Self.file)
        #expect(text.stdout.contains("Vault (C4:11:22:33:44:55)  ltk irk  fips  16"), "\(text.stdout)")
        #expect(!(text.stdout + text.stderr).contains(Self.key))
        let (revealed, _, _) = try await self.run("bonds --reveal-keys --json", bonds: Self.file)
        #expect(revealed.stdout.components(separatedBy: Self.key).count == 3, "\(revealed.stdout)")
    }

    @Test func `no file means no bonds`() async throws {
        let (run, path, _) = try await run("bonds", bonds: nil)
        #expect(run.status == 0 && run.stdout.isEmpty && run.stderr.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a damaged file is named, and its text is not repeated`() async throws {
        let damaged = Self.file.replacing("\"type\": 3", with: "\"type\": \"\(Self.key)\"")
        let (run, path, _) = try await run("bonds", bonds: damaged)
        #expect(run.status == 65)
        #expect(run.stderr.contains("the file of bonds \(path) is damaged"), "\(run.stderr)")
        #expect(!run.stderr.contains(Self.key))
    }

    @Test(arguments: [
        ("pair 'Pulse HR' --io keyboard", "--passkey"), ("pair 'Pulse HR' --io yes-no", "--confirm"),
        ("pair 'Pulse HR' --io keyboard-display --passkey 123456", "--confirm"),
        ("pair 'Pulse HR' --passkey 12345", "six digits"), ("pair 'Pulse HR' --confirm maybe", "six digits"),
        ("pair 'Pulse HR' --no-pair", "--no-pair"), ("unpair", "--all"),
    ])
    func `a command that needs an unavailable answer ends before it begins`(_ line: String, _ part: String)
        async throws
    {
        let run = try await Blectl.simulate(line)
        #expect(run.status == 64 && run.stdout.isEmpty)
        #expect(run.stderr.contains(part), "\(run.stderr)")
    }
}
