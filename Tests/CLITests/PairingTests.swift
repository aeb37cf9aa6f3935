// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Pairing with the devices of the simulated world `security`, in real time, so that bonds are kept from one command to
/// the next.
@Suite("Pairing in simulation", .startsPrograms(isLong: true))
struct PairingTests {
    /// A user with a folder of bonds of their own.
    private struct User {
        let folder: URL

        var bondFile: String { folder.appending(path: "blectl/simulated/bonds").path }

        func run(_ line: String, world: String = "security") async throws -> BlectlRun {
            try await Blectl.run(
                ["--simulate=\(world)"] + TypedCommand(line).arguments,
                environment: ["XDG_STATE_HOME": folder.path]
            )
        }

        /// The only record of a type that a command writes.
        func record(_ type: String, of line: String) async throws -> [String: JSON] {
            let run = try await run("\(line) --json")
            #expect(run.status == 0, "\(line): \(run.stderr)")
            for record in try run.records() { #expect(RecordCheck.problems(of: record).isEmpty) }
            let found = try run.records().filter { $0["type"] == .string(type) }
            #expect(found.count == 1, "\(run.stdout)")
            return try #require(found.first)
        }

        func fails(_ line: String, _ status: Int32, _ part: String) async throws {
            let run = try await run(line)
            #expect(run.status == status, "\(line): \(run.stderr)")
            #expect(run.stderr.contains(part), "\(line): \(run.stderr)")
        }
    }

    private func user(_ body: (User) async throws -> Void) async throws {
        try await TemporaryFolder.use { try await body(User(folder: $0)) }
    }

    /// A device that pairs, how, and the result.
    struct Partner: Sendable, CustomTestStringConvertible {
        let name: String
        let address: String
        let options: String
        let method: String
        let level: String
        let keys: [String]
        let value: String
        var keySize: Int64 = 16
        var testDescription: String { name }

        var isSecure: Bool { name != "Legacy" }
    }

    static let partners = [
        Partner(
            name: "Just Works",
            address: "C5:EC:00:00:00:01",
            options: "",
            method: "just works",
            level: "medium",
            keys: ["ltk"],
            value: "80 %"
        ),
        Partner(
            name: "Passkey Shown",
            address: "C5:EC:00:00:00:02",
            options: "--passkey 271828",
            method: "passkey entry",
            level: "fips",
            keys: ["ltk"],
            value: "81 %"
        ),
        Partner(
            name: "Passkey Typed",
            address: "C5:EC:00:00:00:03",
            options: "--io display",
            method: "passkey entry",
            level: "fips",
            keys: ["ltk"],
            value: "82 %"
        ),
        Partner(
            name: "Compare",
            address: "C5:EC:00:00:00:04",
            options: "--confirm yes",
            method: "numeric comparison",
            level: "fips",
            keys: ["ltk"],
            value: "83 %"
        ),
        Partner(
            name: "Legacy",
            address: "C5:EC:00:00:00:05",
            options: "",
            method: "just works",
            level: "medium",
            keys: ["ltk", "local-csrk", "csrk"],
            value: "84 %"
        ),
        Partner(
            name: "Wanderer",
            address: "C5:EC:00:00:00:0A",
            options: "",
            method: "just works",
            level: "medium",
            keys: ["ltk", "irk"],
            value: "89 %"
        ),
        Partner(
            name: "Short Key",
            address: "C5:EC:00:00:00:0B",
            options: "",
            method: "just works",
            level: "medium",
            keys: ["ltk"],
            value: "90 %",
            keySize: 7
        ),
    ]

    @Test(arguments: partners)
    func `a pairing is kept, not repeated, and forgotten on demand`(_ partner: Partner) async throws {
        try await user { user in
            let name = "'\(partner.name)'"
            let unpaired = "read battery-level -d \(name) --no-pair"
            try await user.fails(unpaired, 76, "ATT 0x05 insufficient authentication")
            let paired = try await user.record("paired", of: "pair \(name) \(partner.options)")
            let bond = try await user.record("bond", of: "bonds")
            for record in [paired, bond] {
                #expect(record["level"] == .string(partner.level))
                #expect(record["key_size"] == .integer(partner.keySize))
                #expect(record["keys"] == .array(partner.keys.map { .string($0) }))
                #expect(record["secure_connections"] == .bool(partner.isSecure))
                #expect(record["authenticated"] == .bool(partner.level == "fips"))
                #expect(record["device"]?.object?["address"] == .string(partner.address))
            }
            #expect(paired["method"] == .string(partner.method))
            #expect(paired["bonded"] == .bool(true) && paired["kept_by"] == .string("blectl"))
            // A new process, and a new simulated kernel: only the file of bonds knows the keys.
            let read = try await user.run("read battery-level -d \(name)")
            #expect(read.status == 0 && read.stdout == partner.value + "\n", "\(read.stderr)")
            try await user.fails("pair \(name) \(partner.options)", 76, "they are paired already")
            let forgotten = try await user.record("unpaired", of: "unpair \(partner.address)")
            #expect(forgotten["kept"] == .bool(true))
            #expect(try await user.run("bonds").stdout.isEmpty)
            try await user.fails(unpaired, 76, "ATT 0x05 insufficient authentication")
            try await user.fails("unpair \(partner.address)", 68, "there is no bond with it")
        }
    }

