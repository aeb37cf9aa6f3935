// SPDX-License-Identifier: MIT

// What the README of DDBluetooth shows, with this library: its three agents.

import BluetoothHost

/// The scan agent: who has a name with one of the prefixes, the strongest first.
public func nearest(
    _ prefixes: [String],
    _ central: Central,
    for interval: Duration = .seconds(5)
) async throws(BluetoothError) -> [Advertisement] {
    var found: [DeviceAddress: Advertisement] = [:]
    for try await advertisement in central.scan(for: interval) {
        guard let name = advertisement.name, prefixes.contains(where: { name.hasPrefix($0) }) else { continue }
        found[advertisement.address] = advertisement
    }
    return found.values.sorted { ($0.rssi ?? .min) > ($1.rssi ?? .min) }
}

/// The connect agent: further attempts, and what a user is told.
public func connect(
    _ central: Central,
    to address: DeviceAddress,
    retries: Int,
    onRetry: @escaping @Sendable (Int) -> Void
) async -> Result<Peripheral, BluetoothError> {
    let configuration = Peripheral.Configuration(
        connectTimeout: .seconds(6),
        retries: RetryPolicy(retries: retries),
        onRetry: { attempt, _, _ in onRetry(attempt) }
    )
    do throws(BluetoothError) {
        return .success(try await central.connect(to: address, configuration: configuration))
    } catch {
        return .failure(error)
    }
}

/// The transaction agent: reads, writes in parts, and listens.
public struct Transactions: Sendable {
    let device: Peripheral

    public init(_ device: Peripheral) { self.device = device }

    public func read(_ characteristic: BluetoothUUID) async throws(BluetoothError) -> [UInt8] {
        try await device.characteristic(characteristic).read().value
    }

    /// Writes in parts, and reports how much is written, in percent.
    public func write(
        _ octets: [UInt8],
        to characteristic: BluetoothUUID,
        hasResponses: Bool,
        onProgress: @escaping @Sendable (Int) -> Void
    ) async throws(BluetoothError) {
        try await device.characteristic(characteristic).write(parts: octets, hasResponses: hasResponses) {
            onProgress($0 * 100 / octets.count)
        }
    }

    /// The first indications or notifications.
    public func first(_ count: Int, of characteristic: BluetoothUUID) async throws(BluetoothError) -> [[UInt8]] {
        var values: [[UInt8]] = []
        for try await value in device.characteristic(characteristic).values {
            values.append(value.value)
            if values.count == count { break }
        }
        return values
    }
}
