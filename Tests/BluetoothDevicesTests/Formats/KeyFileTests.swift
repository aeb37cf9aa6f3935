// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothDevices

@Suite("Key files")
struct KeyFileTests {
    private static let key = "000102030405060708090a0b0c0d0e0f"

    private func read(_ devices: String) throws -> AdvertisingKeys {
        let text = "{schema: 'blectl-keys/1', devices: [\(devices)]}"
        return try KeyFile.read(Array(text.utf8), named: "keys.json")
    }

    @Test func `a device has a key, key material, or both`() throws {
        let keys = try read(
            """
            {address: 'C8:4B:1D:3A:90:5E', key: '\(Self.key)'},
            {address: 'C8:4B:1D:3A:90:5F', session_key: '\(Self.key)', iv: '0001020304050607'},
            {address: 'C8:4B:1D:3A:90:60', key: '\(Self.key)', session_key: '\(Self.key)', iv: '0001020304050607'}
            """
        )
        let key = try #require(SecurityKey(octets: Array(0..<16)))
        let material = EncryptedDataKeyMaterial(sessionKey: key, vector: Array(0..<8))
        let first = try #require(BluetoothAddress("C8:4B:1D:3A:90:5E"))
        #expect(keys[first] == .init(key: key))
        #expect(keys[BluetoothAddress(rawValue: first.rawValue + 1)] == .init(material: material))
        #expect(keys[BluetoothAddress(rawValue: first.rawValue + 2)] == .init(key: key, material: material))
        #expect(keys[BluetoothAddress(rawValue: first.rawValue + 3)] == nil)
        #expect(!keys.isEmpty)
        #expect(try read("").isEmpty)
        var dump = ""
        Swift.dump(keys, to: &dump)
        #expect(!dump.contains("\(key.value)") && dump.contains("(hidden)"))
    }

    @Test func `a fault has its line and its path, and no part of a key`() throws {
        let texts = [
            "{}", "[]", "{schema: 'blectl-keys/2', devices: []}", "{schema: 'blectl-keys/1'}",
            "{schema: 'blectl-keys/1', devices: {'\(Self.key)': '\(Self.key)'}}",
            "{schema: 'blectl-keys/1', devices: ['\(Self.key)']}", "{schema: '\(Self.key)', devices: []}",
            "\(Self.key)",
            "{schema: 'blectl-keys/1', devices: [], '\(Self.key)': 1}", "{\(Self.key): 1}", "'\(Self.key)'",
            "{schema: 'blectl-keys/1', devices: [{address: '\(Self.key)', key: '12'}]}",
            "{schema: 'blectl-keys/1', devices: [{address: 'C8:4B:1D:3A:90:5E'}]}",
            "{schema: 'blectl-keys/1', devices: [{address: 'C8:4B:1D:3A:90:5E', key: '00:01:02:03'}]}",
            "{schema: 'blectl-keys/1', devices: [{address: 'C8:4B:1D:3A:90:5E', key: 0x\(Self.key.prefix(16))}]}",
        ]
        for text in texts {
            let error = #expect(throws: DeviceFileErrors.self, "\(text)") {
                _ = try KeyFile.read(Array(text.utf8), named: "keys.json")
            }
            let description = try #require(error).description
            #expect(description.hasPrefix("keys.json:1"), "\(description)")
            for part in ["0001", "0203", "01:02", "0e0f"] { #expect(!description.contains(part), "\(description)") }
        }
    }
}
