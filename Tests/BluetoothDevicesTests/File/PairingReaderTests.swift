// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothDevices

@Suite("How a device pairs, in its file")
struct PairingReaderTests {
    private static func read(_ pairing: String, _ more: String = "") throws -> DevicePairing? {
        let text = #"{ "schema": "blectl-device/1", "label": "x", "pairing": \#(pairing)\#(more) }"#
        return try DeviceFile.read(Array(text.utf8), named: "x.json").pairing
    }

    @Test func `every member can be given, and none is required`() throws {
        #expect(try DeviceFile.read(Array(#"{ "schema": "blectl-device/1" }"#.utf8), named: "x.json").pairing == nil)
        #expect(try Self.read("{}") == DevicePairing())
        let octets = "000102030405060708090a0b0c0d0e0f"
        let pairing = try #require(
            try Self.read(
                """
                { "io": "keyboard-display", "authentication": "required", "secure_connections": "only",
                  "passkey": "001234", "key_size": 7, "bonding": "other-key", "signing": true,
                  "silent_at": "confirmation", "private_address": "2 min",
                  "out_of_band": { "hash": "\(octets)", "random": "\(octets)" } }
                """
            )
        )
        var expected = DevicePairing()
        expected.capability = .keyboardDisplay
        expected.needsAuthentication = true
        expected.secureConnections = .only
        expected.passkey = 1_234
        expected.maximumKeySize = 7
        expected.bonding = .otherKey
        expected.signs = true
        expected.silence = .confirmation
        expected.addressLife = .seconds(120)
        let key = try #require(SecurityKey(octets: Array(0...15)))
        expected.outOfBand = DevicePairing.OutOfBand(hash: key, random: key)
        #expect(pairing == expected)
    }

    @Test func `a reason is a name of the specification or a number, and an address lives 15 minutes`() throws {
        #expect(try Self.read(#"{ "refuses": "repeated-attempts" }"#)?.refusal == .repeatedAttempts)
        #expect(try Self.read(#"{ "refuses": "oob-not-available" }"#)?.refusal == .outOfBandNotAvailable)
        #expect(try Self.read(#"{ "refuses": 66 }"#)?.refusal == PairingFailure(rawValue: 0x42))
        #expect(Set(DeviceWords.pairingFailures.map(\.name)).count == 16)
        #expect(try Self.read(#"{ "private_address": true }"#)?.addressLife == .seconds(900))
    }

    @Test(arguments: [
        (#"{ "passkey": "12345" }"#, "", "pairing.passkey"),
        (#"{ "io": "display", "passkey": "12345x" }"#, "", "six digits"),
        (#"{ "passkey": "123456" }"#, "", "without input and output"), (#"{ "io": "voice" }"#, "", "keyboard-display"),
        (#"{ "key_size": 6 }"#, "", "from 7 to 16"), (#"{ "key_size": 17 }"#, "", "from 7 to 16"),
        (#"{ "refuses": "no-reason" }"#, "", "pairing.refuses"), (#"{ "refuses": 0 }"#, "", "pairing.refuses"),
        (#"{ "silent_at": "keys", "refuses": 1 }"#, "", "is not silent"),
        (#"{ "private_address": false }"#, "", "pairing.private_address"),
        (#"{ "private_address": "12 h" }"#, "", "pairing.private_address"),
        (#"{ "out_of_band": { "hash": "00", "random": "00" } }"#, "", "32 hex digits"),
        (
            #"{ "secure_connections": "off", "out_of_band": { "hash": "000102030405060708090a0b0c0d0e0f", "random": "000102030405060708090a0b0c0d0e0f" } }"#,
            "", "which are off"
        ),
        ("{}", #", "limits": { "security": "bonded" }"#, "leave one of them out"), ("true", "", "pairing"),
    ])
    func `contradictions are reported`(_ pairing: String, _ more: String, _ part: String) throws {
        do {
            _ = try Self.read(pairing, more)
            Issue.record("it was read: \(pairing)")
        } catch let error as DeviceFileErrors {
            #expect(error.errors.contains { "\($0.path) \($0.message)".contains(part) }, "\(error.errors)")
        }
    }

    @Test func `the world of security has twelve devices that a file can express`() throws {
        let world = try #require(BuiltInWorld.named("security"))
        let devices = try WorldFile.read(Array(world.text.utf8), named: "security.json", WorldFile.Sources()).devices
        #expect(devices.count == 12 && devices.allSatisfy { $0.pairing != nil && !$0.summary.isEmpty })
        #expect(devices.map(\.address.address.rawValue) == (1...12).map { 0xC5EC_0000_0000 + $0 })
        #expect(Set(devices.map(\.label)).isDisjoint(with: BuiltInDevice.all.map(\.label)))
        for device in devices {
            let text = DeviceFile.text(of: device)
            #expect(try DeviceFile.read(Array(text.utf8), named: "written.json") == device)
        }
        #expect(BuiltInWorld.named("default") == nil && BuiltInWorld.all.count == 1)
    }
}
