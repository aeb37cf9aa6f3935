// SPDX-License-Identifier: MIT

package import Bluetooth

/// The keys of an adapter for paired devices, and its settings for pairings.
package struct AdapterKeys: Sendable {
    package var longTermKeys: [LongTermKey] = []
    package var identities: [DeviceIdentity] = []
    /// The key of the adapter's own private addresses; `nil` without privacy.
    package var own: SecurityKey?
    /// Whether it asks devices for their identity: since identities were loaded, or with privacy.
    package var isResolving = false
    /// The input and output for pairings that others begin; `nil` until a program has set it, and is ready to answer.
    package var capability: IOCapability?
    package var secureConnections = SetSecureConnections.Mode.off
    package var outOfBand: [BluetoothAddress: OutOfBandData] = [:]
    /// The devices whose keys are not to be kept longer than the link.
    package var passing: Set<DeviceAddress> = []

    package init() {}

    /// The maximum number of devices whose out-of-band data is kept.
    package static let outOfBandLimit = 64

    /// The identity address of a device; the same address if no key fits.
    package func identity(of address: DeviceAddress) -> DeviceAddress {
        // Each key that is tried costs an encryption, and no other address can be resolved.
        guard address.kind == .resolvable else { return address }
        return identities.first { $0.owns(address) }?.address ?? address
    }

    /// The key for links to a device in which the adapter is the central; the best if there are several.
    package func longTermKey(of device: DeviceAddress) -> LongTermKey? {
        // Secure Connections have one key for both roles; a legacy key is for one of them.
        longTermKeys.filter { $0.device.device == device && ($0.kind.isSecureConnections || $0.isCentral) }
            .max { $0.level < $1.level }
    }

    /// The key for links to a device in which the adapter is the peripheral, if there is one of that kind.
    package func peripheralKey(for central: DeviceAddress, isSecureConnections: Bool) -> LongTermKey? {
        longTermKeys.last {
            $0.device.device == central && $0.kind.isSecureConnections == isSecureConnections
                && (isSecureConnections || !$0.isCentral)
        }
    }

    /// Whether there is any key that encrypts.
    package func isPaired(with device: DeviceAddress) -> Bool { longTermKeys.contains { $0.device.device == device } }

    /// Forgets a device. Returns whether there was a key that encrypts.
    package mutating func remove(_ device: DeviceAddress) -> Bool {
        let wasPaired = isPaired(with: device)
        longTermKeys.removeAll { $0.device.device == device }
        identities.removeAll { $0.address == device }
        passing.remove(device)
        return wasPaired
    }
}

extension LongTermKey {
    /// The level that a link with the key has.
    ///
    /// Spec: Linux, net/bluetooth/smp.c, smp_ltk_sec_level
    package var level: SecurityLevel {
        guard kind.isAuthenticated else { return .medium }
        return kind.isSecureConnections ? .fips : .high
    }

    package var security: LinkSecurity {
        LinkSecurity(
            isEncrypted: true,
            isAuthenticated: kind.isAuthenticated,
            isSecureConnections: kind.isSecureConnections,
            keySize: encryptionSize,
            hasBond: true
        )
    }
}
