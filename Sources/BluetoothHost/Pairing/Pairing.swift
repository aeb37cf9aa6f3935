// SPDX-License-Identifier: MIT

package import Bluetooth

package struct Pairing: Hashable, Sendable {
    /// The identity address of the device, or the address of the pairing if the device has sent no identity.
    package internal(set) var device: DeviceAddress
    /// The method by which the two have authenticated each other, as far as the prompts have shown it; `nil` without a
    /// prompt.
    package internal(set) var method: PairingMethod?
    /// Whether both sides keep the keys.
    package internal(set) var isBonded = false
    package internal(set) var longTermKeys: [LongTermKey] = []
    /// The key of the device's private addresses.
    package internal(set) var identityKey: SecurityKey?
    package internal(set) var signatureKeys: [SignatureResolvingKey] = []

    init(device: DeviceAddress) { self.device = device }

    /// The bond that it leaves; `nil` if the keys are not to be kept.
    package func bond(of adapter: BluetoothAddress, name: String?, since: WallTime) -> Bond? {
        guard isBonded, !longTermKeys.isEmpty else { return nil }
        return Bond(
            adapter: adapter,
            device: device,
            name: name,
            longTermKeys: longTermKeys,
            identityKey: identityKey,
            signing: signatureKeys.map { Bond.Signing(key: $0) },
            since: since
        )
    }
}
