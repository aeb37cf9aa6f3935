// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Encrypted advertisements, with and without the file of `--keys`.
@Suite("Keys of advertisements", .startsPrograms())
struct AdvertisingKeysTests {
    /// The examples of bthome.io, of `victron-ble`, and of the Core Specification Supplement 11, Part A, 2.3.1.
    private static let world = """
        {
          "schema": "blectl-world/1",
          "devices": [
            { "address": "54:48:E6:8F:80:A5", "address_type": "public", "advertising": [ { "type": "non-connectable",
              "data": { "service_data": [ { "uuid": "0xFCD2", "data": "41a47266c95f730011223378237214" } ] } } ] },
            { "address": "F0:00:00:00:00:01", "advertising": [ { "type": "non-connectable", "data": { "manufacturer":
              [ { "company": "0x02E1", "data": "100242a0016207adceb37b605d7e0ee21b24df5c" } ] } } ] },
            { "address": "F0:00:00:00:00:02", "advertising": [ { "type": "non-connectable",
              "data": "1e3118e157cade74e4dcafdc51c7282810c2217f0e4cef4343181fba0069cc" } ] },
            { "address": "F0:00:00:00:00:03", "advertising": [ { "type": "scannable",
              "data": { "manufacturer": [ { "company": "0x0969", "data": "d03234351e4d5d0305963700" } ] },
              "scan_response": { "service_data": [ { "uuid": "0xFD3D", "data": "770064" } ] } } ] }
          ]
        }
        """

    private static let secrets = [
        "231d39c1d7cc1ab1aee224cd096db932", "adeccb947395801a4dd45a2eaa44bf17", "57a9da12d12e6e131e20612ad10a6a19",
        "9e7a00efb17ae746",
    ]

    private static let keys = """
        {
          "schema": "blectl-keys/1",
          "devices": [
            { "address": "54:48:E6:8F:80:A5", "key": "\(secrets[0])" },
            { "address": "F0:00:00:00:00:01", "key": "\(secrets[1])" },
            { "address": "F0:00:00:00:00:02", "session_key": "\(secrets[2])", "iv": "\(secrets[3])" }
          ]
        }
        """

