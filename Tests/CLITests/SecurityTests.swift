// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// A simulated device whose values need encryption, and which has the key of an earlier pairing.
@Suite("The security of links", .startsPrograms())
struct SecurityTests {
    private static let protected = "b1ec0301-5ec7-4c3a-9d0e-51a1b1ec0001"

    private static func file(_ security: String) -> String {
        """
        { "schema": "blectl-device/1", "name": "Vault", "address": "C4:11:22:33:44:55", "address_type": "random",
          "limits": { "security": "\(security)" },
          "advertising": [{ "data": { "name": "Vault" } }],
          "services": [{ "uuid": "battery", "characteristics": [
            { "uuid": "battery-level", "properties": ["read", "write", "notify"], "value": "0x2a", "every": "1 s",
              "permissions": { "read": "encrypted", "write": "encrypted" },
              "descriptors": [{ "uuid": "0x2902", "permissions": { "read": "open", "write": "encrypted" } }] },
            { "uuid": "\(protected)", "properties": ["read"], "value": "07",
              "permissions": { "read": "authenticated" } }] }] }
        """
    }

    private func run(_ line: String, security: String = "bonded") async throws -> BlectlRun {
        let url = FileManager.default.temporaryDirectory.appending(path: "vault-\(UUID().uuidString).json")
        try Self.file(security).write(to: url, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: url) }
        let simulation = ["--simulate=\(url.path())", "--simulate-time", "virtual"]
        return try await Blectl.run(simulation + TypedCommand(line).arguments)
    }

    private static let told = "demands security (ATT 0x0F insufficient encryption): the link is now encrypted with "

    @Test(arguments: [
        "read battery-level -d Vault", "write battery-level 0x2b -d Vault", "notify battery-level -d Vault --count 1",
    ])
    func `a request refused on an open link is repeated encrypted, which is reported`(
        _ line: String
    ) async throws {
        let run = try await run(line)
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stderr.contains(Self.told + "an unauthenticated key of 16 octets; asking again"), "\(run.stderr)")
        #expect(run.stderr.components(separatedBy: "demands security").count == 2, "once: \(run.stderr)")
    }

    @Test func `without pairing or a key the refusal is the answer`() async throws {
        let refused = "the device requires pairing (ATT 0x0F insufficient encryption)"
        let unwilling = try await run("read battery-level -d Vault --no-pair")
        #expect(unwilling.status == 76)
        #expect(unwilling.stderr.contains(refused) && !unwilling.stderr.contains("demands"), "\(unwilling.stderr)")
        let unable = try await run("read battery-level -d Vault", security: "none")
        #expect(unable.status == 76)
        #expect(unable.stderr.contains("(ATT 0x05 insufficient authentication)"), "\(unable.stderr)")
    }

    @Test func `a level is reached before the first request, and a key is measured`() async throws {
        for line in ["read battery-level -d Vault --security medium", "read battery-level -d Vault --min-key-size 16"] {
            let run = try await run(line)
            #expect(run.status == 0 && run.stderr.isEmpty, "\(run.stderr)")
        }
        let high = try await run("read battery-level -d Vault --security high")
        #expect(high.status == 76)
        #expect(high.stderr.contains("the link cannot get the security 'high'"), "\(high.stderr)")
        #expect(high.stderr.contains("hint: blectl pair C4:11:22:33:44:55"), "\(high.stderr)")
        let authenticated = try await run("read \(Self.protected) -d Vault --security high", security: "authenticated")
        #expect(authenticated.status == 0, "\(authenticated.stderr)")
    }

    @Test func `a weak key is raised once, and the second refusal is final`() async throws {
        let run = try await run("read \(Self.protected) -d Vault")
        #expect(run.status == 76)
        #expect(run.stderr.components(separatedBy: "demands security").count == 2, "\(run.stderr)")
        #expect(run.stderr.contains("the device requires pairing (ATT 0x05"), "\(run.stderr)")
    }

    @Test(arguments: ["inspect Vault --values", "clone Vault --values -o /dev/null"])
    func `inspecting a device changes nothing`(_ line: String) async throws {
        let run = try await run(line)
        #expect(run.status == 0 && !run.stderr.contains("demands"), "\(run.stderr)")
    }

    @Test(arguments: ["--security high --no-pair", "--min-key-size 6", "--min-key-size 17", "--security most"])
    func `contradictions and unknown levels are refused before anything is sent`(_ options: String) async throws {
        #expect(try await run("read battery-level -d Vault \(options)").status == 64)
    }
}
