// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothProfiles

/// Why the program cannot change or send a value of the device that it serves.
public enum ServedValueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `PeripheralHost.serve` has not begun.
    case notServed
    /// The device has no such characteristic.
    case noCharacteristic(BluetoothUUID)
    /// The value is longer than the device allows.
    case notSettable(BluetoothUUID)
    /// The task was cancelled while a client's link had no room for the value, which was sent to nobody.
    case cancelled(BluetoothUUID)
    /// A client's link had no room for the value within the limit. The value was sent to nobody.
    case timedOut(BluetoothUUID, Duration)

    /// `the device has no Battery Level`
    public var description: String {
        switch self {
        case .notServed: "the device is not served yet"
        case .noCharacteristic(let uuid): "the device has no \(Self.name(uuid))"
        case .notSettable(let uuid): "\(Self.name(uuid)) cannot have the value: it is too long"
        case .cancelled(let uuid): "\(Self.name(uuid)) was not sent: cancelled while a client took no more"
        case .timedOut(let uuid, let limit): "\(Self.name(uuid)) was not sent: a client took no more for \(limit.text)"
        }
    }

    private static func name(_ uuid: BluetoothUUID) -> String {
        AssignedNumbers.name(ofCharacteristic: uuid) ?? "\(uuid)"
    }
}

extension PeripheralHost {
    /// Changes a value, and sends it to the clients that are subscribed: `set(BatteryLevel(percent: 88))`.
    ///
    /// Like `send`, it waits for room.
    ///
    /// - Parameters:
    ///   - model: The value.
    ///   - service: The service with the characteristic; `nil` for the first one that has it.
    ///   - limit: How long it waits.
    /// - Throws: A `ServedValueError`, or a `FieldError` if the model has no octets.
    public func set(
        _ model: some CharacteristicModel,
        in service: BluetoothUUID? = nil,
        within limit: Duration = .seconds(30)
    ) async throws {
        try await set(try model.encoded(), of: type(of: model).characteristic, in: service, within: limit)
    }

    /// Changes a value by its key, and sends it to the clients that are subscribed: `set("2.4.2", of:
    /// .firmwareRevision)`.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The characteristic, and how its values are encoded.
    ///   - limit: How long it waits.
    /// - Throws: A `ServedValueError`, or a `FieldError` if the value has no octets.
    public func set<Value: Sendable>(
        _ value: Value,
        of key: CharacteristicKey<Value>,
        within limit: Duration = .seconds(30)
    ) async throws {
        try await set(try key.encode(value), of: key.characteristic, within: limit)
    }

    /// Changes the octets of a value, and sends them to the clients that are subscribed.
    ///
    /// Like `send`, it waits for room.
    ///
    /// - Parameters:
    ///   - value: At most 512 octets.
    ///   - characteristic: The characteristic.
    ///   - service: The service with the characteristic; `nil` for the first one that has it.
    ///   - limit: How long it waits.
    public func set(
        _ value: [UInt8],
        of characteristic: BluetoothUUID,
        in service: BluetoothUUID? = nil,
        within limit: Duration = .seconds(30)
    ) async throws(ServedValueError) {
        let isSet = try await withRoom(for: characteristic, in: service, limit) { $0.setValue(value, of: $1) }
        guard isSet else { throw .notSettable(characteristic) }
    }

    /// Sends a value to the clients that are subscribed, as a notification or an indication, and leaves the value that
    /// clients read as it is.
    ///
    /// A link that is slower than the values takes 1,088 of them ahead, and then this waits until each subscribed client
    /// has room. Links that end, and the cancellation of the task, end the wait.
    ///
    /// - Parameters:
    ///   - model: The value.
    ///   - service: The service with the characteristic; `nil` for the first one that has it.
    ///   - limit: How long it waits.
    /// - Returns: The number of clients that are subscribed.
    /// - Throws: A `ServedValueError`, or a `FieldError` if the model has no octets.
    @discardableResult
    public func send(
        _ model: some CharacteristicModel,
        in service: BluetoothUUID? = nil,
        within limit: Duration = .seconds(30)
    ) async throws -> Int {
        try await send(try model.encoded(), of: type(of: model).characteristic, in: service, within: limit)
    }

    /// Sends octets to the clients that are subscribed, as a notification or an indication, and leaves the value that
    /// clients read as it is. It waits for room, as the other `send` does.
    ///
    /// - Parameters:
    ///   - value: The octets.
    ///   - characteristic: The characteristic.
    ///   - service: The service with the characteristic; `nil` for the first one that has it.
    ///   - limit: How long it waits.
    /// - Returns: The number of clients that are subscribed.
    @discardableResult
    public func send(
        _ value: [UInt8],
        of characteristic: BluetoothUUID,
        in service: BluetoothUUID? = nil,
        within limit: Duration = .seconds(30)
    ) async throws(ServedValueError) -> Int {
        try await withRoom(for: characteristic, in: service, limit) { $0.send(value, of: $1) }
    }

    /// Calls a function that sends a value, when the links of the subscribed clients have room for it.
    private func withRoom<Value: Sendable>(
        for characteristic: BluetoothUUID,
        in service: BluetoothUUID?,
        _ limit: Duration,
        _ send: @Sendable (isolated DeviceRunner, @Sendable (GATTDatabase) -> Handle?) -> Value?
    ) async throws(ServedValueError) -> Value {
        guard let runner else { throw .notServed }
        let find: @Sendable (GATTDatabase) -> Handle? = { $0.characteristic(characteristic, in: service)?.valueHandle }
        let sent: Value?
        do {
            sent = try await runner.withRoom(for: find, within: limit) { send($0, find) }
        } catch {
            switch error {
            case .cancelled: throw .cancelled(characteristic)
            case .timedOut: throw .timedOut(characteristic, limit)
            }
        }
        guard let sent else { throw .noCharacteristic(characteristic) }
        return sent
    }

    /// The number of clients that are subscribed to a characteristic; 0 before it is served.
    ///
    /// - Parameters:
    ///   - characteristic: The characteristic.
    ///   - service: The service with the characteristic; `nil` for the first one that has it.
    public func subscribers(
        of characteristic: BluetoothUUID,
        in service: BluetoothUUID? = nil
    ) async throws(ServedValueError) -> Int {
        guard let runner else { return 0 }
        guard let count = await runner.subscribers(of: { $0.characteristic(characteristic, in: service)?.valueHandle })
        else { throw .noCharacteristic(characteristic) }
        return count
    }
}
