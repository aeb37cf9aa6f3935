// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@testable import BluetoothDevices

@Suite("Numbers that follow others")
struct FollowerTests {
    /// A temperature that moves towards its target by a degree in ten seconds, and is sent every ten seconds.
    private static let thermostat = """
        {"schema": "blectl-device/1", "label": "thermostat", "services": [{"uuid": "ff00", "characteristics": [
            {"uuid": "ff01", "properties": ["read", "notify"], "every": "10 s",
             "value": {"follows": "target", "from": "s16", "rate": 0.1, "start": 15, "as": "s16"}},
            {"uuid": "ff02", "label": "target", "properties": ["read", "write"], "value": {"number": 18, "as": "s16"}},
            {"uuid": "ff03", "properties": ["read"],
             "value": {"follows": "target", "from": "s16", "factor": 1.8, "offset": 32, "as": "u8"}}
        ]}]}
        """

    private static func read(_ text: String) throws -> DeviceDefinition {
        try DeviceFile.read(Array(text.utf8), named: "x.json")
    }

    private static func device(_ characteristics: String) -> String {
        """
        {"schema": "blectl-device/1", "label": "x", "services": [{"uuid": "ff00", "characteristics": [\(characteristics)]}]}
        """
    }

    @Test func `a number with a rate moves towards the one that it follows, and others are it at once`() throws {
        var bench = try DeviceBench(try Self.read(Self.thermostat))
        #expect(try bench.read(0xFF01) == "0f00" && bench.read(0xFF03) == "40")
        bench.run(for: .seconds(20))
        #expect(try bench.read(0xFF01) == "1100")
        // It arrives, and nobody looks for an hour. A new target counts from the write and not from the last look.
        bench.run(for: .seconds(3_600))
        #expect(try bench.write(0xFF02, "1c00") == "ok")
        #expect(try bench.read(0xFF01) == "1200" && bench.read(0xFF03) == "52")
        bench.run(for: .seconds(50))
        #expect(try bench.read(0xFF01) == "1700")
        // Back before it has arrived.
        #expect(try bench.write(0xFF02, "1500") == "ok")
        try bench.subscribe(0xFF01)
        #expect(bench.run(for: .seconds(31)).map(\.what) == ["1600", "1500", "1500"])
        // -4 degrees.
        #expect(try bench.write(0xFF02, "fcff") == "ok" && bench.read(0xFF03) == "19")
    }

    @Test func `it begins again when the device does, and goes on in another database`() throws {
        var definition = try Self.read(Self.thermostat)
        var characteristics = definition.services[0].characteristics
        characteristics.insert(DeviceCharacteristic(0xFF09, .read, value: .octets([9])), at: 0)
        definition.databases["other"] = [DeviceService(definition.services[0].uuid, characteristics: characteristics)]
        definition.services[0].characteristics.append(
            DeviceCharacteristic(
                0xFF04,
                .write,
                onWrite: [WriteRule([.equals([1])], [.database("other")]), WriteRule([], [.restart])]
            )
        )
        var bench = try DeviceBench(definition)
        #expect(try bench.write(0xFF02, "1400") == "ok")
        bench.run(for: .seconds(20))
        #expect(try bench.write(0xFF04, "01") == "ok")
        bench.run(for: .seconds(10))
        try bench.look(in: "other")
        #expect(try bench.read(0xFF01) == "1200" && bench.read(0xFF02) == "1400")
        try bench.look(in: nil)
        bench = try DeviceBench(definition)
        #expect(try bench.write(0xFF02, "1400") == "ok")
        bench.run(for: .seconds(20))
        #expect(try bench.write(0xFF04, "02") == "ok")
        bench.disconnect()
        bench.run(for: .seconds(4))
        bench.connect()
        #expect(try bench.read(0xFF01) == "0f00" && bench.read(0xFF02) == "1200")
    }

