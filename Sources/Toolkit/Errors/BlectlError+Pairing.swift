// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import CommandLineInterface

extension BlectlError {
    /// The message for a pairing that has failed.
    ///
    /// - Parameter hasData: Whether the pairing was to be proved by out-of-band data; `nil` if that is not known.
    package init(_ error: PairingError, doing action: String, hasData: Bool? = nil) {
        let (status, hint) = Self.explanation(of: error)
        var reason = error.reason
        if let hasData, error.problem == .failed(.confirmValueFailed) {
            // The Security Manager has one reason for both.
            let proof = hasData ? "the out-of-band data is wrong" : "the passkey is wrong"
            reason = reason.replacing(PairingFailure.confirmValueFailed.meaning, with: proof)
        }
        self.init(status, cannot: action, reason, hint: hint)
    }

    private static func explanation(of error: PairingError) -> (ExitStatus, hint: String?) {
        let address = error.device.address
        return switch error.problem {
        case .timedOut: (.timedOut, "is the device waiting for a person? --timeout allows more time")
        case .declined: (.expectationFailed, nil)
        case .failed(.repeatedAttempts), .failed(.busy): (.temporaryFailure, "try again in a minute")
        case .failed(.authenticationRequirements):
            (
                .protocolError,
                "--io keyboard-display offers all that can be needed; in a script together with --passkey and --confirm"
            )
        case .failed(.outOfBandNotAvailable): (.protocolError, "give the data of the device: --oob FILE")
        case .failed: (.protocolError, nil)
        case .rejected(.alreadyPaired): (.protocolError, "blectl unpair \(address), then blectl pair \(address)")
        case .rejected(.busy): (.temporaryFailure, "try again")
        case .rejected(.connectFailed), .rejected(.disconnected), .rejected(.notConnected), .linkEnded, .adapterInUse:
            (.temporaryFailure, "try again")
        case .rejected: (.protocolError, nil)
        }
    }
}
