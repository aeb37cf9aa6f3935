// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import CommandLineInterface

extension BlectlError {
    /// The message for a link that did not get the security that was demanded.
    package init(
        _ failure: SecurityFailure,
        doing action: String,
        to device: DeviceReference? = nil,
        about subject: RequestSubject? = nil
    ) {
        if let cause = failure.cause.flatMap({ BlectlError(describing: $0, doing: action) }) {
            self.init(cause, of: failure, doing: action, to: device, about: subject)
            return
        }
        let (status, hint) = Self.explanation(of: failure)
        if let refusal = failure.refusal {
            // The device has answered the request, so that is the result, even if raising the security has failed for
            // another reason.
            self.init(refused: refusal, doing: action, to: device, about: subject, addition: failure.reason)
            self = with(hint: hint)
        } else {
            self.init(status, cannot: action, failure.reason, hint: hint)
        }
    }

    /// The message for a link that must not be raised, or whose device could not be paired with.
    private init(
        _ cause: BlectlError,
        of failure: SecurityFailure,
        doing action: String,
        to device: DeviceReference?,
        about subject: RequestSubject?
    ) {
        guard let refusal = failure.refusal else {
            self.init(cause.status, cannot: action, cause.reason, hint: cause.hint)
            return
        }
        let refused = BlectlError(refused: refusal, doing: action, to: device, about: subject, addition: cause.reason)
        // The device has answered. But if this machine is the obstacle, the hint names what can be changed there.
        let isOfMachine = [.permissionDenied, .configurationError, .cannotCreateOutput, .temporaryFailure]
            .contains(cause.status)
        self.init(
            isOfMachine ? cause.status : refused.status,
            cannot: action,
            refused.reason,
            // More proof makes no key longer.
            hint: refusal.code == .encryptionKeySizeTooShort && !isOfMachine ? refused.hint : cause.hint,
            attError: refused.attError
        )
        self = about(device: device)
    }

    private static func explanation(of failure: SecurityFailure) -> (ExitStatus, hint: String?) {
        // The far end of a socket has no address, and nobody can pair with it.
        let isNamed = failure.peer.address.rawValue != 0
        let address = failure.peer.address
        // Two commands, because a bond that one side has lost has to go on the other side before a new one can be made.
        let again = "blectl unpair \(address), then blectl pair \(address)"
        let (status, hint): (ExitStatus, String) =
            switch failure.problem {
            case .unavailable: (.protocolError, "blectl pair \(address)")
            case .timedOut: (.timedOut, "pair first: blectl pair \(address)")
            case .failed: (.protocolError, "if one side has lost the key: \(again)")
            case .insufficient: (.protocolError, "pair them again, with more protection: \(again)")
            }
        return (status, isNamed ? hint : nil)
    }
}