    @Test func `a field of an assigned characteristic is followed, within the limits of the format`() throws {
        let text = Self.device(
            """
            {"uuid": "battery-level", "properties": ["read"], "value": {"follows": "ff02", "as": "u8"}},
            {"uuid": "ff02", "properties": ["write"], "value": "0x64"},
            {"uuid": "2A37", "properties": ["write"], "value": "hex:08480500"},
            {"uuid": "ff03", "properties": ["read"], "value": {"follows": "2A37", "field": "energy_expended_kj", "as": "u16"}},
            {"uuid": "2A6F", "properties": ["read"], "value": {"follows": "ff02", "factor": 100}}
            """
        )
        var bench = try DeviceBench(try Self.read(text))
        #expect(try bench.read(0x2A19) == "64" && bench.write(0xFF02, "ff01") == "ok")
        // 511 is the number in two octets, and 255 the largest of one.
        #expect(try bench.read(0x2A19) == "ff")
        #expect(try bench.read(0xFF03) == "0500")
    }

    @Test func `the file is written as it is read`() throws {
        let definition = try Self.read(Self.thermostat)
        let again = try DeviceFile.read(Array(DeviceFile.text(of: definition).utf8), named: "y.json")
        #expect(again == definition)
        let follower = definition.services[0].characteristics[0].value?.followers.first
        #expect(
            follower
                == NumberFollower(
                    .label("target"),
                    format: try ValueFormat("s16"),
                    rate: DecimalNumber("0.1"),
                    start: DecimalNumber(15)
                )
        )
    }

    @Test(arguments: [
        (
            #"{"follows": "nothing", "as": "u8"}"#,
            "'nothing' is neither a UUID nor the assigned name of a characteristic"
        ),
        (#"{"follows": "ff02", "rate": 0, "as": "u8"}"#, "expected a number greater than 0, found 0"),
        (#"{"follows": "ff02", "start": 1, "as": "u8"}"#, "the first number is used by 'rate', which is missing"),
        (#"{"follows": "ff03", "as": "u8"}"#, "cannot follow '0xFF03', which is not one number that somebody sets"),
        (#"{"follows": "ff01", "as": "u8"}"#, "cannot follow '0xFF01', which is not one number that somebody sets"),
        (#"{"follows": "2A37", "as": "u8"}"#, "cannot follow 'heart-rate-measurement', which is not one number"),
        (
            #"{"follows": "2A37", "field": "energy", "as": "u8"}"#,
            "cannot follow 'heart-rate-measurement', which is not one number"
        ),
    ]) func `what cannot be followed is an error of the file`(value: String, message: String) {
        let text = Self.device(
            """
            {"uuid": "ff01", "properties": ["read"], "value": \(value)},
            {"uuid": "ff02", "properties": ["write"], "value": "0x01"},
            {"uuid": "ff03", "properties": ["read"], "value": {"counter": 1, "as": "u8"}},
            {"uuid": "2A37", "properties": ["write"], "value": "hex:08480500"}
            """
        )
        #expect { try Self.read(text) } throws: { "\($0)".contains(message) }
    }

    @Test func `an action takes the number of its moment`() throws {
        func text(_ rate: String) -> String {
            Self.device(
                """
                {"uuid": "ff01", "properties": ["read", "notify"], "value": "0x00"},
                {"uuid": "ff02", "properties": ["read", "write"], "value": "0x01"},
                {"uuid": "ff03", "properties": ["write"], "on_write": [{"else": true, "do":
                    {"set": "ff01", "value": {"follows": "ff02", "factor": 2, \(rate) "as": "u8"}}}]}
                """
            )
        }
        var bench = try DeviceBench(try Self.read(text("")))
        #expect(try bench.write(0xFF03, "00") == "ok" && bench.read(0xFF01) == "02")
        #expect(try bench.write(0xFF02, "07") == "ok" && bench.read(0xFF01) == "02")
        #expect(try bench.write(0xFF03, "00") == "ok" && bench.read(0xFF01) == "0e")
        #expect { try Self.read(text(#""rate": 1,"#)) } throws: { "\($0)".contains("without 'rate'") }
    }
}
