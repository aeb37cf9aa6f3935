// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

extension BlectlError {
    /// The message for a link that did not get the security that was demanded.
    init(
        _ failure: SecurityFailure,
        doing action: String,
        to device: DeviceReference? = nil,
        about subject: FailureSubject? = nil
    ) {
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

    private static func explanation(of failure: SecurityFailure) -> (ExitStatus, hint: String) {
        let address = failure.peer.address
        // Two commands, because a bond that one side has lost has to go on the other side before a new one can be made.
        let again = "blectl unpair \(address), then blectl pair \(address)"
        return switch failure.problem {
        case .unavailable: (.protocolError, "blectl pair \(address)")
        case .timedOut: (.timedOut, "pair first: blectl pair \(address)")
        case .failed: (.protocolError, "if one side has lost the key: \(again)")
        case .insufficient: (.protocolError, "pair them again, with more protection: \(again)")
        }
    }
}
