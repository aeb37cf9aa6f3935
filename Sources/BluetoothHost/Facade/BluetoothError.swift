// SPDX-License-Identifier: MIT

public import Bluetooth
import BluetoothProfiles

/// Why an operation failed, in words for a person: the same that the command line tool uses.
///
/// It is the one error of `Central`, `Peripheral` and what they give: services, characteristics, descriptors, scans and
/// values. What is below them, such as `ATTConnection` and `HCIController`, throws the errors that are its causes.
public struct BluetoothError: Error, Sendable, CustomStringConvertible {
    /// The action that failed, as it follows "cannot": `read Battery Level from F0:F1:…`.
    public let action: String
    /// The underlying error: `RadioError`, `ConnectFailure`, `ATTFailure`, `GATTError`, `SecurityFailure`,
    /// `MissingAttribute`, `NotObservable`, `LinkChangeFailure`, `DeadlineExceeded`, `DecodeError`, `FieldError`, or
    /// `CancellationError`.
    public let cause: any Error
    /// The characteristic that the action was on; `nil` if it was on none.
    public let characteristic: BluetoothUUID?

    /// Whether the task was cancelled. A view model ends then, and shows nothing.
    public var isCancellation: Bool { cause is CancellationError }

    /// Whether the operation was not over in time.
    public var isTimeout: Bool { cause is DeadlineExceeded }

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
        case is CancellationError: "the task was cancelled"
        default: "\(cause)"
        }
    }

    /// `cannot read Battery Level from F0:F1:…: the device did not answer`
    public var description: String { "cannot \(action): \(reason)" }

    /// The error of an action. An error that is complete already is kept.
    static func from(
        _ error: any Error,
        doing action: String,
        on characteristic: BluetoothUUID? = nil
    ) -> BluetoothError {
        let cause: any Error =
            switch error {
            case let error as RadioError where error.cause == .cancelled: CancellationError()
            default: error
            }
        return error as? BluetoothError
            ?? BluetoothError(action: action, cause: cause, characteristic: characteristic)
    }
}

extension Peripheral {
    /// Runs an operation within a limit of time.
    ///
    /// - Parameters:
    ///   - operation: The operation, as it follows "timed out".
    ///   - limit: The limit; `nil` for that of the configuration.
    ///   - explain: The error of the operation.
    nonisolated func perform<Value: Sendable>(
        _ operation: String,
        within limit: Duration?,
        _ explain: (any Error) -> BluetoothError,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws(BluetoothError) -> Value {
        do {
            let limit = if let limit { limit } else { await configuration.timeout }
            return try await withDeadline(time.now + limit, time, operation: operation, body)
        } catch {
            throw explain(error)
        }
    }

    /// Runs an operation on the device within a limit of time.
    ///
    /// - Parameters:
    ///   - operation: The operation, as it follows "cannot": `read the signal`.
    ///   - limit: The limit; `nil` for that of the configuration.
    nonisolated func perform<Value: Sendable>(
        _ operation: String,
        within limit: Duration?,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws(BluetoothError) -> Value {
        try await perform(
            operation,
            within: limit,
            { BluetoothError.from($0, doing: "\(operation) of \(address.address)") },
            body
        )
    }
}

extension Characteristic {
    func error(_ error: any Error, doing verb: String, preposition: String = "of") -> BluetoothError {
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
