// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices

/// The keys of simulated devices.
///
/// They are functions of the addresses of both sides and of what the pairing has agreed on. So a device recognises its
/// key also in another run of the program, as a real one does after it was switched off, and nothing has to be kept.
enum SimulatedKeys {
    private enum Purpose: UInt64 {
        case longTerm = 1
        case identity
        case signature
        case outOfBand
        case address
    }

    /// The key of a pairing.
    ///
    /// - Parameters:
    ///   - device: The identity address of the device.
    ///   - adapter: The address of the adapter.
    ///   - kind: The pairing that it comes from.
    ///   - size: The length of the encryption key in octets. The rest is zero.
    ///   - isCentral: Whether it is the device's key of legacy pairing.
    static func longTermKey(
        of device: DeviceAddress,
        with adapter: BluetoothAddress,
        kind: LongTermKey.Kind,
        size: UInt8,
        isCentral: Bool
    ) -> LongTermKey {
        let variant = UInt64(kind.rawValue) << 8 | UInt64(size) << 1 | (isCentral ? 1 : 0)
        var generator = generator(.longTerm, device.address, adapter, variant)
        let whole = generator.key()
        let bits = UInt128(min(max(size, 7), 16)) * 8
        let value = bits == 128 ? whole : SecurityKey(whole.value & (1 << bits - 1))
        let isLegacy = !kind.isSecureConnections
        return LongTermKey(
            device: ManagementAddress(device),
            kind: kind,
            isCentral: isCentral,
            encryptionSize: size,
            diversifier: isLegacy ? UInt16(truncatingIfNeeded: generator.next()) : 0,
            randomNumber: isLegacy ? generator.next() : 0,
            value: value
        )
    }

    /// Whether a key is the one that a device has of a pairing with an adapter.
    static func isRight(_ key: LongTermKey, of device: DeviceAddress, with adapter: BluetoothAddress) -> Bool {
        guard (7...16).contains(key.encryptionSize) else { return false }
        let own = longTermKey(
            of: device,
            with: adapter,
            kind: key.kind,
            size: key.encryptionSize,
            isCentral: key.isCentral
        )
        return own.value == key.value && own.diversifier == key.diversifier && own.randomNumber == key.randomNumber
    }

    /// The key of a device's private addresses.
    static func identityKey(of device: DeviceAddress) -> SecurityKey {
        var generator = generator(.identity, device.address)
        return generator.key()
    }

    /// The signature key of a device, or of the adapter for it.
    static func signatureKey(of device: DeviceAddress, with adapter: BluetoothAddress, isLocal: Bool) -> SecurityKey {
        var generator = generator(.signature, device.address, adapter, isLocal ? 1 : 0)
        return generator.key()
    }

    /// The out-of-band data of an adapter.
    static func outOfBandData(of adapter: BluetoothAddress) -> OutOfBandData.Pair {
        var generator = generator(.outOfBand, adapter)
        return OutOfBandData.Pair(hash: generator.key(), randomizer: generator.key())
    }

    /// The private address that a device has after a time.
    static func privateAddress(of device: DeviceAddress, life: Duration, after elapsed: Duration) -> DeviceAddress {
        let number = UInt64(max(0, elapsed / max(life, .seconds(1))))
        var generator = generator(.address, device.address, nil, number)
        let identity = DeviceIdentity(address: device, key: identityKey(of: device))
        return identity.privateAddress(random: UInt32(truncatingIfNeeded: generator.next()))
    }

    private static func generator(
        _ purpose: Purpose,
        _ device: BluetoothAddress,
        _ adapter: BluetoothAddress? = nil,
        _ variant: UInt64 = 0
    ) -> SeededGenerator {
        var mixer = SeededGenerator(seed: device.rawValue, stream: purpose.rawValue)
        let mixed = mixer.next() ^ (adapter?.rawValue ?? 0)
        return SeededGenerator(seed: mixed, stream: variant)
    }
}

extension SeededGenerator {
    /// A key, which is never zero.
    fileprivate mutating func key() -> SecurityKey {
        let value = UInt128(next()) << 64 | UInt128(next())
        return SecurityKey(value == 0 ? 1 : value)
    }

    /// Six digits.
    mutating func passkey() -> UInt32 { UInt32(next() % 1_000_000) }
}
