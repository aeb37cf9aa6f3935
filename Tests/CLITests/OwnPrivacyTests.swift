// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// `--privacy`: private addresses of this machine, in a simulated world.
@Suite("Privacy of this machine", .startsPrograms())
struct OwnPrivacyTests {
    /// Whether an address is a resolvable private one.
    private static func isResolvable(_ address: String?) -> Bool {
        address.flatMap { UInt8($0.prefix(2), radix: 16) }.map { $0 >> 6 == 1 } ?? false
    }

    private func address(_ record: [String: JSON]) -> String? { record["device"]?.object?["address"]?.string }

    @Test func `a served device changes its private address every quarter of an hour, in a fixed order of steps`()
        async throws
    {
        var runs: [String] = []
        for _ in 0..<2 {
            let run = try await Blectl.run([
                "--simulate", "--simulate-time", "virtual", "serve", "pulse-strap", "--privacy", "--duration", "40m",
                "--json",
            ])
            #expect(run.status == 0, "\(run.stderr)")
            let records = try run.records()
            for record in records { #expect(RecordCheck.problems(of: record) == []) }
            let serving = try #require(records.first { $0["type"] == .string("serving") })
            let changes = records.filter { $0["type"] == .string("private-address") }
            let all = [serving] + changes
            #expect(changes.count == 2)
            #expect(all.allSatisfy { Self.isResolvable(address($0)) } && Set(all.compactMap(address)).count == 3)
            let moments = all.compactMap { $0["monotonic_ns"]?.integer }
            #expect(zip(moments.dropFirst(), moments).allSatisfy { (895...905).contains(($0 - $1) / 1_000_000_000) })
            #expect(records.contains { $0["type"] == .string("disconnected") }, "centrals come nevertheless")
            runs.append(run.stdout)
        }
        #expect(runs[0] == runs[1])
    }

    @Test func `advertising without a server is private, too`() async throws {
        let run = try await Blectl.run([
            "--simulate", "--simulate-time", "virtual", "advertise", "--local-name", "Beacon", "--privacy",
            "--duration",
            "20m", "--json",
        ])
        #expect(run.status == 0, "\(run.stderr)")
        let records = try run.records()
        for record in records { #expect(RecordCheck.problems(of: record) == []) }
        let first = try #require(records.first)
        #expect(Self.isResolvable(first["address"]?.string) && first["address_type"] == .string("random"))
        #expect(records.contains { $0["type"] == .string("private-address") })
    }

    @Test(arguments: [
        "scan --duration 2", "read battery-level --name 'Pulse *'", "clone --name 'Pulse *'", "pair 'Pulse HR'",
        "notify heart-rate-measurement --name 'Pulse *' --count 2",
    ])
    func `commands run as usual, and leave the adapter unchanged`(_ line: String) async throws {
        let words = ["--simulate", "--simulate-time", "virtual", "-vv"] + TypedCommand(line).arguments
        let plain = try await Blectl.run(words)
        let run = try await Blectl.run(words + ["--privacy"])
        #expect(run.status == plain.status, "\(run.stderr)")
        let switches = run.stderr.split(separator: "\n").compactMap { $0.split(separator: "> mgmt hci0 ").last }
            .filter { $0.hasPrefix("Set Privacy: ") || $0.hasPrefix("Set Powered: ") }
        let expected = ["Set Powered: off", "Set Privacy: on", "Set Powered: on"]
        #expect(switches.map(String.init) == expected + ["Set Powered: off", "Set Privacy: off", "Set Powered: on"])
        #expect(!plain.stderr.contains("Set Privacy"))
    }

    @Test(arguments: [
        ("managed", Int32(78), "Privacy = device"), ("unauthorized", 77, "sudo setcap"), ("off", 69, "power on"),
    ])
    func `if it cannot be switched on, nothing is sent, and the hint has the command`(
        _ state: String,
        _ status: Int32,
        _ hint: String
    ) async throws {
        let run = try await Blectl.run([
            "--simulate", "--simulate-time", "virtual", "--simulate-adapter", state, "read", "battery-level", "--name",
            "Pulse *", "--privacy",
        ])
        #expect(run.status == status && run.stdout == "" && run.stderr.contains(hint), "\(run.status) \(run.stderr)")
    }

    @Test func `the key is made once, kept private, and never shown; a damaged file is an error`() async throws {
        try await TemporaryFolder.use { folder in
            let state = ["XDG_STATE_HOME": folder.path]
            let file = folder.appending(path: "blectl/simulated/identity")
            var kept: [Data] = []
            for _ in 0..<2 {
                let run = try await Blectl.run(
                    ["--simulate", "scan", "--count", "1", "--privacy", "-vv", "--json"],
                    environment: state
                )
                #expect(run.status == 0, "\(run.stderr)")
                kept.append(try Data(contentsOf: file))
                let line = String(decoding: kept[0], as: UTF8.self).replacing("\n", with: "")
                let object = try #require(try JSON.objects(line).first)
                let key = try #require(object["identities"]?.array?.first?.object?["irk"]?.string)
                #expect(key.count == 32 && object["schema"] == .string("blectl-identity/1"))
                let octets = stride(from: 0, to: 32, by: 2).map { String(key.dropFirst($0).prefix(2)) }
                let said = (run.stdout + run.stderr).lowercased().filter { $0.isLetter || $0.isNumber }
                #expect(run.stderr.contains("Set Privacy"))
                #expect(!said.contains(key) && !said.contains(octets.reversed().joined()))
            }
            #expect(kept[0] == kept[1])
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            for damage in ["{", #"{"schema":"blectl-identity/2","identities":[]}"#, "[]"] {
                try Data(damage.utf8).write(to: file)
                let run = try await Blectl.run(["--simulate", "scan", "--count", "1", "--privacy"], environment: state)
                #expect(run.status == 65 && run.stderr.contains(file.path), "\(run.status) \(run.stderr)")
                #expect(try Data(contentsOf: file) == Data(damage.utf8), "it is left as it is")
            }
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            let run = try await Blectl.run(["--simulate", "scan", "--count", "1", "--privacy"], environment: state)
            #expect([66, 73].contains(run.status), "\(run.status) \(run.stderr)")
        }
    }

    @Test func `a device paired with privacy knows this machine, and strangers do not`() async throws {
        let run = try await SharedWorldTests().shell(
            """
            world security
            device=02:00:00:00:00:01
            background serve workbench --io none --count 3 --json; serving=$running
            blectl pair $device --privacy
            blectl read b1ec0302-5ec7-4c3a-9d0e-51a1b1ec0001 -d $device --privacy --format '{value}'
            blectl read b1ec0302-5ec7-4c3a-9d0e-51a1b1ec0001 -d $device --format '{value}'
            wait $serving; echo "serving $?"
            blectl bonds --format '{device.address} {adapter} {keys}' | sort
            cat $S.out
            """
        )
        let secret = "736563726574"
        #expect(run.lines.first?.hasPrefix("paired with Workbench (02:00:00:00:00:01)") == true, "\(run)")
        #expect(Array(run.lines.dropFirst().prefix(3)) == [secret, secret, "serving 0"], "\(run)")
        let records = try JSON.objects(run.lines.filter { $0.hasPrefix("{") }.joined(separator: "\n"))
        let paired = try #require(records.first { $0["type"] == .string("paired") }, "\(run)")
        #expect(address(paired) == "02:00:00:00:00:02" && paired["keys"]?.array?.contains(.string("irk")) == true)
        let centrals = records.filter { $0["type"] == .string("connected") }
            .compactMap { $0["central"]?.object?["address"]?.string }
        #expect(centrals.count == 3 && Self.isResolvable(centrals.first), "\(centrals)")
        #expect(centrals.dropFirst().allSatisfy { $0 == "02:00:00:00:00:02" }, "\(centrals)")
    }

    @Test func `paired peers know a private device, whatever its address`() async throws {
        let run = try await SharedWorldTests().shell(
            """
            world security
            background serve workbench --io none --privacy --count 1 --json; serving=$running
            private=$(blectl scan --count 1 --name Workbench --format '{address}')
            blectl pair $private --address-type random
            wait $serving; echo "serving $?"
            background serve workbench --privacy --count 1 --json; serving=$running
            blectl read b1ec0302-5ec7-4c3a-9d0e-51a1b1ec0001 -d 02:00:00:00:00:01 --format '{value}'
            wait $serving; echo "serving $?"
            echo $private
            """
        )
        #expect(run.lines.first?.hasPrefix("paired with 02:00:00:00:00:01") == true, "\(run)")
        #expect(Array(run.lines.dropFirst().prefix(3)) == ["serving 0", "736563726574", "serving 0"], "\(run)")
        #expect(Self.isResolvable(run.lines.last), "\(run)")
    }
}
