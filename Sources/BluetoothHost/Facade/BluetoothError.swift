// SPDX-License-Identifier: MIT

public import Bluetooth
import BluetoothProfiles

/// Why an operation failed, in words for a person: the same that the command line tool uses.
public struct BluetoothError: Error, Sendable, CustomStringConvertible {
    /// The action that failed, as it follows "cannot": `read Battery Level from F0:F1:…`.
    public let action: String
    /// The underlying error: `RadioError`, `ConnectFailure`, `ATTFailure`, `GATTError`, `SecurityFailure`,
    /// `MissingAttribute`, `NotObservable`, `DeadlineExceeded`, `DecodeError` or `FieldError`.
    public let cause: any Error
    /// The characteristic that the action was on; `nil` if it was on none.
    public let characteristic: BluetoothUUID?

    /// Why it failed: `the device did not answer`.
    public var reason: String {
        switch cause {
        case let error as RadioError: error.reason
        case let error as ConnectFailure: error.reason
        case let error as DeadlineExceeded: error.reason
        case let error as ATTFailure: error.reason(for: characteristic)
        case let error as GATTError: error.reason(for: characteristic)
        case let error as SecurityFailure: error.reason
        case let error as MissingAttribute: error.reason
        case let error as NotObservable: error.reason
        case let error as DecodeError: "the value does not have the format of the characteristic: \(error)"
        default: "\(cause)"
        }
    }

    /// `cannot read Battery Level from F0:F1:…: the device did not answer`
    public var description: String { "cannot \(action): \(reason)" }

    /// The error of an action. A `CancellationError` is kept, and so is an error that is complete already.
    static func from(
        _ error: any Error,
        doing action: String,
        on characteristic: BluetoothUUID? = nil
    ) -> any Error {
        switch error {
        case is CancellationError, is BluetoothError: error
        case let error as RadioError where error.cause == .cancelled: CancellationError()
        default: BluetoothError(action: action, cause: error, characteristic: characteristic)
        }
    }
}

extension Characteristic {
    func error(_ error: any Error, doing verb: String, preposition: String = "of") -> any Error {
        let uuid: BluetoothUUID?
        let name: String
        switch selector {
        case .uuid(let known, _, _):
            uuid = known
            name = AssignedNumbers.name(ofCharacteristic: known) ?? known.description
        case .handle(let handle):
            uuid = nil
            name = "\(handle)"
        }
        return BluetoothError.from(
            error,
            doing: "\(verb) \(name) \(preposition) \(peripheral.address.address)",
            on: uuid
        )
    }
}
