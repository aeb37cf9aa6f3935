// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
public import BluetoothDevices

/// A device of the simulated world: its advertisements, its database and its behaviour.
public struct SimulatedDevice: Sendable {
    /// The properties of the device's links.
    public struct Link: Hashable, Sendable {
        /// The time between two connection events, at least 7.5 ms.
        public var interval: Duration
        /// The largest link layer payload in octets: 27, or up to 251 with data length extension.
        public var dataLength: Int
        /// The number of link layer packets in each direction per connection event on LE 1M, at least 1.
        public var packetsPerEvent: Int
        /// The largest ATT MTU in octets, at least 23.
        public var maximumMTU: UInt16
        /// The PHYs that the device supports on a link; LE 1M is always included.
        public var phys: LEPHYSet
        /// The number of simultaneous connections that the device accepts, at least 1.
        public var maximumConnections: Int
        /// The security of a link from its start. With a bond, the device remembers its clients.
        public var security: LinkSecurity

        /// Creates properties; values out of range are replaced by the nearest possible ones.
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

    /// The name by which users refer to the device: `pulse-strap`.
    public var name: String
    /// The address in its advertisements.
    public var address: DeviceAddress
    /// Its signal at the adapters.
    public var signal: DeviceSignal
    /// The advertising sets.
    public var advertising: [DeviceAdvertising]
    /// The attributes that it serves; empty for beacons.
    public var database: GATTDatabase
    /// The behaviour beyond the database.
    public var firmware: any DeviceFirmware
    /// The properties of its links.
    public var link: Link
    /// The faults that it shows.
    public var faults: DeviceFaults

    /// Creates a device; by default a beacon without attributes and without faults.
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
        self.signal = DeviceSignal(rssi: rssi)
        self.advertising = advertising
        self.database = database
        self.firmware = firmware
        self.link = link
        self.faults = faults
    }

    /// Whether any set accepts connections.
    public var isConnectable: Bool { advertising.contains(where: \.isConnectable) }

    /// The part that is independent of the radio: everything except the signal and the links.
    public func definition(random: SeededGenerator) -> DeviceImage {
        DeviceImage(
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

    /// The part that is independent of the radio, with random numbers of its own: devices with the same seed get different
    /// ones, because their addresses differ.
    public func definition(seed: UInt64) -> DeviceImage {
        definition(random: SeededGenerator(seed: seed, stream: address.address.rawValue))
    }
}
