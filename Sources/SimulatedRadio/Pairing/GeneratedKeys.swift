// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost

extension GeneratedKeys {
    /// The keys of a pairing, as each end has them. They differ each time, like those of real kernels.
    ///
    /// - Parameters:
    ///   - agreement: The agreement of both sides.
    ///   - central: The address of the adapter that has started the pairing.
    ///   - peripheral: The address of the other side.
    ///   - generator: The random numbers.
    static func make(
        _ agreement: PairingAgreement,
        central: DeviceAddress,
        peripheral: DeviceAddress,
        _ generator: inout SeededGenerator
    ) -> (central: GeneratedKeys, peripheral: GeneratedKeys) {
        var ends = (central: GeneratedKeys(), peripheral: GeneratedKeys())
        func longTermKey(_ device: DeviceAddress, isCentral: Bool, _ drawn: SimulatedKeys.Drawn) -> LongTermKey {
            let isLegacy = !agreement.isSecureConnections
            return LongTermKey(
                device: ManagementAddress(device),
                kind: agreement.kind,
                isCentral: isCentral,
                encryptionSize: agreement.keySize,
                diversifier: isLegacy ? drawn.diversifier : 0,
                randomNumber: isLegacy ? drawn.randomNumber : 0,
                value: drawn.value
            )
        }
        if agreement.isSecureConnections {
            let drawn = generator.draw(size: agreement.keySize)
            ends.central.longTerm = [longTermKey(peripheral, isCentral: false, drawn)]
            ends.peripheral.longTerm = [longTermKey(central, isCentral: false, drawn)]
        }
        // In legacy pairing each side sends the key for links in which it is the peripheral.
        if agreement.responderKeys.contains(.encryption) {
            let drawn = generator.draw(size: agreement.keySize)
            ends.central.longTerm.append(longTermKey(peripheral, isCentral: true, drawn))
            ends.peripheral.longTerm.append(longTermKey(central, isCentral: false, drawn))
        }
        if agreement.initiatorKeys.contains(.encryption) {
            let drawn = generator.draw(size: agreement.keySize)
            ends.central.longTerm.append(longTermKey(peripheral, isCentral: false, drawn))
            ends.peripheral.longTerm.append(longTermKey(central, isCentral: true, drawn))
        }
        let isAuthenticated = agreement.method.isAuthenticated
        func signatureKey(_ device: DeviceAddress, isLocal: Bool, _ value: SecurityKey) -> SignatureResolvingKey {
            SignatureResolvingKey(
                device: ManagementAddress(device),
                kind: isLocal
                    ? isAuthenticated ? .authenticatedLocal : .unauthenticatedLocal
                    : isAuthenticated ? .authenticatedRemote : .unauthenticatedRemote,
                value: value
            )
        }
        if agreement.responderKeys.contains(.signature) {
            let value = generator.draw(size: 16).value
            ends.central.signature.append(signatureKey(peripheral, isLocal: false, value))
            ends.peripheral.signature.append(signatureKey(central, isLocal: true, value))
        }
        if agreement.initiatorKeys.contains(.signature) {
            let value = generator.draw(size: 16).value
            ends.central.signature.append(signatureKey(peripheral, isLocal: true, value))
            ends.peripheral.signature.append(signatureKey(central, isLocal: false, value))
        }
        return ends
    }
}
