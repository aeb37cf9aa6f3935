// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothDevices

@Suite("Credit-based channels in device files")
struct ChannelReaderTests {
    private static func device(_ channels: String) throws -> DeviceDefinition {
        let text = #"{ "schema": "blectl-device/1", "channels": \#(channels) }"#
        return try DeviceFile.read(Array(text.utf8), named: "x")
    }

    @Test func `each member is read, and written as it was`() throws {
        let device = try Self.device(
            #"""
            [{ "psm": 128, "does": "echo" },
             { "psm": 37, "does": "source", "octets": 1000, "connections": 0 },
             { "psm": 255, "does": "sink", "mtu": 23, "mps": 65533, "credits": 0, "security": "encrypted" },
             { "psm": 1, "does": "source", "security": "authenticated" }]
            """#
        )
        #expect(
            device.channels == [
                DeviceChannel(spsm: SPSM(128), behavior: .echo),
                DeviceChannel(spsm: SPSM(37), behavior: .source(octets: 1_000), maximumChannels: 0),
                DeviceChannel(
                    spsm: SPSM(255),
                    behavior: .sink,
                    mtu: 23,
                    mps: 65_533,
                    credits: 0,
                    requirement: AccessRequirement(encryption: true)
                ),
                DeviceChannel(
                    spsm: SPSM(1),
                    behavior: .source(octets: nil),
                    requirement: AccessRequirement(encryption: true, authentication: true)
                ),
            ]
        )
        let again = try DeviceFile.read(Array(DeviceFile.text(of: device).utf8), named: "x")
        #expect(again == device)
        #expect(try device.image().channels == device.channels)
    }

    @Test(arguments: [
        #"[{ "psm": 0, "does": "echo" }]"#, #"[{ "psm": 256, "does": "echo" }]"#, #"[{ "psm": 128 }]"#,
        #"[{ "does": "echo" }]"#, #"[{ "psm": 128, "does": "talk" }]"#,
        #"[{ "psm": 128, "does": "echo", "octets": 5 }]"#, #"[{ "psm": 128, "does": "echo", "mtu": 22 }]"#,
        #"[{ "psm": 128, "does": "echo", "mps": 65534 }]"#,
        #"[{ "psm": 128, "does": "echo" }, { "psm": 128, "does": "sink" }]"#,
    ])
    func `contradictions are refused`(channels: String) {
        #expect(throws: DeviceFileErrors.self) { _ = try Self.device(channels) }
    }
}
