// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothProfiles
import Testing

@Suite("Format files")
struct FormatFileTests {
    private func faults(_ text: String) -> [String] {
        do throws(DeviceFileErrors) {
            _ = try FormatFile.read(Array(text.utf8), named: "f.json")
            return []
        } catch {
            return error.errors.map(\.description)
        }
    }

    /// A file with one characteristic with these fields, the first on line 3.
    private func file(_ fields: String) -> String {
        """
        {"schema": "blectl-formats/1", "characteristics": [{"uuid": "0xFFE1", "name": "Keys",
         "fields": [
        \(fields)
        ]}]}
        """
    }

    private func text(_ fields: String, _ octets: String) throws -> String {
        let catalogue = try FormatFile.read(Array(file(fields).utf8), named: "f.json")
        let format = try #require(catalogue.format(of: 0xFFE1))
        let octets = try #require(Hex.bytes(octets))
        let value = try format.decode(octets)
        #expect(try format.encode(value.content) == octets)
        return value.text
    }

    @Test(arguments: [
        (#"{"name": "t", "type": "s16", "scale": 0.01, "unit": "celsius"}"#, "9cff", "-1 °C"),
        (#"{"name": "t", "type": "u8", "scale": 2, "binary_exponent": -3, "offset": 1}"#, "04", "2"),
        (#"{"name": "m", "type": "u8", "values": {"0x10": "low", "17": "high"}}"#, "11", "high"),
        (#"{"name": "a", "type": "u16be"}, {"name": "b", "type": "s24be"}"#, "0102fffffe", "a 258, b -2"),
        (
            #"{"name": "a", "type": "s32be"}, {"name": "b", "type": "s48"}"#, "fffffffe010000000080",
            "a -2, b -140737488355327"
        ),
        (#"{"name": "a", "type": "s64"}, {"name": "b", "type": "u24be"}"#, "ffffffffffffffff010203", "a -1, b 66051"),
        (#"{"name": "m", "type": "u8", "bits": ["a", "", "c"]}"#, "05", "a + c"),
        (#"{"name": "n", "type": "u16", "repeat": true, "unit": "mV"}"#, "01000200", "1 2 mV"),
        (#"{"name": "x", "type": "u8", "special": {"255": "not known"}}"#, "ff", "not known"),
        (#"{"name": "s", "type": "text", "octets": 2}, {"name": "h", "type": "hex"}"#, "4869beef", "s Hi, h beef"),
        (
            #"{"flags": "u8", "parts": [{"name": "on", "bit": 7}]}, {"name": "a", "type": "u8", "if": {"set": 0}}"#,
            "8105", "on yes, a 5"
        ),
        (
            #"{"skip": 2}, {"name": "l", "fields": [{"name": "x", "type": "u8"}, {"name": "y", "type": "u8"}]}"#,
            "000001020304", "x 1, y 2 + x 3, y 4"
        ),
        (#"{"name": "t", "type": "date-time"}"#, "ea070b160a0000", "2026-11-22T10:00:00"),
        (#"{"name": "a", "type": "u8"}, {"name": "b", "type": "u8", "optional": true}"#, "01", "a 1"),
    ])
    func `fields decode and encode`(_ fields: String, _ octets: String, _ expected: String) throws {
        #expect(try text(fields, octets) == expected)
    }

    @Test func `names of services and characteristics are read`() throws {
        let text = """
            {
              "schema": "blectl-formats/1",
              "services": [{"uuid": "0xFFE0", "name": "Simple Keys"}],
              "characteristics": [{"uuid": "0xFFE1", "name": "Key State", "service": "0xFFE0"}]
            }
            """
        let catalogue = try FormatFile.read(Array(text.utf8), named: "f.json")
        #expect(catalogue.services == [.init(0xFFE0, "Simple Keys")])
        #expect(catalogue.name(ofCharacteristic: 0xFFE1) == "Key State")
        #expect(catalogue.service(ofCharacteristic: 0xFFE1) == 0xFFE0)
    }

    @Test(arguments: [
        (#"{"name": "a"}"#, "f.json:3: characteristics[0].fields[0]: it needs the member 'type' or 'fields'"),
        (
            #"{"name": "a", "type": "u8", "octets": 2}"#,
            "f.json:3: characteristics[0].fields[0].octets: u8 has no 'octets'"
        ),
        (
            #"{"name": "a", "type": "text", "scale": 2}"#,
            "f.json:3: characteristics[0].fields[0].scale: text has no 'scale'"
        ),
        (
            #"{"name": "a", "type": "u8", "values": {"x": "y"}}"#,
            "f.json:3: characteristics[0].fields[0].values.x: 'x' is not a whole number from 0, in decimal or with 0x"
        ),
        (
            #"{"name": "a", "type": "u8", "values": {"1": "y", "0x1": "z"}}"#,
            #"f.json:3: characteristics[0].fields[0].values.0x1: the number 1 occurs twice"#
        ),
        (
            #"{"word": "u8", "parts": [{"name": "a", "bits": [3, 2]}]}"#,
            "f.json:3: characteristics[0].fields[0].parts[0]: it needs 'bit', or 'bits' with the lowest and the highest one"
        ),
        (
            #"{"word": "u8", "parts": [{"name": "a", "bits": [0, 8]}]}"#,
            "f.json:3: characteristics[0].fields[0].parts[0]: u8 has the bits 0 to 7"
        ),
        (
            #"{"name": "a", "fields": [{"name": "b", "type": "u8"}, {"name": "b", "type": "u8"}]}"#,
            "f.json:3: characteristics[0].fields[0].fields[1]: two fields have the key 'b'"
        ),
        (
            #"{"name": "a", "type": "u9"}"#,
            "f.json:3: characteristics[0].fields[0].type: expected 'u8', 'u16', 'u24', 'u32', 'u48', 'u64', 's8', 's16', 's24', 's32', 's48', 's64', 'u16be', 'u24be', 'u32be', 's16be', 's24be', 's32be', 'sfloat', 'medfloat32', 'f32', 'text', 'hex', 'date-time', 'date', 'address' or 'uuid', found 'u9'; did you mean 'u8'?"
        ),
    ])
    func `a fault has its line, its path and its reason`(_ fields: String, _ expected: String) {
        #expect(faults(file(fields)).first == expected)
    }

    @Test func `all faults of a file are reported`() {
        let text = """
            {
              "schema": "blectl-formats/1",
              "services": [{"uuid": "0xFFE0", "name": "A"}, {"uuid": "0xFFE0", "name": "-"}],
              "characteristics": [
                {"uuid": "0xFFE1", "name": "A", "fields": [{"name": "x", "type": "u8", "if": {"set": 0}}]},
                {"uuid": "0xFFE1", "name": "B"}
              ]
            }
            """
        #expect(
            faults(text) == [
                "f.json:3: services[1].name: the name '-' has neither a letter nor a digit",
                "f.json:5: characteristics[0].fields[0]: it depends on flags, and there are none before it",
                "f.json:6: characteristics[1]: there are two characteristics 0xFFE1",
            ]
        )
    }

    @Test(arguments: ["", "{", "[]", "null", "{\"schema\": \"blectl-device/1\"}", "{\"schema\": \"blectl-formats/2\"}"])
    func `other files are refused`(_ text: String) {
        #expect(!faults(text).isEmpty)
    }
}
