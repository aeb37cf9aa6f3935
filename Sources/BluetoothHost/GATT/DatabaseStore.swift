// SPDX-License-Identifier: MIT

public import Bluetooth

/// The part of a device's database that is stored between two runs.
public struct StoredDatabase: Hashable, Sendable {
    /// The place of a device's Service Changed characteristic.
    public struct ServiceChanged: Hashable, Sendable {
        /// The handle of the value that is indicated.
        public var value: Handle
        /// The handle of the descriptor with the subscription, which the device keeps for bonded clients.
        public var configuration: Handle

        /// Creates a place from its two handles.
        public init(value: Handle, configuration: Handle) {
            self.value = value
            self.configuration = configuration
        }
    }

    /// The device's Database Hash, which shows whether the rest is still valid; `nil` if the device has none, so that
    /// reading it is pointless.
    public var hash: [UInt8]?
    /// The place where a bonded device without a hash announces changes. If both are `nil`, the rest is empty.
    public var serviceChanged: ServiceChanged?
    /// The findings under that hash, or since that subscription.
    public var database: DiscoveredDatabase
    /// The longest value seen of each characteristic that notifies or indicates, in octets, by value handle. It shows
    /// whether complete values need a larger MTU.
    public var longestValues: [Handle: Int]
    /// The value of the first Presentation Format descriptor of each characteristic where it was read, by value handle.
    public var formats: [Handle: [UInt8]]

    /// Creates a record; by default it only states whether there is a hash.
    public init(
        hash: [UInt8]?,
        serviceChanged: ServiceChanged? = nil,
        database: DiscoveredDatabase = .init(),
        longestValues: [Handle: Int] = [:],
        formats: [Handle: [UInt8]] = [:]
    ) {
        self.hash = hash
        self.serviceChanged = serviceChanged
        self.database = database
        self.longestValues = longestValues
        self.formats = formats
    }
}

extension StoredDatabase {
    /// Merges the findings of two programs, these and the `older` ones, about the same database.
    ///
    /// Only an equal Database Hash proves that the database is the same. The promise to announce changes does not: the
    /// device announces each change once, perhaps to another program than the one that stored the older findings.
    /// Without that proof the older findings are dropped, and so are those that contradict these.
    public func merging(_ older: StoredDatabase) -> StoredDatabase {
        guard hash != nil, hash == older.hash, let database = database.merging(older.database) else { return self }
        var merged = self
        merged.database = database
        merged.longestValues.merge(older.longestValues, uniquingKeysWith: max)
        merged.formats.merge(older.formats) { newer, _ in newer }
        return merged
    }
}

/// A store of databases. Its content is used only after the device has confirmed it.
public protocol DatabaseStore: Sendable {
    /// The stored database of a device; `nil` if there is none, or it cannot be read.
    func load(_ device: DeviceAddress) -> StoredDatabase?

    /// Stores a database. Another program may have stored other findings about the same database in between, which the
    /// store keeps: see `StoredDatabase.merging`. A failure is not reported, because the store only saves round trips.
    func save(_ stored: StoredDatabase, of device: DeviceAddress) async

    /// Whether a device has lately hung up on an exchange of the MTU, or not answered it, and works without that.
    func refusesMTUExchange(_ device: DeviceAddress) -> Bool

    /// Remembers a device that works without an exchange of the MTU only; for some time, because its firmware may be
    /// mended.
    func saveMTUExchangeRefusal(of device: DeviceAddress) async
}

extension DatabaseStore {
    /// `false`: nothing is remembered.
    public func refusesMTUExchange(_ device: DeviceAddress) -> Bool { false }

    /// Remembers nothing.
    public func saveMTUExchangeRefusal(of device: DeviceAddress) async {}
}
