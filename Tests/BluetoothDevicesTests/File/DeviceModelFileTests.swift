// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@testable import BluetoothDevices

/// Where the format of a characteristic depends on the model of the device, the services in a file tell the model.
@Suite("The model of a device in its file")
struct DeviceModelFileTests {
    private static func uuid(_ short: String) -> String { "f000\(short)-0451-4000-b000-000000000000" }

    private func read(_ mark: String, _ value: String) throws -> DeviceDefinition {
        let text = """
            {"schema": "blectl-device/1", "services": [
              {"uuid": "\(Self.uuid("aa00"))", "characteristics": [
                {"uuid": "\(Self.uuid("aa01"))", "properties": ["read"], "value": \(value)}]},
              {"uuid": "\(mark)"}]}
            """
        return try DeviceFile.read(Array(text.utf8), named: "tag.json")
    }

    private func value(_ device: DeviceDefinition) -> DeviceValue? { device.services[0].characteristics[0].value }

    @Test func `fields are those of the model`() throws {
        let plain = #"{"object_c": 21.75, "ambient_c": 22.375}"#
        let second = try read(Self.uuid("aa80"), plain)
        #expect(value(second) == .octets(octets("e00a300b")))
        let first = try read(Self.uuid("aa10"), plain)
        #expect(value(first) != value(second))
        let named = try read("fff0", #"{"cc2650": \#(plain)}"#)
        #expect(value(named) == .octets(octets("e00a300b")))
    }

    @Test func `fields are written as they are read, with and without generators`() throws {
        let values = [
            #"{"object_c": 21.75, "ambient_c": 22.375}"#, #"{"object_c": 21.75, "ambient_c": {"random": [20, 24]}}"#,
        ]
        for mark in ["aa80", "aa10"] {
            for value in values {
                let device = try read(Self.uuid(mark), value)
                let text = DeviceFile.text(of: device)
                #expect(text.contains(#""object_c": 21.7"#) && !text.contains("cc2"), "\(text)")
                #expect(try DeviceFile.read(Array(text.utf8), named: "tag.json") == device)
            }
        }
        let unknown = DeviceFile.text(of: try read("fff0", #""0xe00a300b""#))
        #expect(unknown.contains(#""0xe00a300b""#), "\(unknown)")
    }

    @Test func `fields without a model are a fault, and a number that does not fit is one at its place`() throws {
        func faults(_ mark: String, _ value: String) -> String {
            do {
                _ = try read(mark, value)
                return ""
            } catch {
                return "\(error)"
            }
        }
        let unknown = faults("fff0", #"{"object_c": 21, "ambient_c": 22}"#)
        #expect(unknown.contains("cc2541, cc2650"), "\(unknown)")
        let large = faults(Self.uuid("aa80"), #"{"object_c": 2100, "ambient_c": 22}"#)
        #expect(large.contains("value.object_c") && large.contains("2100"), "\(large)")
    }
}
