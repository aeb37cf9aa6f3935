// SPDX-License-Identifier: MIT

/// Decrypts the advertisements of devices whose keys are known, and tells when a counter goes back.
///
/// It remembers one number for each device that has a key, so that its memory is bounded by the keys.
public struct AdvertisingDecryptor: Sendable {
    private let keys: AdvertisingKeys
    /// The last counter of each device, by format: another format counts separately.
    private var counters: [BluetoothAddress: [Int: UInt32]] = [:]

    /// Creates a decryptor.
    public init(_ keys: AdvertisingKeys) { self.keys = keys }

    /// The data with their encrypted parts decrypted: the content of service data and of manufacturer data in one of
    /// the known formats, and the structures of Encrypted Advertising Data, which become further elements.
    public mutating func opened(_ data: AdvertisingData, from address: BluetoothAddress) -> AdvertisingData {
        guard let device = keys[address] else { return data }
        var elements = data.elements
        var hidden: [ADElement] = []
        var isChanged = false
        for index in elements.indices {
            guard let seal = elements[index].seal(from: address) else { continue }
            let (octets, isTried) = seal.opened(with: device)
            guard isTried else { continue }
            isChanged = true
            guard let octets else {
                elements[index] = elements[index].with(.wrongKey)
                continue
            }
            let isOlder = isOlder(seal.counter, from: address)
            elements[index] = elements[index].with(.decrypted(octets, isOlder: isOlder))
            // Encrypted data within encrypted data stay closed, so that decryption ends.
            if case .encryptedData = elements[index] { hidden += AdvertisingData(parsing: octets).elements }
        }
        return isChanged ? data.replacingElements(elements + hidden) : data
    }

    /// Whether the counter is less than the last one, which it replaces: a device that has begun anew is told once.
    private mutating func isOlder(_ counter: AdvertisedSeal.Counter?, from address: BluetoothAddress) -> Bool {
        guard let counter else { return false }
        let last = counters[address, default: [:]].updateValue(counter.value, forKey: Int(counter.bits))
        return last.map { counter.isOlder(than: $0) } ?? false
    }
}
