// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import CommandLineInterface

extension BlectlError {
    /// A bearer's failure in a person's words.
    package init(
        _ failure: ATTFailure,
        doing action: String,
        to device: DeviceReference? = nil,
        about subject: RequestSubject? = nil
    ) {
        switch failure {
        case .errorResponse(let error): self.init(refused: error, doing: action, to: device, about: subject)
        case .timedOut:
            self.init(
                .timedOut,
                cannot: action,
                failure.reason(),
                hint: "try again"
            )
        case .closed, .cancelled:
            self.init(.temporaryFailure, cannot: action, failure.reason(), hint: "try again")
        // This program has to keep to these limits itself.
        case .tooLong, .mtuAlreadyExchanged, .queueFull:
            self.init(.internalError, cannot: action, "\(failure)")
        default:
            self.init(.protocolError, cannot: action, "\(failure)")
        }
    }

    package init(
        _ error: GATTError,
        doing action: String,
        to device: DeviceReference? = nil,
        about subject: RequestSubject? = nil
    ) {
        switch error {
        case .refused(let response): self.init(refused: response, doing: action, to: device, about: subject)
        case .invalidResponse: self.init(.protocolError, cannot: action, "\(error)")
        case .valueTooLong, .unsuitableHandleCount: self.init(.badData, cannot: action, "\(error)")
        }
    }

    /// The message for a request that the device has refused.
    ///
    /// - Parameters:
    ///   - error: The refusal.
    ///   - action: The action that failed, to follow "cannot".
    ///   - device: The device, for the hint.
    ///   - addition: The failed attempt after the refusal.
    package init(
        refused error: ATTErrorResponse,
        doing action: String,
        to device: DeviceReference?,
        about subject: RequestSubject?,
        addition: String? = nil
    ) {
        let code = error.code
        let refusal = error.reason(named: subject?.name(of: code), sentLength: subject?.sentLength)
        // A link that was paired for this request, or by an earlier command, shows that the keys are not enough.
        let lack = code.demandsMoreSecurity ? device?.bondedSecurity.map { "the link is only \($0.text)" } : nil
        let reason = (addition ?? lack).map { "\(refusal), and \($0)" } ?? refusal
        let inspect = "blectl inspect\(device?.option ?? "")"
        let hint: String? =
            switch code {
            // The device at the other end of a socket has no address, and cannot be paired with.
            case .insufficientAuthentication, .insufficientEncryption:
                device.flatMap { device in
                    let address = device.address.address
                    guard address.rawValue != 0 else { return nil }
                    // With a bond, `pair` would only say that they are paired already.
                    return device.bondedSecurity == nil
                        ? "blectl pair \(address)"
                        : "blectl unpair \(address), then blectl pair \(address) --passkey DIGITS"
                }
            // A key of that length may be the longest that the two can agree on, so the hint cannot promise success.
            case .encryptionKeySizeTooShort:
                device.flatMap { device in
                    let address = device.address.address
                    guard address.rawValue != 0 else { return nil }
                    return
                        "another pairing may have a longer key: blectl unpair \(address), then blectl pair \(address)"
                }
            case .readNotPermitted: subject?.alternative(toReadingFrom: device) ?? "what it allows: \(inspect)"
            case .writeNotPermitted: "what can be written: \(inspect)"
            case .requestNotSupported where error.requestOpcode == .prepareWriteRequest:
                subject?.withoutPreparedWrites
            case .invalidHandle: "which handles there are: \(inspect)"
            default: nil
            }
        // A missing attribute has the status "not found", whichever layer reports it.
        let status: ExitStatus = code == .attributeNotFound ? .notFound : .protocolError
        self.init(status, cannot: action, reason, hint: hint, attError: code.rawValue)
        self = about(device: device).withErrorName(subject?.name(of: code))
    }

    package init(_ missing: MissingAttribute, doing action: String, to device: DeviceReference? = nil) {
        var hint = "what it has: blectl inspect\(device?.option ?? "")"
        // No characteristic has such a number: those below 0x1800 are of protocols and of Basic Rate. Other tools take
        // the number of a handle alone.
        if case .characteristic(let uuid, service: nil) = missing, let number = uuid.short16, number < 0x1800 {
            hint = "a handle is written handle:\(uuid); \(hint)"
        }
        self.init(.notFound, cannot: action, missing.reason, hint: hint)
    }
}

extension ATTErrorCode {
    /// Whether a link with better keys may satisfy the device.
    fileprivate var demandsMoreSecurity: Bool { self == .insufficientAuthentication || self == .insufficientEncryption }
}
