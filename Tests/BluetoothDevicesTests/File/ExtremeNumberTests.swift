// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothDevices

/// The schema reports a number that is out of range, and the builder goes on with it to find further faults.
@Suite("Extreme numbers in files")
struct ExtremeNumberTests {
    /// The ends of an integer of 64 bits, and numbers beyond it.
    private static let extremes = [
        "9223372036854775807", "-9223372036854775808", "1e30", "-1e30", "1e1000", "-1e1000",
    ]

    /// Members of a device whose numbers are written as `NUMBER`.
    private static let members: [String] = [
        #""appearance": NUMBER"#,
        #"""
        "limits": {"mtu": NUMBER, "prepared_writes": NUMBER, "connections": NUMBER, "data_length": NUMBER,
        "packets_per_event": NUMBER}
        """#,
        #""signal": {"rssi": NUMBER, "second_rssi": NUMBER, "movement": {"to": NUMBER, "over": "1 s"}}"#,
        #""pairing": {"key_size": NUMBER, "refuses": NUMBER}"#,
        #"""
        "channels": [{"psm": 128, "does": "source", "octets": NUMBER, "mtu": NUMBER, "mps": NUMBER,
        "credits": NUMBER, "connections": NUMBER}, {"psm": NUMBER, "does": "echo"}]
        """#,
        #"""
        "advertising": [{"type": "extended", "sid": NUMBER, "tx_power": NUMBER, "data": {"tx_power": NUMBER,
        "appearance": NUMBER, "manufacturer": [{"company": NUMBER, "data": "01"}]}}]
        """#,
        #"""
        "advertising": [{"data": {"ibeacon": {"uuid": "01234567-89AB-CDEF-0123-456789ABCDEF", "major": NUMBER,
        "minor": NUMBER, "power": NUMBER}}}]
        """#,
        #"""
        "advertising": [{"data": {"altbeacon": {"id": "0102030405060708090a0b0c0d0e0f1011121314",
        "company": NUMBER, "power": NUMBER, "reserved": NUMBER}}}]
        """#,
        #""advertising": [{"data": {"eddystone_url": {"url": "https://a.example", "power": NUMBER}}}]"#,
        #""advertising": [{"data": {"eddystone_tlm": {"voltage": NUMBER, "temperature": NUMBER}}}]"#,
        #"""
        "faults": [{"on": "read", "nth": NUMBER, "every": NUMBER, "times": NUMBER, "probability": NUMBER,
        "do": "lose"}]
        """#,
        #""faults": [{"on": "read", "nth": [NUMBER, NUMBER], "probability": NUMBER, "do": "lose"}]"#,
        #""faults": [{"on": "read", "do": {"oversize": NUMBER}}, {"on": "scan", "do": {"report": NUMBER}}]"#,
        #""faults": [{"on": "read", "do": {"truncate": NUMBER}}]"#,
        #""services": [{"uuid": "battery", "handle": NUMBER}]"#,
    ]

    /// Members of a characteristic.
    private static let characteristicMembers: [String] = [
        #""handle": NUMBER, "value_handle": NUMBER"#,
        #""lengths": NUMBER"#,
        #""lengths": [NUMBER, NUMBER]"#,
        #""permissions": {"read": "encrypted", "key_size": NUMBER}"#,
        #""format": {"format": "uint8", "exponent": NUMBER, "namespace": NUMBER, "description": NUMBER}"#,
        #""descriptors": [{"uuid": "0x2901", "handle": NUMBER, "lengths": NUMBER, "permissions": {"write": "open"}}]"#,
        #""on_write": [{"number": [NUMBER, NUMBER], "as": "u8", "length": NUMBER, "do": "store"}]"#,
        #""value": NUMBER"#,
        #""value": {"number": NUMBER, "as": "u8"}"#,
        #""value": {"ramp": [NUMBER, NUMBER], "over": "1 s", "as": "u8"}"#,
        #""value": {"sine": [NUMBER, NUMBER], "period": "1 s", "as": "u8"}"#,
        #""value": {"walk": [NUMBER, NUMBER], "step": NUMBER, "start": NUMBER, "as": "u8"}"#,
        #""value": {"random": [NUMBER, NUMBER], "as": "u8"}"#,
        #""value": {"steps": [NUMBER, NUMBER], "as": "u8"}"#,
        #""value": {"timetable": [["0 s", NUMBER]], "as": "u8"}"#,
        #""value": {"counter": NUMBER, "step": NUMBER, "limit": NUMBER, "as": "u8"}"#,
        #""value": {"csv": "numbers.csv", "column": NUMBER, "every": "1 s", "as": "u8"}"#,
        #""value": {"csv": "numbers.csv", "time": NUMBER, "as": "u8"}"#,
    ]

    private static func device(_ members: String) -> String {
        #"{"schema": "blectl-device/1", \#(members)}"#
    }

    private static func characteristic(_ members: String) -> String {
        device(
            #"""
            "services": [{"uuid": "battery", "characteristics": [
              {"uuid": "battery-level", "properties": ["read", "write"], \#(members)}]}]
            """#
        )
    }

    private static let world = #"""
        {"schema": "blectl-world/1", "seed": NUMBER, "devices": [{"label": "first"},
          {"device": {}, "label": "second", "copies": NUMBER, "signal": {"rssi": NUMBER}}]}
        """#

    private static let files = members.map { device($0) } + characteristicMembers.map { characteristic($0) } + [world]

    @Test(arguments: files) func `a number beyond every range is a fault; reading continues`(_ text: String) throws {
        for extreme in Self.extremes {
            let text = text.replacing("NUMBER", with: extreme)
            let sources = WorldFile.Sources(file: { _ in Array("1;2\n3;4\n".utf8) })
            #expect(throws: DeviceFileErrors.self, "\(text)") {
                try WorldFile.read(Array(text.utf8), named: "a.json", sources)
            }
        }
    }
}
