// SPDX-License-Identifier: MIT

import Testing

@testable import BluetoothDevices

@Suite("Labels of characteristics")
struct DeviceLabelTests {
    private static func file(_ first: String, _ second: String) -> [UInt8] {
        func characteristic(_ label: String) -> String {
            #"{ "uuid": "battery-level", "label": "\#(label)", "properties": ["read"], "value": "0x01" }"#
        }
        let services =
            #"[{ "uuid": "battery", "characteristics": [\#(characteristic(first)), \#(characteristic(second))] }]"#
        return Array(#"{ "schema": "blectl-device/1", "label": "x", "services": \#(services) }"#.utf8)
    }

    @Test func `two characteristics of a database have different labels`() throws {
        _ = try DeviceFile.read(Self.file("first", "second"), named: "x.json")
        let error = #expect(throws: (any Error).self) {
            try DeviceFile.read(Self.file("charge", "charge"), named: "x.json")
        }
        #expect(error.map { "\($0)" }?.contains("another characteristic has the label 'charge'") == true)
    }
}
