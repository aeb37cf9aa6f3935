// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost

/// The keys of simulated devices.
///
/// They are functions of the addresses of both sides and of the agreement of the pairing. A device therefore recognises
/// its key in another run of the program, as a real one does after it was switched off, and no key has to be stored.
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
        let drawn = generator.draw(size: size)
        let isLegacy = !kind.isSecureConnections
        return LongTermKey(
            device: ManagementAddress(device),
            kind: kind,
            isCentral: isCentral,
            encryptionSize: size,
            diversifier: isLegacy ? drawn.diversifier : 0,
            randomNumber: isLegacy ? drawn.randomNumber : 0,
            value: drawn.value
        )
    }

    /// A key with the two numbers by which legacy pairing finds it again.
    struct Drawn: Hashable, Sendable {
        let value: SecurityKey
        let diversifier: UInt16
        let randomNumber: UInt64
    }

    static func isRight(_ key: LongTermKey, of device: DeviceAddress, with adapter: BluetoothAddress) -> Bool {
        // A program may load a key of any size, but pairings make keys of these sizes only.
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

    static func identityKey(of device: DeviceAddress) -> SecurityKey {
        var generator = generator(.identity, device.address)
        return generator.key()
    }

    static func signatureKey(of device: DeviceAddress, with adapter: BluetoothAddress, isLocal: Bool) -> SecurityKey {
        var generator = generator(.signature, device.address, adapter, isLocal ? 1 : 0)
        return generator.key()
    }

    /// The out-of-band data of an adapter: a random number, and the confirm value of the adapter's public key with it.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 2.3.5.6.4
    static func outOfBandData(of adapter: BluetoothAddress) -> OutOfBandData.Pair {
        var generator = generator(.outOfBand, adapter)
        let random = generator.key()
        // f4 takes the X coordinate of the public key. A random number stands for it: pairings exchange no keys here.
        guard let key = P256Number(octets: generator.key().octets + generator.key().octets) else { return .zero }
        return OutOfBandData.Pair(hash: SecurityToolbox.f4(u: key, v: key, x: random, z: 0), randomizer: random)
    }

    static func privateAddress(of device: DeviceAddress, life: Duration, after elapsed: Duration) -> DeviceAddress {
        privateAddress(of: DeviceIdentity(address: device, key: identityKey(of: device)), life: life, after: elapsed)
    }

    static func privateAddress(of identity: DeviceIdentity, life: Duration, after elapsed: Duration) -> DeviceAddress {
        // Not 0, because a duration is divided by it.
        let number = UInt64(max(0, elapsed / max(life, .seconds(1))))
        var generator = generator(.address, identity.address.address, nil, number)
        return identity.privateAddress(random: UInt32(truncatingIfNeeded: generator.next()))
    }

    private static func generator(
        _ purpose: Purpose,
        _ device: BluetoothAddress,
        _ adapter: BluetoothAddress? = nil,
        _ variant: UInt64 = 0
    ) -> SeededGenerator {
        var mixer = SeededGenerator(seed: device.rawValue, stream: purpose.rawValue)
        // Mixed before the adapter is added, so that two addresses in exchanged roles give other keys.
        let mixed = mixer.next() ^ (adapter?.rawValue ?? 0)
        return SeededGenerator(seed: mixed, stream: variant)
    }
}

extension SeededGenerator {
    /// A key, which is never zero.
    fileprivate mutating func key() -> SecurityKey {
        let value = UInt128(next()) << 64 | UInt128(next())
        // Zero stands for no key.
        return SecurityKey(value == 0 ? 1 : value)
    }

    /// A key of that length in octets. The rest of it is zero.
    mutating func draw(size: UInt8) -> SimulatedKeys.Drawn {
        let whole = key()
        let bits = UInt128(min(max(size, 7), 16)) * 8
        return SimulatedKeys.Drawn(
            value: bits == 128 ? whole : SecurityKey(whole.value & (1 << bits - 1)),
            diversifier: UInt16(truncatingIfNeeded: next()),
            randomNumber: next()
        )
    }

    /// Six digits.
    mutating func passkey() -> UInt32 { UInt32(next() % 1_000_000) }
}
