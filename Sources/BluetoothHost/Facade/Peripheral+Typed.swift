// SPDX-License-Identifier: MIT

import Bluetooth
public import BluetoothProfiles

extension Peripheral {
    /// The characteristic of a key.
    public nonisolated func characteristic<Value>(_ key: CharacteristicKey<Value>) -> Characteristic {
        characteristic(key.characteristic)
    }

    /// Reads a value, with one request if it fits into one answer: `try await strap.read(.batteryLevel)`.
    ///
    /// - Throws: A `BluetoothError` if there is no link, no such characteristic, a refusal, no answer in time, or a
    ///   value that does not have the format.
    public nonisolated func read<Value: Sendable>(_ key: CharacteristicKey<Value>) async throws(BluetoothError) -> Value
    {
        let characteristic = characteristic(key)
        do {
            let octets = try await withTimeout("read") { try await characteristic.read() }.value
            guard let decode = key.decodeOnModel else { return try key.decode(octets) }
            return try decode(octets, try await model(for: key.characteristic))
        } catch {
            throw characteristic.error(error, doing: "read", preposition: "from")
        }
    }

    /// Reads the value of a model.
    public nonisolated func read<Model: CharacteristicModel>(_ model: Model.Type) async throws(BluetoothError) -> Model
    {
        try await read(CharacteristicKey(model))
    }

    /// Writes a value with a response.
    ///
    /// - Throws: A `BluetoothError` as for reading, and with a `FieldError` if the value does not fit the
    ///   characteristic.
    public nonisolated func write<Value: Sendable>(_ value: Value, to key: CharacteristicKey<Value>)
        async throws(BluetoothError)
    {
        let characteristic = characteristic(key)
        do {
            let octets = try key.encode(value)
            _ = try await withTimeout("write") { try await characteristic.write(octets) }
        } catch {
            throw characteristic.error(error, doing: "write", preposition: "to")
        }
    }

    /// Writes a model to its characteristic, with a response.
    public nonisolated func write<Model: CharacteristicModel>(_ value: Model) async throws(BluetoothError) {
        try await write(value, to: CharacteristicKey(Model.self))
    }

    /// The values that the device sends from now on, decoded.
    ///
    /// - Parameters:
    ///   - key: The characteristic, and how its octets are decoded.
    ///   - limit: The number of values that wait for a slow reader; older ones are dropped and reported.
    ///   - onEvent: Called in the task of the reader, between two values, which wait for it.
    public nonisolated func values<Value>(
        of key: CharacteristicKey<Value>,
        limit: Int = Observation.defaultLimit,
        onEvent: @escaping @Sendable (SubscriptionEvent) async -> Void = { _ in }
    ) -> TypedValues<Value> {
        TypedValues(values: characteristic(key).values(limit: limit, onEvent: onEvent), key: key)
    }

    /// The values of a model that the device sends from now on.
    public nonisolated func values<Model: CharacteristicModel>(
        of model: Model.Type,
        limit: Int = Observation.defaultLimit,
        onEvent: @escaping @Sendable (SubscriptionEvent) async -> Void = { _ in }
    ) -> TypedValues<Model> {
        values(of: CharacteristicKey(model), limit: limit, onEvent: onEvent)
    }

    /// Runs an operation within the time limit of the configuration.
    nonisolated func withTimeout<Value: Sendable>(
        _ operation: String,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withDeadline(time.now + configuration.timeout, time, operation: operation, body)
    }

    /// Unsubscribes from everything within a short time limit, and closes the link, even in a cancelled task.
    func unsubscribeAndDisconnect() async {
        if isConnected {
            await scope.cleanUp(time) { await self.unsubscribeAll() }
        }
        await disconnect()
    }
}
