// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
import BluetoothDevices
import BluetoothHost

extension SimulatedDevice {
    /// The name of the hostile device. It sets the window's title and the colour, reverses the text, begins a new line
    /// and column, and is not UTF-8.
    public static let hostileName: [UInt8] =
        Array("\u{1B}]0;pwned\u{07}\u{1B}[31mR\u{202E}d\n\tx\u{9B}".utf8) + [0xFF, 0xFE, 0xC0, 0xAF]

    /// A device whose texts all attack the terminal. It has a random static address.
    public static func hostile() throws(GATTDatabaseError) -> SimulatedDevice {
        let name = CharacteristicDefinition(.deviceName, .read, value: .fixed(hostileName))
        let model = CharacteristicDefinition(
            0x2A24,
            .read,
            value: .fixed(hostileName),
            descriptors: [DescriptorDefinition(.characteristicUserDescription, value: .fixed(hostileName))]
        )
        return SimulatedDevice(
            name: "hostile",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xCE_66_60_00_00_66), .random),
            rssi: -60,
            advertising: [
                DeviceAdvertising(
                    .connectable,
                    interval: .milliseconds(250),
                    data: AdvertisingFields.flags.services(0x180A).bytes,
                    scanResponse: AdvertisingFields().adding(0x09, hostileName).bytes
                )
            ],
            database: try GATTDatabase(services: [
                ServiceDefinition(.genericAccess, characteristics: [name]),
                .genericAttribute(),
                ServiceDefinition(0x180A, characteristics: [model]),
            ])
        )
    }
}
