// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// A device in the role of peripheral, whatever the radio: what it advertises, what it serves, and how it behaves.
///
/// The same definition runs in a simulated world and over a real adapter.
public struct DeviceDefinition: Sendable {
    /// What the definition is called: `pulse-strap`.
    public var name: String
    /// The address that it has of its own, for a radio that has none.
    public var address: DeviceAddress
    /// What it advertises.
    public var advertising: [DeviceAdvertising]
    /// What it serves.
    public var database: GATTDatabase
    /// What runs on it.
    public var firmware: any DeviceFirmware
    /// The largest ATT MTU.
    public var maximumMTU: UInt16
    /// What it does wrong.
    public var faults: DeviceFaults
    /// Where its random numbers come from.
    public var random: SeededGenerator

    /// Describes a device.
    public init(
        name: String,
        address: DeviceAddress,
        advertising: [DeviceAdvertising],
        database: GATTDatabase,
        firmware: any DeviceFirmware = PlainFirmware(),
        maximumMTU: UInt16 = 517,
        faults: DeviceFaults = .none,
        random: SeededGenerator = SeededGenerator(seed: 1)
    ) {
        self.name = name
        self.address = address
        self.advertising = advertising
        self.database = database
        self.firmware = firmware
        self.maximumMTU = max(maximumMTU, 23)
        self.faults = faults
        self.random = random
    }

    /// The name that its advertisements tell; `nil` where they tell none.
    public var advertisedName: String? {
        for set in advertising {
            let moment = DeviceAdvertising.Moment(uptime: .zero, event: 0)
            for data in [set.data(moment), set.scanResponse ?? []] {
                if let name = AdvertisingData(parsing: data).name?.text { return name }
            }
        }
        return nil
    }

    /// Whether anybody can connect to it.
    public var isConnectable: Bool { advertising.contains(where: \.isConnectable) }
}
