// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
public import BluetoothHost

/// A device of the simulated world: what it advertises, what it serves, and how it behaves.
public struct SimulatedDevice: Sendable {
    /// How the device uses a link.
    public struct Link: Hashable, Sendable {
        /// From one connection event to the next.
        public var interval: Duration
        /// The largest link layer payload in octets: 27, or up to 251 with data length extension.
        public var dataLength: Int
        /// How many link layer packets go in each direction in one connection event on LE 1M.
        public var packetsPerEvent: Int
        /// The largest ATT MTU.
        public var maximumMTU: UInt16
        /// The PHYs that the device can use on a link.
        public var phys: LEPHYSet
        /// How many connections the device takes at once.
        public var maximumConnections: Int
        /// How a link is secured from its beginning: where that says that there is a bond, the device remembers its clients.
        public var security: LinkSecurity

        /// Describes how a device uses links.
        public init(
            interval: Duration = .milliseconds(30),
            dataLength: Int = 251,
            packetsPerEvent: Int = 6,
            maximumMTU: UInt16 = 247,
            phys: LEPHYSet = [.le1M, .le2M],
            maximumConnections: Int = 1,
            security: LinkSecurity = .none
        ) {
            self.interval = max(interval, .microseconds(7_500))
            self.dataLength = min(max(dataLength, 27), 251)
            self.packetsPerEvent = max(packetsPerEvent, 1)
            self.maximumMTU = max(maximumMTU, 23)
            self.phys = phys.union(.le1M)
            self.maximumConnections = max(maximumConnections, 1)
            self.security = security
        }
    }

    /// What people call the device: `pulse-strap`.
    public var name: String
    /// The address in its advertisements.
    public var address: DeviceAddress
    /// The mean strength at which its packets arrive, in dBm.
    public var rssi: Int8
    /// What it advertises.
    public var advertising: [DeviceAdvertising]
    /// What it serves; nothing for beacons.
    public var database: GATTDatabase
    /// What runs on it.
    public var firmware: any DeviceFirmware
    /// How it uses a link.
    public var link: Link
    /// What it does wrong.
    public var faults: DeviceFaults

    /// Describes a device.
    public init(
        name: String,
        address: DeviceAddress,
        rssi: Int8,
        advertising: [DeviceAdvertising],
        database: GATTDatabase = .empty,
        firmware: any DeviceFirmware = PlainFirmware(),
        link: Link = Link(),
        faults: DeviceFaults = .none
    ) {
        self.name = name
        self.address = address
        self.rssi = rssi
        self.advertising = advertising
        self.database = database
        self.firmware = firmware
        self.link = link
        self.faults = faults
    }

    /// Whether anybody can connect to it.
    public var isConnectable: Bool { advertising.contains(where: \.isConnectable) }

    /// What of it is the same over a real adapter: all but how its signal arrives and how its links go.
    public func definition(random: SeededGenerator) -> DeviceDefinition {
        DeviceDefinition(
            name: name,
            address: address,
            advertising: advertising,
            database: database,
            firmware: firmware,
            maximumMTU: link.maximumMTU,
            faults: faults,
            random: random
        )
    }
}
