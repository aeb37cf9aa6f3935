// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// What is kept of a device's database from one run to the next.
public struct StoredDatabase: Hashable, Sendable {
    /// Where a device says that its database has changed.
    public struct ServiceChanged: Hashable, Sendable {
        /// What is indicated.
        public var value: Handle
        /// The descriptor in which the subscription stands, which the device keeps for those that it has a bond with.
        public var configuration: Handle

        /// Names the place.
        public init(value: Handle, configuration: Handle) {
            self.value = value
            self.configuration = configuration
        }
    }

    /// The device's Database Hash, by which it is found out whether the rest still holds; `nil` where the device has none,
    /// so that there is no use in asking for it.
    public var hash: [UInt8]?
    /// Where a device without a hash has promised, on the bond, to tell us of changes; `nil`: nowhere, and the rest is empty.
    public var serviceChanged: ServiceChanged?
    /// What was discovered under that hash, or since that promise.
    public var database: DiscoveredDatabase
    /// The longest value that was seen of each characteristic that sends values by itself, in octets, by its handle: whether
    /// it takes a larger MTU to have them whole.
    public var longestValues: [Handle: Int]

    /// Puts it together.
    public init(
        hash: [UInt8]?,
        serviceChanged: ServiceChanged? = nil,
        database: DiscoveredDatabase = .init(),
        longestValues: [Handle: Int] = [:]
    ) {
        self.hash = hash
        self.serviceChanged = serviceChanged
        self.database = database
        self.longestValues = longestValues
    }
}

/// Where databases are kept. What it gives is believed only after the device has confirmed it.
public protocol DatabaseStore: Sendable {
    /// What is kept of a device; `nil` where there is nothing, or nothing that can be read.
    func load(_ device: DeviceAddress) -> StoredDatabase?

    /// Keeps it in place of what there was. That it cannot be kept is no error.
    func save(_ stored: StoredDatabase, of device: DeviceAddress)
}
