// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost

/// A device for behaviour that no transcript contains. It changes its database on request.
enum BehaviourDevice {
    // Generic Attribute: Service Changed 0x0003 with its configuration 0x0004, Client Supported Features 0x0006,
    // Database Hash 0x0008. The service at 0x0009: 0x000B changes the database: writing 1 removes the last service,
    // writing 0 restores it 0x000D an octet that can be read, and written in every way 0x000F a value that is notified
    // and indicated, with its configuration 0x0010; a write sends it 0x0012 a value with a Presentation Format 0x0013
    // and an Aggregate Format 0x0014 The last service, at 0x0015: 0x0017 another octet.

    static func definition() throws -> DeviceImage {
        DeviceImage(
            name: "behaviour",
            address: .other,
            advertising: [],
            database: try database(isWhole: true),
            firmware: Firmware(whole: try database(isWhole: true), rest: try database(isWhole: false)),
            maximumMTU: 100
        )
    }

    private static func database(isWhole: Bool) throws -> GATTDatabase {
        let ways: CharacteristicProperties = [.read, .write, .writeWithoutResponse, .authenticatedSignedWrites]
        var formatted = CharacteristicDefinition(0xFF04, .read, value: .fixed([0x25, 0xF0]))
        formatted.descriptors = [
            DescriptorDefinition(0x2904, value: .fixed([0x0E, 0xFB, 0xAC, 0x27, 0x01, 0x00, 0x00])),
            DescriptorDefinition(0x2905, value: .fixed([0x13, 0x00])),
        ]
        let first = ServiceDefinition(
            0xFF00,
            characteristics: [
                CharacteristicDefinition(0xFF01, [.write], value: .handler(maximumLength: 1)),
                CharacteristicDefinition(0xFF02, ways, value: .fixedLength([0x11])),
                CharacteristicDefinition(0xFF03, [.notify, .indicate, .write], value: .handler(maximumLength: 20)),
                formatted,
            ]
        )
        let last = ServiceDefinition(
            0xFF10,
            characteristics: [CharacteristicDefinition(0xFF11, ways, value: .fixedLength([0x22]))]
        )
        return try GATTDatabase(services: [.genericAttribute(), first] + (isWhole ? [last] : []))
    }

    private struct Firmware: DeviceFirmware {
        let whole: GATTDatabase
        let rest: GATTDatabase

        func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
            switch request.type {
            case 0xFF01: device.replaceDatabase(with: request.value == [0] ? whole : rest)
            case 0xFF03: device.notify(request.value, of: request.handle)
            default: return .refuse(.unlikelyError)
            }
            return .accept
        }
    }
}
