// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Toolkit

/// Gives the keys of bonds for signed writes, and the numbers of the signatures, each once.
struct WriteSigner: Sendable {
    /// The bonds; `nil` if they have no folder.
    let bonds: (any BondStore)?

    /// The key for a signature and its number, which is kept before it is used. Throws a `BlectlError`.
    func signature(
        for device: ConnectedDevice,
        doing action: String
    ) async throws -> (key: SecurityKey, counter: UInt32) {
        guard let bonds else {
            throw BlectlError(
                .configurationError,
                cannot: action,
                "there is no place for keys: neither HOME nor XDG_STATE_HOME names a folder"
            )
        }
        do {
            let signatures = BondSignatures(bonds, of: device.peripheral.adapter.bondAddress)
            return try await signatures.take(for: device.reference.address)
        } catch let lack as BondSignatures.Lack {
            throw BlectlError(lack, doing: action, to: device.reference)
        } catch let error as KeyFileFailure {
            throw BlectlError(error, doing: action)
        }
    }
}

extension BlectlError {
    fileprivate init(_ lack: BondSignatures.Lack, doing action: String, to device: DeviceReference) {
        let address = device.address.address
        let (reason, hint) =
            switch lack {
            case .bond: ("there is no bond with it, and so no key that signs", "blectl pair \(address)")
            case .key:
                (
                    "it got no key for signatures when it was paired",
                    "write without --signed: the link of a bonded device is encrypted"
                )
            case .numbers:
                (
                    "all counters of its key for signatures are used up",
                    "blectl unpair \(address), then blectl pair \(address)"
                )
            }
        self.init(.configurationError, cannot: action, reason, hint: hint)
    }
}
