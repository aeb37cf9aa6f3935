// SPDX-License-Identifier: MIT

public import Bluetooth
import BluetoothProfiles

// Failures in a person's words: one line in lower case without a full stop, to follow "cannot …: ".

extension ATTErrorResponse {
    /// The refusal in words, with the number and the name of the error code.
    ///
    /// - Parameters:
    ///   - name: The name of the error code; `nil` for that of the protocol.
    ///   - sentLength: The number of octets of the value that was sent; `nil` if none was.
    public func reason(named name: String? = nil, sentLength: Int? = nil) -> String {
        let number = "ATT 0x\(Hex.string(code.rawValue, minimumDigits: 2)) \(name ?? code.description)"
        return switch (code, sentLength) {
        case (.insufficientAuthentication, _), (.insufficientEncryption, _): "the device requires pairing (\(number))"
        case (.invalidAttributeValueLength, let length?):
            "the device refused a value of \(count: length, "octet") (\(number))"
        default: "the device refused (\(number))"
        }
    }

    /// The refusal in words, with the name of the error in the service of a characteristic.
    fileprivate func reason(for characteristic: BluetoothUUID?) -> String {
        reason(named: characteristic.flatMap { AssignedNumbers.service(ofCharacteristic: $0) }.flatMap(code.name(in:)))
    }
}

extension ATTErrorCode {
    /// The name that a service gives to the code: `Heart Rate: control point not supported`; `nil` if it gives none.
    public func name(in service: BluetoothUUID) -> String? {
        guard let name = AssignedNumbers.applicationError(self, ofService: service) else { return nil }
        return AssignedNumbers.name(ofService: service).map { "\($0): \(name)" } ?? name
    }
}

extension ATTFailure {
    /// Why a request has failed.
    ///
    /// - Parameter characteristic: The characteristic of the request; the service that has it names the error codes of
    ///   applications.
    public func reason(for characteristic: BluetoothUUID? = nil) -> String {
        switch self {
        case .errorResponse(let error): error.reason(for: characteristic)
        case .timedOut: "the device did not answer within 30 s, and the connection was closed"
        case .closed, .cancelled: "the connection was closed"
        default: description
        }
    }
}

extension GATTError {
    /// Why a procedure has failed.
    ///
    /// - Parameter characteristic: The characteristic of the procedure; the service that has it names the error codes
    ///   of applications.
    public func reason(for characteristic: BluetoothUUID? = nil) -> String {
        if case .refused(let error) = self { error.reason(for: characteristic) } else { description }
    }
}

extension MissingAttribute {
    /// The missing attribute in words.
    public var reason: String {
        let what =
            switch self {
            case .service(let uuid): "service \(Self.named(uuid, AssignedNumbers.name(ofService: uuid)))"
            case .characteristic(let uuid, let service):
                "characteristic \(Self.named(uuid, AssignedNumbers.name(ofCharacteristic: uuid)))"
                    + (service.map { " in service \(Self.named($0, AssignedNumbers.name(ofService: $0)))" } ?? "")
            case .serviceHandle(let handle): "service at \(handle)"
            case .characteristicHandle(let handle): "characteristic with its value at \(handle)"
            case .descriptor(let uuid, let characteristic):
                "descriptor \(Self.named(uuid, AssignedNumbers.name(ofDescriptor: uuid))) under "
                    + Self.named(characteristic, AssignedNumbers.name(ofCharacteristic: characteristic))
            }
        return "the device has no \(what)"
    }

    private static func named(_ uuid: BluetoothUUID, _ name: String?) -> String {
        name.map { "\($0) (\(uuid))" } ?? uuid.description
    }
}
