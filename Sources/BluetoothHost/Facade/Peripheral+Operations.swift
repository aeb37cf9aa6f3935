// SPDX-License-Identifier: MIT

public import Bluetooth

// What an app does with a device as a whole. Each operation connects first if there is no link, has a limit of time, and
// its error says what it was about.

extension Peripheral {
    /// All its services, the primary ones first, or the primary ones of one UUID.
    ///
    /// - Parameters:
    ///   - uuid: The UUID; `nil` for all.
    ///   - limit: The time limit; `nil` for that of the configuration.
    public nonisolated func services(
        _ uuid: BluetoothUUID? = nil,
        within limit: Duration? = nil
    ) async throws(BluetoothError) -> [Service] {
        try await perform("find the services", within: limit) { try await self.services(uuid) }
    }

    /// The whole database of the device.
    ///
    /// - Parameter limit: The time limit; `nil` for that of the configuration.
    public nonisolated func tree(within limit: Duration? = nil) async throws(BluetoothError) -> AttributeTree {
        try await perform("discover the database", within: limit) { try await self.tree() }
    }

    /// Reads several values, with one request if the device supports it and the answer has room. A value that is
    /// missing or refused does not affect the others.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 4.8.5
    ///
    /// - Parameters:
    ///   - characteristics: The characteristics.
    ///   - limit: The time limit; `nil` for that of the configuration.
    public nonisolated func read(
        _ characteristics: [Characteristic],
        within limit: Duration? = nil
    ) async throws(BluetoothError) -> [Result<AttributeValue, BluetoothError>] {
        let values = try await perform("read several values", within: limit) {
            try await self.read(characteristics)
        }
        return zip(characteristics, values).map { characteristic, value in
            value.mapError { characteristic.error($0, doing: "read", preposition: "from") }
        }
    }

    /// Writes several values, all or none. Each is checked by the device's echo first.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 4.9.5
    ///
    /// - Parameters:
    ///   - writes: The values.
    ///   - limit: The time limit; `nil` for that of the configuration.
    public nonisolated func writeReliably(
        _ writes: [(characteristic: Characteristic, value: [UInt8])],
        within limit: Duration? = nil
    ) async throws(BluetoothError) {
        try await perform("write several values", within: limit) { try await self.writeReliably(writes) }
    }

    /// Exchanges the MTU, once for each connection. With a device that does not support this it remains 23.
    ///
    /// - Parameter limit: The time limit; `nil` for that of the configuration.
    /// - Returns: The MTU in octets. A value that is written without a response has room for three less.
    @discardableResult
    public nonisolated func exchangeMTU(within limit: Duration? = nil) async throws(BluetoothError) -> UInt16 {
        try await perform("exchange the MTU", within: limit) { try await self.exchangeMTU() }
    }

    /// The strength of the device's signal in dBm; `nil` if the controller does not know it.
    ///
    /// - Parameter limit: The time limit; `nil` for that of the configuration.
    public nonisolated func signalStrength(within limit: Duration? = nil) async throws(BluetoothError) -> Int8? {
        try await perform("measure the signal", within: limit) { try await self.signalStrength() }
    }

    /// The properties of the link.
    ///
    /// Properties that only events carry are known if `observesLink` was configured, or the link was changed, before
    /// the link was made.
    ///
    /// - Parameter limit: The time limit; `nil` for that of the configuration.
    public nonisolated func linkReading(within limit: Duration? = nil) async throws(BluetoothError) -> LinkReading {
        try await perform("read the properties of the link", within: limit) {
            try await self.linkReading(asksPeer: true)
        }
    }

    /// Changes the properties of the link, each within the time that the configuration has for links. A property that
    /// was not reached is in the result.
    ///
    /// - Parameter request: The requested changes.
    public nonisolated func changeLink(to request: LinkRequest) async throws(BluetoothError) -> LinkChange {
        do {
            return try await changeLink(to: request, within: await configuration.linkTimeout)
        } catch {
            throw .from(error, doing: "change the link to \(address.address)")
        }
    }
}