    @Test(arguments: ["'Just Works'", "C5:EC:00:00:00:01"])
    func `a bond of another adapter is not reported as missing`(_ device: String) async throws {
        try await user { user in
            _ = try await user.record("paired", of: "pair 'Just Works'")
            let line = "unpair \(device) --simulate-adapter second -i hci1"
            try await user.fails(line, 68, "its bond is with another adapter, 02:00:00:00:00:01")
            try await user.fails(line, 68, "hint: blectl unpair C5:EC:00:00:00:01 --adapter hci0")
            _ = try await user.record("unpaired", of: "unpair \(device)")
        }
    }

    @Test func `the steps of a pairing are records without keys`() async throws {
        try await user { user in
            let run = try await user.run("pair 'Legacy' --json")
            let steps = try run.records().filter { $0["type"] == .string("pairing") }
            #expect(steps.compactMap { $0["step"]?.string } == ["started", "consent", "key", "key", "key", "key"])
            #expect(steps.compactMap { $0["key"]?.string } == ["csrk", "local-csrk", "ltk", "ltk"])
            let revealed = try await user.record("bond", of: "bonds --reveal-keys")
            let secrets = (revealed["secrets"]?.array ?? []).compactMap { $0.object?["value"]?.string }
            #expect(secrets.count == 4 && secrets.allSatisfy { $0.count == 32 })
            for secret in secrets { #expect(!run.stdout.lowercased().contains(secret.lowercased())) }
            let mode = try FileManager.default.attributesOfItem(atPath: user.bondFile)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func `a value refused to a script is read after a pairing, on this link and on the next`() async throws {
        try await user { user in
            let script = user.folder.appending(path: "later.blectl")
            let text = """
                device stranger --name "Just Works" --no-pair
                device box --name "Just Works"
                test "first a stranger, then a friend"
                  read stranger battery-level expect error 0x05
                  disconnect stranger
                  pair box
                  read box battery-level      expect 80
                  disconnect box
                  read box battery-level      expect 80
                """
            try Data((text + "\n").utf8).write(to: script)
            let run = try await user.run("run \(script.path)")
            #expect(run.status == 0, "\(run)")
            // The key of a bond comes first, so that the device has nothing to demand.
            #expect(!run.stderr.contains("demands security"), "\(run.stderr)")
        }
    }

    @Test func `a wrong passkey, a no, and a refusal are failures of the device`() async throws {
        try await user { user in
            for (line, reason) in [
                ("pair 'Passkey Shown' --passkey 111111", "the passkey is wrong (SMP 0x04 confirm value failed)"),
                ("pair 'Passkey Shown'", "(SMP 0x03 authentication requirements)"),
                ("pair Refusing", "the device does not pair (SMP 0x05 pairing not supported)"),
                ("pair 'Out Of Band'", "the out-of-band data is missing (SMP 0x02 OOB not available)"),
                ("pair Legacy --secure-connections only", "(SMP 0x03 authentication requirements)"),
                ("pair 'Just Works' --passkey 271828", "the device shows no digits in this pairing"),
                ("pair Legacy --passkey 271828", "hint: pair without --passkey, if that is good enough"),
            ] { try await user.fails(line, 76, reason) }
            try await user.fails("pair Compare --confirm no", 1, "the answer was no")
            try await user.fails("pair 'Just Works' --confirm no", 1, "the answer was no")
            try await user.fails("pair Compare --confirm 000000", 1, "the answer was no")
            try await user.fails("pair Silent --timeout 1", 124, "no answer within 1 s")
            #expect(!FileManager.default.fileExists(atPath: user.bondFile))
            // A user who agrees to everything also agrees to a device without proof.
            let paired = try await user.record("paired", of: "pair 'Just Works' --passkey 271828 --confirm yes")
            #expect(paired["level"] == .string("medium"))
        }
    }

    // MARK: - Out of band

    private static let outOfBand = (
        confirm: "6a1f3c5e7092b4d8f00112233445566a", random: "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
    )

    private static func data(
        _ confirm: String = outOfBand.confirm,
        _ random: String = outOfBand.random,
        more: String = ""
    ) -> String {
        "{ \"schema\": \"blectl-oob/1\", \(more) \"confirm\": \"\(confirm)\", \"random\": \"\(random)\" }"
    }

    @Test func `out-of-band data prove the device`() async throws {
        try await user { user in
            let file = user.folder.appending(path: "data.json")
            let identity = "\"address\": \"C5:EC:00:00:00:0C\", \"address_type\": \"random\","
            try Data(Self.data(more: identity).utf8).write(to: file)
            let run = try await user.run("pair 'Out Of Band' --oob \(file.path) --json -vv")
            #expect(run.status == 0, "\(run.stderr)")
            let paired = try #require(try run.records().first { $0["type"] == .string("paired") })
            #expect(paired["method"] == .string("out of band") && paired["level"] == .string("fips"))
            for secret in [Self.outOfBand.confirm, Self.outOfBand.random] {
                let sent = stride(from: 30, through: 0, by: -2).map { secret.dropFirst($0).prefix(2) }.joined()
                for text in [secret, sent] { #expect(!(run.stdout + run.stderr).contains(text)) }
            }
            #expect(run.stderr.contains("Remove Remote Out Of Band Data"), "the kernel keeps nothing of it")
            let read = try await user.run("read battery-level -d 'Out Of Band'")
            #expect(read.status == 0 && read.stdout == "91 %\n", "\(read.stderr)")
        }
    }

    @Test func `wrong data disprove it, and damaged ones are refused before anything is sent`() async throws {
        try await user { user in
            let file = user.folder.appending(path: "data.json")
            let other = "6a1f3c5e7092b4d8f00112233445566b"
            let stranger = "\"address\": \"C5:EC:00:00:00:0D\", \"address_type\": \"random\","
            for (text, device, status, part) in [
                (Self.data(other), "'Out Of Band'", Int32(76), "the out-of-band data is wrong (SMP 0x04"),
                (Self.data(Self.outOfBand.confirm, other), "'Out Of Band'", 76, "(SMP 0x04 confirm value failed)"),
                (Self.data(), "Legacy", 76, "its out-of-band data prove nothing"),
                (Self.data(more: stranger), "'Out Of Band'", 65, "is that of C5:EC:00:00:00:0D (random)"),
                (Self.data("00"), "Legacy", 65, "32 hexadecimal digits"),
                (Self.data(String(repeating: "0", count: 32)), "Legacy", 65, "and random must not be all zeros"),
                (Self.data(more: "\"address\": \"x\","), "Legacy", 65, "its address is not valid"),
                ("{}", "Legacy", 65, "it is not JSON with the members"),
                (Self.data().replacing("oob/1", with: "oob/2"), "Legacy", 65, "its schema is not blectl-oob/1"),
                (String(repeating: " ", count: 5_000), "Legacy", 65, "longer than 4096 octets"),
            ] {
                try Data(text.utf8).write(to: file)
                try await user.fails("pair \(device) --oob \(file.path)", status, part)
            }
            try await user.fails("pair Legacy --oob \(user.folder.path)/nowhere", 66, "cannot open")
            #expect(!FileManager.default.fileExists(atPath: user.bondFile))
            for (options, part) in [
                ("Legacy --oob x --passkey 123456", "--oob"),
                ("Legacy --oob x --secure-connections off", "--oob needs Secure Connections"),
                ("Legacy --oob-out x", "--oob-out pairs with no device"), ("--oob x --oob-out y", "--oob"),
                ("--oob-out x --secure-connections off", "--oob-out needs Secure Connections"),
            ] { try await user.fails("pair \(options)", 64, part) }
        }
    }

    @Test func `the data of this machine are in a private file that pair understands`() async throws {
        try await user { user in
            let file = user.folder.appending(path: "own.json")
            try Data("old".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            let run = try await user.run("pair --oob-out \(file.path)")
            #expect(run.status == 0 && run.stdout.isEmpty, "\(run.stderr)")
            #expect(run.stderr.contains("until that is switched off"), "\(run.stderr)")
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            // They are not those of the device.
            try await user.fails("pair 'Out Of Band' --oob \(file.path)", 65, "is that of")
            let text = try String(contentsOf: file, encoding: .utf8)
            let anybodys = text.replacing(#/"address(_type)?" : "[^"]*",/#, with: "")
            try Data(anybodys.utf8).write(to: file)
            try await user.fails("pair 'Out Of Band' --oob \(file.path)", 76, "(SMP 0x04 confirm value failed)")
            try await user.fails("pair --oob-out /nowhere/own.json", 73, "cannot create /nowhere/own.json")
        }
    }

    @Test(arguments: [("Forgetful", "do not agree on a key"), ("Impostor", "MIC failure")])
    func `a device without the key gets no request, and a new pairing helps only briefly`(
        _ name: String,
        _ reason: String
    ) async throws {
        try await user { user in
            _ = try await user.record("paired", of: "pair \(name)")
            try await user.fails("read battery-level -d \(name)", 76, reason)
            let trace = try await user.run("read battery-level -d \(name) -vv")
            #expect(!trace.stderr.contains("Read By Type Request"), "\(trace.stderr)")
            _ = try await user.record("unpaired", of: "unpair \(name)")
            _ = try await user.record("paired", of: "pair \(name)")
        }
    }

    @Test func `a short key is enough for some values, and not for those that demand more`() async throws {
        try await user { user in
            _ = try await user.record("paired", of: "pair 'Short Key'")
            let target = "read manufacturer-name-string -d 'Short Key'"
            try await user.fails(target, 76, "ATT 0x0C encryption key size too short")
            try await user.fails("\(target) --min-key-size 16", 76, "unauthenticated key of 7 octets")
        }
    }

    @Test func `keys that are weaker than demanded are not kept`() async throws {
        try await user { user in
            let reason = "the device agrees only on the level 'medium' and a key of 7 octets"
            try await user.fails("pair 'Short Key' --min-key-size 16", 76, reason)
            #expect(try await user.run("bonds --json").stdout.isEmpty)
            _ = try await user.record("paired", of: "pair 'Short Key'")
        }
    }

    @Test func `a signed write needs no encryption, and each signature has its own number`() async throws {
        try await user { user in
            let write = "write 0xFF51 0x2a --signed -d Legacy"
            try await user.fails(write, 78, "there is no bond with it, and so no key that signs")
            _ = try await user.record("paired", of: "pair Legacy")
            for _ in 1...2 {
                let written = try await user.record("write", of: write)
                #expect(written["procedure"] == .string("signed-write-command") && written["length"] == .integer(1))
                #expect(written["verified"] == .null)
            }
            try await user.fails("\(write) --verify", 64, "hint: leave out --signed")
            let proven = try await user.record("write", of: "\(write) --verify --security medium")
            #expect(proven["procedure"] == .string("write-command") && proven["verified"] == .bool(true))
            let kept = try String(contentsOfFile: user.bondFile, encoding: .utf8)
            #expect(kept.contains("\"counter\" : 2"), "\(kept)")
            let encrypted = try await user.run("\(write) --security medium --json")
            #expect(encrypted.status == 0 && encrypted.stderr.contains("was written without a signature"))
            #expect(try encrypted.records().last?["procedure"] == .string("write-command"))
            #expect(try String(contentsOfFile: user.bondFile, encoding: .utf8) == kept)
            try await user.fails("write battery-level 0x01 --signed -d Legacy", 76, "it accepts no signed write")
            let long = String(repeating: "00", count: 300)
            try await user.fails("write 0xFF51 0x\(long) --signed -d Legacy", 65, "at most 232")
            #expect(try String(contentsOfFile: user.bondFile, encoding: .utf8) == kept)
            _ = try await user.record("paired", of: "pair 'Just Works'")
            try await user.fails("write handle:3 0x01 --signed -d 'Just Works'", 78, "it got no key for signatures")
        }
    }

    @Test func `serving with pairing is refused if no central pairs, or a question has no answer`() async throws {
        try await user { user in
            for (options, part) in [
                ("--io none", "no central of a simulated world pairs"),
                ("--io none", "then --simulate=PATH in this command and in those of the central"),
                ("--security-request", "leave out --io and the other options of pairing"),
                ("--io keyboard", "give --passkey"), ("--io yes-no", "give --confirm"),
                ("--io keyboard --passkey 12", "takes six digits"),
                ("--bondable --no-bondable", "--no-bondable"),
            ] {
                try await user.fails("serve workbench --duration 1 \(options)", 64, part)
            }
            #expect(!FileManager.default.fileExists(atPath: user.bondFile))
        }
    }

    @Test func `the fields of a link show its security`() async throws {
        try await user { user in
            _ = try await user.record("paired", of: "pair Compare --confirm yes")
            let script = user.folder.appending(path: "link.blectl")
            let text = """
                device bonded --device Compare
                device stranger --device Legacy --no-pair
                test "security"
                  read bonded battery-level
                  check bonded level is fips and encrypted is true and authenticated is true
                  check bonded secure_connections is true and key_size == 16 and bonded is true
                  # Without a request in between.
                  disconnect bonded
                  connect bonded
                  check bonded encrypted is true and level is fips
                  connect stranger
                  check stranger level is low and encrypted is false and authenticated is false
                  check stranger secure_connections is false and key_size == 0 and bonded is false
                """
            try Data(text.utf8).write(to: script)
            let run = try await user.run("--simulate-time real run \(script.path)")
            #expect(run.status == 0, "\(run.stdout)\(run.stderr)")
        }
    }

    @Test func `a private address changes every 15 minutes`() async throws {
        let virtual = ["--simulate=security", "--simulate-time", "virtual"]
        let scan = try await Blectl.run(virtual + ["scan", "--name", "Wanderer", "--duration", "2400", "--json"])
        var seen: [String] = []
        for record in try scan.records() {
            guard record["name"] == .string("Wanderer"), let address = record["address"]?.string, address != seen.last
            else { continue }
            seen.append(address)
        }
        #expect(seen.count == 3 && Set(seen).count == 3, "\(seen)")
    }

    @Test func `a device with a private address is known only with the bond`() async throws {
        try await user { user in
            func addresses() async throws -> [[String: JSON]] {
                try await user.run("scan --duration 2 --name Wanderer --json").records()
                    .filter { $0["name"] == .string("Wanderer") }
            }
            let identity = "C5:EC:00:00:00:0A"
            let stranger = try #require(try await addresses().first)
            #expect(stranger["address_kind"] == .string("resolvable") && stranger["address"] != .string(identity))
            try await user.fails("read battery-level -d \(identity) --timeout 1", 68, "was found")
            _ = try await user.record("paired", of: "pair Wanderer")
            let known = try #require(try await addresses().first)
            #expect(known["address"] == .string(identity) && known["address_type"] == .string("random-identity"))
            let passing = try #require(stranger["address"]?.string)
            for device in [identity, passing, "Wanderer"] {
                let read = try await user.run("read battery-level -d \(device) --json")
                #expect(read.status == 0, "\(read.stderr)")
                #expect(try read.records().first?["device"]?.object?["address"] == .string(identity))
            }
            _ = try await user.record("unpaired", of: "unpair Wanderer")
            #expect(try await addresses().first?["address_kind"] == .string("resolvable"))
        }
    }

    @Test func `without a bond nothing is kept, and the record says so`() async throws {
        try await user { user in
            let paired = try await user.record("paired", of: "pair 'Just Works' --no-bond")
            #expect(paired["bonded"] == .bool(false) && paired["kept_by"] == .null)
            #expect(try await user.run("bonds").stdout.isEmpty)
            let told = try await user.run("pair 'Just Works' --no-bond").stdout
            #expect(told.hasSuffix("keys not kept, because no bond is wanted\n"), "\(told)")
        }
        let virtual = ["--simulate=security", "--simulate-time", "virtual", "pair", "Just Works"]
        let run = try await Blectl.run(virtual)
        #expect(
            run.status == 0 && run.stdout.hasSuffix("not kept, because virtual time ends with the command\n"),
            "\(run.stdout)"
        )
    }

    @Test func `another world lacks the devices, and other files may stand beside it`() async throws {
        #expect(try await Blectl.simulate("read battery-level -d 'Just Works' --timeout 1").status == 68)
        let virtual = ["--simulate=security", "--simulate-time", "virtual"]
        let scan = try await Blectl.run(virtual + ["scan", "--duration", "3", "--json"])
        let addresses = Set(try scan.records().compactMap { $0["address"]?.string })
        #expect(addresses.filter { $0.hasPrefix("C5:EC:00:00:00:") }.count == 11)
        #expect(addresses.count == 12, "the twelfth has a private address")
    }
}
