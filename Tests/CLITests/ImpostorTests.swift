// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Devices that claim to be a bonded one: by its name, by its address, or by the identity that they send.
@Suite("Strangers that claim to be a bonded device", .startsPrograms(isLong: true))
struct ImpostorTests {
    /// A user with bonds of their own, in a folder with the files of devices.
    private struct User {
        let folder: URL

        func run(_ line: String, among worlds: [String]) async throws -> BlectlRun {
            try await Blectl.run(
                worlds.map { "--simulate=\(world($0))" } + TypedCommand(line).arguments,
                environment: ["XDG_STATE_HOME": folder.path]
            )
        }

        private func world(_ name: String) -> String {
            name == "security" ? name : folder.appending(path: "\(name).json").path
        }

        func succeeds(_ line: String, among worlds: [String], _ output: String? = nil) async throws {
            let run = try await run(line, among: worlds)
            #expect(run.status == 0, "\(line): \(run.stderr)")
            if let output { #expect(run.stdout == output, "\(line): \(run)") }
        }

        func fails(_ line: String, among worlds: [String], _ status: Int32, _ parts: String...) async throws {
            let run = try await run(line, among: worlds)
            #expect(run.status == status && run.stdout.isEmpty, "\(line): \(run)")
            for part in parts { #expect(run.stderr.contains(part), "\(line): \(run.stderr)") }
        }
    }

    /// A device with a battery level. What is protected differs.
    private static func device(
        _ name: String,
        _ address: String,
        _ level: Int,
        rssi: Int = -30,
        type: String = "random",
        advertised: String? = nil,
        _ more: String = "",
        read: String = "open"
    ) -> String {
        """
        { "schema": "blectl-device/1", "name": "\(name)", "address": "\(address)", "address_type": "\(type)",
          "signal": { "rssi": \(rssi), "movement": "still" },
          "advertising": [{ "interval": "40 ms", "data": { "name": "\(advertised ?? name)", "services": ["battery"] } }],
          \(more)
          "services": [{ "uuid": "0xFF50", "characteristics": [
            { "uuid": "0xFF51", "properties": ["read", "authenticated-signed-writes"], "value": "00" }] },
            { "uuid": "battery", "characteristics": [
            { "uuid": "battery-level", "properties": ["read", "write"], "permissions": { "read": "\(read)" },
              "value": "u8:\(level)" }] }] }
        """
    }

    private static let keeper = "C5:EC:00:00:00:31"
    private static let thief = "C5:EC:00:00:00:32"

    private func user(_ body: (User) async throws -> Void) async throws {
        try await TemporaryFolder.use { folder in
            let files = [
                "keeper": Self.device(
                    "Keeper",
                    Self.keeper,
                    84,
                    rssi: -80,
                    #""pairing": { "passkey": "123456", "io": "display", "authentication": "required" },"#,
                    read: "authenticated"
                ),
                "thief": Self.device("Keeper", Self.thief, 13),
                "toy": Self.device(
                    "Keeper",
                    Self.keeper,
                    13,
                    advertised: "Cheap Toy",
                    #""pairing": { "private_address": true },"#,
                    read: "encrypted"
                ),
                "claimant": Self.device("Legacy", "C5:EC:00:00:00:05", 13),
                "other-type": Self.device("Legacy", "C5:EC:00:00:00:05", 13, type: "public"),
            ]
            for (name, text) in files {
                try Data(text.utf8).write(to: folder.appending(path: "\(name).json"))
            }
            try await body(User(folder: folder))
        }
    }

    @Test func `a stranger's keys do not replace a stronger bond with the claimed identity`() async throws {
        try await user { user in
            try await user.succeeds("pair Keeper --passkey 123456", among: ["keeper"])
            try await user.fails(
                "pair 'Cheap Toy'",
                among: ["toy"],
                76,
                "it claims to be Keeper (\(Self.keeper)), and there is a bond of level 'fips', which keys of level "
                    + "'medium' do not replace",
                "hint: if it has lost its keys: blectl unpair \(Self.keeper)"
            )
            try await user.succeeds("bonds --format '{device.name} {level}'", among: ["keeper"], "Keeper fips\n")
            try await user.succeeds("read battery-level -d Keeper", among: ["keeper"], "84 %\n")
        }
    }

    @Test func `in the same run, the kernel gets the old keys again`() async throws {
        try await user { user in
            try await user.succeeds("pair Keeper --passkey 123456", among: ["keeper"])
            let run = try await user.run("pair 'Cheap Toy' -vv", among: ["toy"])
            let parts = run.stderr.components(separatedBy: "Unpair Device")
            #expect(parts.count > 1 && (parts.last ?? "").contains("Load Long Term Keys"), "\(run.stderr)")
        }
    }

    @Test func `the name of a bond means that device, and a stranger with it is not used`() async throws {
        try await user { user in
            try await user.succeeds("pair Keeper --passkey 123456", among: ["keeper"])
            for wish in ["-d Keeper", "--name 'Keep*'"] {
                try await user.succeeds("read battery-level \(wish)", among: ["keeper", "thief"], "84 %\n")
            }
            for line in [
                "read battery-level -d keeper --timeout 2", "write battery-level 0x01 --name 'Keep*' --timeout 2",
                "write battery-level 0x01 -d Keeper --timeout 2", "inspect Keeper --timeout 2",
                "pair Keeper --passkey 123456 --timeout 2",
            ] {
                try await user.fails(
                    line,
                    among: ["thief"],
                    68,
                    "\(Self.thief) has the name, and is another device",
                    "hint: to use that one: -d \(Self.thief); to forget the bond: blectl unpair \(Self.keeper)"
                )
            }
            try await user.succeeds("read battery-level -d \(Self.thief)", among: ["thief"], "13 %\n")
            try await user.succeeds("unpair \(Self.keeper)", among: ["thief"])
            try await user.succeeds("read battery-level -d Keeper", among: ["thief"], "13 %\n")
        }
    }

    @Test func `several adapters reject the stranger, too`() async throws {
        try await user { user in
            try await user.succeeds("pair Keeper --passkey 123456", among: ["keeper"])
            try await user.fails(
                "read battery-level -d Keeper --timeout 2 --simulate-adapter second -i all",
                among: ["thief"],
                68,
                "\(Self.thief) has the name, and is another device"
            )
        }
    }

    @Test func `the address of a bond has the type of the bond`() async throws {
        try await user { user in
            try await user.succeeds("pair Legacy", among: ["security"])
            let address = "C5:EC:00:00:00:05"
            let run = try await user.run("read battery-level -d \(address) --timeout 2", among: ["other-type"])
            #expect(run.status != 0 && run.stdout.isEmpty, "\(run)")
            try await user.fails(
                "read battery-level -d \(address) --address-type public",
                among: ["other-type"],
                64,
                "there is a bond with the device that has this address, and it is a random one",
                "hint: leave out --address-type"
            )
            try await user.succeeds("read battery-level -d \(address)", among: ["security"], "84 %\n")
        }
    }

    @Test func `a signed value goes to no handle of a stranger's choice`() async throws {
        try await user { user in
            try await user.succeeds("pair Legacy", among: ["security"])
            let line = "write 0xFF51 0x2a --signed -d Legacy"
            // The second time, the database is known.
            for _ in 1...2 {
                try await user.succeeds("\(line) --format '{procedure}'", among: ["security"], "signed-write-command\n")
            }
            // On the unencrypted link for the value the other side gets no request.
            let told = try await user.run("\(line) -vv", among: ["security"]).stderr
            let ofLastLink = try #require(told.ranges(of: "Load Long Term Keys: ").last)
            let sent = Trace(String(told[ofLastLink.upperBound...])).sent.map(\.name)
            #expect(sent == ["Signed Write Command"], "\(told)")
            let run = try await user.run("\(line) --timeout 2 -vv", among: ["claimant"])
            #expect(run.status == 76 && run.stdout.isEmpty, "\(run)")
            for request in ["Signed Write Command", "Read By Type Request", "Exchange MTU Request"] {
                #expect(!run.stderr.contains(request), "\(run.stderr)")
            }
            // The user's own handle needs no look-up.
            let own = try await user.run("write handle:0x0013 0x2a --signed -d Legacy -vv", among: ["security"])
            #expect(own.status == 0 && own.stderr.contains("Signed Write Command 0x0013"), "\(own.stderr)")
            #expect(!own.stderr.contains("Read By Type Request"), "\(own.stderr)")
        }
    }
}
