// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

// The keys of the simulated kernel. The commands about them are those of every adapter.
extension SimulatedKernel: AdapterSecurity {
    var identityAddress: DeviceAddress { DeviceAddress(profile.address, .public) }

    var ownData: OutOfBandData.Pair { SimulatedKeys.outOfBandData(of: profile.address) }

    /// Always the same data, so that they need not be kept.
    mutating func makeOutOfBandData() -> OutOfBandData.Pair { ownData }

    /// The address with which the adapter connects, a time after the world's beginning.
    func ownAddress(after elapsed: Duration) -> DeviceAddress {
        guard let identity else { return DeviceAddress(profile.address, .public) }
        return SimulatedKeys.privateAddress(of: identity, life: Self.addressLife, after: elapsed)
    }

    /// A pairing has succeeded. Takes the keys, and reports them.
    ///
    /// - Parameter made: The keys that the kernels at both ends have made; `nil` for those that a device always has.
    mutating func paired(
        _ agreement: PairingAgreement,
        _ command: PairingCommand,
        identity: DeviceIdentity,
        address: DeviceAddress,
        made: GeneratedKeys? = nil
    ) -> (keys: [Action], end: [Action]) {
        let own = self
        return paired(agreement, command, identity: identity, address: address) { device in
            made
                ?? GeneratedKeys(
                    longTerm: own.longTermKeys(agreement, device),
                    signature: own.signatureKeys(agreement, device)
                )
        }
    }

    /// The keys that a pairing gives the kernel. Secure Connections has one key for both roles; legacy pairing has
    /// one for each side that distributes it.
    private func longTermKeys(_ agreement: PairingAgreement, _ device: DeviceAddress) -> [LongTermKey] {
        func key(isCentral: Bool) -> LongTermKey {
            SimulatedKeys.longTermKey(
                of: device,
                with: profile.address,
                kind: agreement.kind,
                size: agreement.keySize,
                isCentral: isCentral
            )
        }
        if agreement.isSecureConnections { return [key(isCentral: false)] }
        return (agreement.responderKeys.contains(.encryption) ? [key(isCentral: true)] : [])
            + (agreement.initiatorKeys.contains(.encryption) ? [key(isCentral: false)] : [])
    }

    /// The signature keys that a pairing gives the kernel: the device's, and the adapter's own.
    private func signatureKeys(
        _ agreement: PairingAgreement,
        _ device: DeviceAddress
    ) -> [SignatureResolvingKey] {
        let isAuthenticated = agreement.method.isAuthenticated
        func key(isLocal: Bool) -> SignatureResolvingKey {
            SignatureResolvingKey(
                device: ManagementAddress(device),
                kind: isLocal
                    ? isAuthenticated ? .authenticatedLocal : .unauthenticatedLocal
                    : isAuthenticated ? .authenticatedRemote : .unauthenticatedRemote,
                value: SimulatedKeys.signatureKey(of: device, with: profile.address, isLocal: isLocal)
            )
        }
        return (agreement.responderKeys.contains(.signature) ? [key(isLocal: false)] : [])
            + (agreement.initiatorKeys.contains(.signature) ? [key(isLocal: true)] : [])
    }
}