    /// Scans the world with a key file.
    private func scan(
        _ options: String...,
        keys: String? = Self.keys,
        mode: Int = 0o600,
        byConfiguration: Bool = false
    ) async throws -> BlectlRun {
        try await TemporaryFolder.use { folder in
            let world = folder.appending(path: "world.json")
            try Data(Self.world.utf8).write(to: world)
            let own = folder.appending(path: "blectl")
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            let file = own.appending(path: "keys.json")
            if let keys {
                try Data(keys.utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            }
            let named = keys == nil || byConfiguration ? [] : ["--keys", file.path]
            let run = try await Blectl.run(
                ["--simulate=\(world.path)", "--simulate-time", "virtual", "scan", "--duration", "5"] + named + options,
                environment: ["XDG_CONFIG_HOME": folder.path]
            )
            // Whatever happens, no output has a key.
            for secret in Self.secrets {
                for part in [secret, String(secret.prefix(10)), String(secret.suffix(10)), secret.uppercased()] {
                    #expect(!run.stdout.contains(part) && !run.stderr.contains(part), "\(run)")
                }
            }
            return run
        }
    }

    @Test func `with their keys, advertisements are decrypted, and a name in them counts`() async throws {
        for byConfiguration in [false, true] {
            let run = try await scan(byConfiguration: byConfiguration)
            #expect(run.status == 0, "\(run)")
            #expect(run.stdout.contains("BTHome 25.06 °C, 50.55 %\n"), "\(run)")
            let charger = "Victron solar charger absorption battery 13.88 V 1.4 A today 0.03 kWh solar 19 W"
            #expect(run.stdout.contains(charger), "\(run)")
            #expect(run.stdout.contains("Short Mini-Bus  decrypted "), "\(run)")
            #expect(!run.stderr.contains("other users"), "\(run)")
        }
        let named = try await scan("--name", "Short*", "--count", "1")
        #expect(named.status == 0 && named.stdout.contains("F0:00:00:00:00:02"), "\(named)")
    }

    @Test func `records tell whether there was a key, and whether it fitted`() async throws {
        func decryptions(_ run: BlectlRun) throws -> [String: JSON] {
            var found: [String: JSON] = [:]
            for record in try run.records() {
                #expect(RecordCheck.problems(of: record).isEmpty)
                guard let beacon = record["beacon"]?.object, let kind = beacon["kind"]?.string else { continue }
                if let outcome = beacon["decryption"] {
                    found[kind] = outcome
                    #expect(beacon["encrypted"] == .bool(true))
                }
            }
            return found
        }
        let kinds = ["bthome", "victron", "encrypted-data"]
        func all(_ outcome: String) -> [String: JSON] {
            Dictionary(uniqueKeysWithValues: kinds.map { ($0, JSON.string(outcome)) })
        }
        let opened = try await scan("--json", "--duplicates", "-vv")
        #expect(try decryptions(opened) == all("decrypted"))
        let summary = try await scan("--json", "--summary")
        #expect(try decryptions(summary) == all("decrypted"))
        #expect(try decryptions(await scan("--json", keys: nil)) == all("no-key"))
        let wrong = [("39c1", "39c2"), ("adec", "aeec"), ("57a9", "57a8")].reduce(Self.keys) { text, change in
            text.replacingOccurrences(of: change.0, with: change.1)
        }
        let refused = try await scan("--json", keys: wrong)
        #expect(try decryptions(refused) == all("wrong-key"))
        let text = try await scan(keys: wrong)
        for title in ["BTHome, encrypted", "Victron solar charger, encrypted", "encrypted data"] {
            #expect(text.stdout.contains("\(title), the key does not fit"), "\(text)")
        }
        #expect(text.status == 0)
    }

    @Test func `a sensor that sends its model in the scan response is decoded as a whole`() async throws {
        let records = try await scan("--json", "--duplicates", keys: nil).records()
        let beacons = records.compactMap { $0["beacon"]?.object }.filter { $0["kind"] == .string("switchbot") }
        let last = try #require(beacons.last)
        #expect(last["temperature_c"] == .number(22.5))
        #expect(last["battery_percent"]?.integer == 100)
        // Both packets know of each other as soon as both have been heard.
        #expect(beacons.dropFirst().allSatisfy { $0["temperature_c"] == .number(22.5) })
    }

    @Test func `a file that other users can read is noted`() async throws {
        for (mode, isNoted) in [(0o600, false), (0o400, false), (0o644, true), (0o620, true)] {
            let run = try await scan(mode: mode)
            #expect(run.status == 0)
            #expect(run.stderr.contains("other users may read the keys in ") == isNoted, "\(run)")
            #expect(run.stderr.contains("chmod 600 ") == isNoted, "\(run)")
        }
    }

    @Test func `a faulty file ends the command, and its errors quote no key`() async throws {
        let (key, vector) = (Self.secrets[0], Self.secrets[3])
        let faulty = [
            ("\"key\": \"\(key)0\"", "expected 32 hex digits"), ("\"key\": \(key)", "is not a number"),
            ("\"key\": \"\(key.dropLast())x\"", "expected 32 hex digits"), ("\"\(key)\": 1", "unknown key"),
            ("\"key\": [\"\(key)\"]", "expected 32 hex digits"), ("\"session_key\": \"\(key)\"", "belong together"),
            ("\"iv\": \"\(vector)\"", "belong together"), ("\"label\": \"\(key)\"", "unknown key"),
            ("\"key\": \"\(key)\", \"key\": \"\(key)\"", "occurs twice"),
            ("\"key\": '\(key)", "the text has no end"),
        ]
        for (member, message) in faulty {
            let file = """
                { "schema": "blectl-keys/1", "devices": [
                  { "address": "54:48:E6:8F:80:A5", \(member) } ] }
                """
            for byConfiguration in [false, true] {
                let run = try await scan(keys: file, byConfiguration: byConfiguration)
                #expect(run.status == (byConfiguration ? 78 : 65), "\(run)")
                #expect(run.stderr.contains("keys.json:2"), "\(run)")
                #expect(run.stderr.contains(message), "\(message): \(run)")
                #expect(run.stdout.isEmpty)
            }
        }
        let bare = try await scan(keys: "{ \"schema\": \"blectl-keys/1\", \"devices\": [{\"address\": \"\(key)\"}] }")
        #expect(bare.status == 65 && bare.stderr.contains("expected an address"), "\(bare)")
        let twice = """
            { "schema": "blectl-keys/1", "devices": [
              { "address": "54:48:E6:8F:80:A5", "key": "\(key)" },
              { "address": "54:48:E6:8F:80:A5", "key": "\(key)" } ] }
            """
        #expect(try await scan(keys: twice).stderr.contains("two devices 54:48:E6:8F:80:A5"))
        let missing = try await Blectl.run(["--simulate", "scan", "--keys", "/nonexistent/keys.json"])
        #expect(missing.status == 66, "\(missing)")
    }
}
