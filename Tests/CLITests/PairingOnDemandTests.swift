// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// What commands do when a device demands a pairing, or when the keys of a bond cannot be used.
@Suite("Pairing when a value is touched", .startsPrograms())
struct PairingOnDemandTests {
    /// A user with a folder of bonds of their own, among the devices of the simulated world `security`.
    private struct User {
        let folder: URL

        func run(_ line: String) async throws -> BlectlRun {
            try await Blectl.run(
                ["--simulate=security"] + TypedCommand(line).arguments,
                environment: ["XDG_STATE_HOME": folder.path]
            )
        }

        func fails(_ line: String, _ status: Int32, _ parts: String...) async throws {
            let run = try await run(line)
            #expect(run.status == status && run.stdout.isEmpty, "\(line): \(run)")
            for part in parts { #expect(run.stderr.contains(part), "\(line): \(run.stderr)") }
        }
    }

    private func user(_ body: (User) async throws -> Void) async throws {
        try await TemporaryFolder.use { try await body(User(folder: $0)) }
    }

    private static let paired = "blectl: paired with Just Works (C5:EC:00:00:00:01) by just works: level medium, "

    @Test(arguments: [
        ("read battery-level", "80 %\n"), ("notify battery-level --count 1", nil),
    ])
    func `a refused request is repeated after a pairing, whose keys are kept`(_ line: String, _ output: String?)
        async throws
    {
        try await user { user in
            let touched = try await user.run("\(line) -d 'Just Works'")
            #expect(touched.status == 0, "\(touched.stderr)")
            if let output { #expect(touched.stdout == output) }
            #expect(touched.stderr.contains(Self.paired + "keys kept by blectl\n"), "\(touched.stderr)")
            #expect(touched.stderr.contains("demands security (ATT 0x05 insufficient authentication)"))
            #expect(try await user.run("bonds --format '{device.name} {level}'").stdout == "Just Works medium\n")
            let next = try await user.run("\(line) -d 'Just Works'")
            #expect(next.status == 0 && next.stderr.isEmpty, "the key comes first: \(next.stderr)")
        }
    }

    @Test(arguments: ["read battery-level", "notify battery-level --count 1"])
    func `an unprepared adapter is switched off and on, and the request repeated on a new link`(
        _ line: String
    ) async throws {
        try await user { user in
            let run = try await user.run("\(line) -d 'Just Works' --simulate-adapter unprepared")
            #expect(run.status == 0, "\(run.stderr)")
            for part in ["hci0 was switched off and on, because the kernel pairs only then", Self.paired] {
                #expect(run.stderr.components(separatedBy: part).count == 2, "\(part): \(run.stderr)")
            }
            #expect(try await user.run("bonds --format '{device.name}'").stdout == "Just Works\n")
        }
    }

    private static let vault = """
        { "schema": "blectl-device/1", "name": "Vault", "address": "C4:11:22:33:44:55", "pairing": {},
          "advertising": [{ "data": { "name": "Vault" } }],
          "services": [{ "uuid": "battery", "characteristics": [
            { "uuid": "battery-level", "properties": ["read", "write"], "value": "0x2a",
              "permissions": { "read": "encrypted", "write": "encrypted" } }] }] }
        """

    @Test(arguments: ["", "--simulate-adapter unprepared"])
    func `a refused value is written once, after the pairing`(_ options: String) async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "vault.json")
            try Data(Self.vault.utf8).write(to: file)
            let run = try await Blectl.run(
                ["--simulate=\(file.path)"]
                    + TypedCommand("write battery-level 0x2b -d Vault --verify -v \(options)").arguments,
                environment: ["XDG_STATE_HOME": folder.path]
            )
            #expect(run.status == 0, "\(run.stderr)")
            #expect(run.stderr.components(separatedBy: "paired with Vault").count == 2, "\(run.stderr)")
            #expect(run.stderr.components(separatedBy: "Write Response").count == 2, "\(run.stderr)")
        }
    }

    @Test func `a demanded level is reached by a pairing, and the link shows its security`() async throws {
        try await user { user in
            let run = try await user.run("read battery-level -d 'Just Works' --security medium --timing --json")
            #expect(run.status == 0 && run.stderr.contains(Self.paired), "\(run.stderr)")
            #expect(try run.records().map { $0["type"] } == [.string("paired"), .string("value")])
            let timing = try #require(try run.records().last?["timing"]?.object)
            let security = try #require(timing["link"]?.object?["security"]?.object)
            #expect(security["encrypted"] == .bool(true) && security["bonded"] == .bool(true), "\(security)")
        }
    }

    @Test func `no pairing is made if the user forbids it, or nothing demands it`() async throws {
        try await user { user in
            try await user.fails(
                "read battery-level -d 'Just Works' --no-pair",
                76,
                "the device requires pairing (ATT 0x05",
                "hint: blectl pair C5:EC:00:00:00:01"
            )
            for line in ["inspect 'Just Works' --values", "read manufacturer-name-string -d Legacy"] {
                let run = try await user.run(line)
                #expect(!run.stderr.contains("paired with"), "\(line): \(run.stderr)")
            }
            #expect(try await user.run("bonds").stdout.isEmpty)
        }
    }

    @Test func `a pairing that needs a person or data is left to pair, with the device's reason`() async throws {
        let refused = "the device requires pairing (ATT 0x05 insufficient authentication), and the pairing failed: "
        try await user { user in
            for (name, reason, hint) in [
                ("Passkey Shown", "(SMP 0x03 authentication requirements)", "blectl pair C5:EC:00:00:00:02 --passkey"),
                ("Out Of Band", "(SMP 0x02 OOB not available)", "blectl pair C5:EC:00:00:00:0C --oob FILE"),
                ("Refusing", "(SMP 0x05 pairing not supported)", "it may have to be put into its pairing mode"),
                ("Silent", "no answer within", "--timeout allows more time"),
            ] { try await user.fails("read battery-level -d '\(name)'", 76, refused, reason, "hint: ", hint) }
            try await user.fails(
                "read battery-level -d 'Just Works' --security high",
                76,
                "the security 'high' needs a pairing that proves who the device is",
                "hint: blectl pair C5:EC:00:00:00:01 --passkey DIGITS"
            )
            try await user.fails("read battery-level -d Silent --security medium --timeout 2", 124, "no answer within")
            #expect(try await user.run("bonds").stdout.isEmpty)
        }
    }

    @Test func `a bond that is too weak is not replaced by another pairing`() async throws {
        try await user { user in
            #expect(try await user.run("pair 'Just Works'").status == 0)
            try await user.fails(
                "read battery-level -d 'Just Works' --security high",
                76,
                "the keys of the bond give no more than the security 'medium'",
                "hint: blectl unpair C5:EC:00:00:00:01, then blectl pair C5:EC:00:00:00:01"
            )
            #expect(try await user.run("pair 'Short Key'").status == 0)
            try await user.fails(
                "read manufacturer-name-string -d 'Short Key'",
                76,
                "(ATT 0x0C encryption key size too short)",
                "hint: another pairing may have a longer key: blectl unpair C5:EC:00:00:00:0B"
            )
        }
    }

    /// A lock that pairs without proof, and accepts commands only with proof.
    private static let lock = """
        {"schema": "blectl-device/1", "address": "C5:EC:00:00:00:77", "name": "Lock",
         "advertising": [{"data": {"name": "Lock"}}], "pairing": {"io": "display", "passkey": "123456"},
         "services": [{"uuid": "0xFFF0", "characteristics": [
           {"uuid": "0xFFF1", "properties": ["read", "write", "notify"], "value": "0x01",
            "permissions": {"write": "authenticated", "read": "authenticated"}, "subscription": "authenticated"}]}]}
        """

    @Test(arguments: ["write 0xFFF1 0x01", "read 0xFFF1", "notify 0xFFF1 --count 1"])
    func `a command that has paired by itself, without enough, names the steps that help`(_ line: String) async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "lock.json")
            try Data(Self.lock.utf8).write(to: file)
            func run(_ line: String) async throws -> BlectlRun {
                try await Blectl.run(
                    ["--simulate=\(file.path)"] + TypedCommand(line).arguments,
                    environment: ["XDG_STATE_HOME": folder.path]
                )
            }
            let first = try await run("\(line) -d Lock")
            #expect(first.stderr.contains("paired with Lock"), "\(first)")
            #expect(first.status == 76, "\(first)")
            #expect(first.stderr.contains("and the link is only encrypted with an unauthenticated key"), "\(first)")
            let steps =
                "hint: blectl unpair C5:EC:00:00:00:77, then blectl pair C5:EC:00:00:00:77 --passkey DIGITS\n"
            #expect(first.stderr.hasSuffix(steps), "\(first)")
            // The hint does what it says.
            #expect(try await run("pair C5:EC:00:00:00:77 --passkey 123456").status == 76, "they are paired already")
            #expect(try await run("unpair C5:EC:00:00:00:77").status == 0)
            #expect(try await run("pair C5:EC:00:00:00:77 --passkey 123456").status == 0)
            #expect(try await run("write 0xFFF1 0x01 -d Lock").status == 0)
        }
    }

    @Test func `without a place for the keys there is no pairing, and the error says why`() async throws {
        try await user { user in
            // A file in the place of the folder, and no room for a file.
            let script = """
                echo >$F/file
                blectl() { ("$@") 2>&1 | cat; echo "status ${PIPESTATUS[0]}"; }
                in_file() { XDG_STATE_HOME=$F/file exec $BLECTL --simulate=security "$@"; }
                full() { ulimit -f 0; XDG_STATE_HOME=$F/full exec $BLECTL --simulate=security "$@"; }
                for place in in_file full; do
                    blectl $place pair 'Just Works'
                    blectl $place read battery-level -d 'Just Works'
                done
                blectl full pair 'Just Works' --no-bond
                """
            let run = try await Blectl.shell(script, environment: ["F": user.folder.path])
            let lines = run.stdout.split(separator: "\n").map(String.init)
            let statuses = lines.filter { $0.hasPrefix("status ") }
            #expect(statuses == ["status 73", "status 73", "status 73", "status 73", "status 0"], "\(run)")
            #expect(lines.count { $0.contains("paired with") } == 1, "no device got its half of a bond: \(run)")
            #expect(lines.contains { $0.hasSuffix("keys not kept, because no bond is wanted") }, "\(run)")
            for reason in ["Not a directory", "File too large"] {
                #expect(lines.count { $0.contains(reason) } == 2, "\(reason): \(run)")
            }
        }
    }

    @Test func `keys that the kernel does not take are an error`() async throws {
        try await user { user in
            #expect(try await user.run("pair 'Just Works'").status == 0)
            let line = "read battery-level -d C5:EC:00:00:00:01 --simulate-adapter"
            let unable = try await user.run("\(line) unauthorized -vv")
            #expect(unable.status == 77, "\(unable.stderr)")
            for part in [
                "the kernel could not be given the keys of its bond: the capability CAP_NET_ADMIN is missing",
                "hint: sudo setcap cap_net_raw,cap_net_admin+eip",
            ] { #expect(unable.stderr.contains(part), "\(unable.stderr)") }
            #expect(!unable.stderr.contains("Request 0x"), "nothing is asked: \(unable.stderr)")
            try await user.fails(
                "\(line) managed",
                78,
                "bluetoothd manages hci0, which has keys of its own",
                "blectl unpair C5:EC:00:00:00:01"
            )
            // What the kernel may do by itself still is tried, and the lack is the result.
            try await user.fails(
                "read battery-level -d C5:EC:00:00:00:05 --address-type random --simulate-adapter unauthorized",
                77,
                "the device requires pairing (ATT 0x05",
                "hint: sudo setcap cap_net_raw,cap_net_admin+eip"
            )
        }
    }

    @Test func `beside a daemon the kernel pairs, and the daemon keeps the keys`() async throws {
        try await user { user in
            let run = try await user.run("read battery-level -d 'Just Works' --simulate-adapter managed")
            #expect(run.status == 0 && run.stdout == "80 %\n", "\(run.stderr)")
            #expect(run.stderr.contains(Self.paired + "keys kept by bluetoothd\n"), "\(run.stderr)")
            #expect(try await user.run("bonds").stdout.isEmpty)
        }
    }

    @Test func `a step of a script pairs as well`() async throws {
        try await user { user in
            let script = user.folder.appending(path: "touch.blectl")
            let text = """
                device box --name "Just Works"
                test "touched"
                  read box battery-level      expect 80
                  check box bonded is true and level is medium
                  disconnect box
                  read box battery-level      expect 80
                """
            try Data((text + "\n").utf8).write(to: script)
            let run = try await user.run("run \(script.path)")
            #expect(run.status == 0, "\(run)")
            #expect(try await user.run("bonds").stdout.contains("Just Works"), "the bond is kept")
        }
    }

    @Test func `--no-pair of a step and of a shell's line is about its own requests`() async throws {
        try await user { user in
            let script = user.folder.appending(path: "stranger.blectl")
            let text = """
                device box --name "Just Works"
                test "a stranger, then a friend, on one link"
                  read box battery-level --no-pair                expect error 0x05
                  notify box battery-level --no-pair --count 1    expect error 0x05
                  check box bonded is false
                  read box battery-level                          expect 80
                  read box battery-level --no-pair                expect 80
                """
            try Data((text + "\n").utf8).write(to: script)
            let run = try await user.run("run \(script.path)")
            #expect(run.status == 0, "\(run)")
            _ = try await user.run("unpair 'Just Works'")
            let shell = try await Blectl.run(
                ["--simulate=security", "shell", "-d", "Just Works"],
                input: Array("read battery-level --no-pair\nread battery-level\n".utf8),
                environment: ["XDG_STATE_HOME": user.folder.path]
            )
            #expect(shell.stdout == "80 %\n", "\(shell)")
            #expect(shell.stderr.contains("the device requires pairing (ATT 0x05"), "\(shell)")
        }
    }
}
