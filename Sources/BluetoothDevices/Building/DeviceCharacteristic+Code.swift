// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothProfiles

/// Firmware in Swift: closures in the place of values and rules. They run on the bench, in a simulation and on a real
/// adapter alike.
///
/// A closure decides at once, because the device waits for it: it computes, and keeps its state in a `Mutex`. What takes
/// time is a matter of the program that serves the device. An `ATTRefusal` that it throws goes to the client with its code,
/// and any other error as Unlikely Error.
extension DeviceCharacteristic {
    /// The same characteristic, whose value is made by code each time that it is read, and each time that its stream
    /// sends it (`sent(every:)`).
    ///
    /// - Parameter body: Provides the octets.
    public func onRead(_ body: @escaping @Sendable (inout DeviceContext) throws -> [UInt8]) -> Self {
        var changed = self
        changed.code = CodeReference(code: CharacteristicCode(self, read: body))
        // A characteristic without a value has nothing to read or to send.
        changed.value = value ?? .octets([])
        return changed
    }

    /// The same characteristic, whose value is made by code each time that it is read, and each time that its stream
    /// sends it (`sent(every:)`).
    ///
    /// - Parameter body: Provides the value.
    public func onRead<Model: CharacteristicModel>(
        _ body: @escaping @Sendable (inout DeviceContext) throws -> Model
    ) -> Self {
        onRead { device -> [UInt8] in try body(&device).encoded() }
    }

    /// The same characteristic, whose writes are decided by code. An accepted value then has the effects that it has
    /// without code: it is stored, or the rules decide.
    ///
    /// - Parameter body: Gets the whole value that the write would make, and throws if it does not accept it.
    public func onWrite(_ body: @escaping @Sendable ([UInt8], inout DeviceContext) throws -> Void) -> Self {
        var changed = self
        changed.code = CodeReference(code: CharacteristicCode(self, write: body))
        return changed
    }

    /// The same characteristic, with code that follows its subscribers.
    ///
    /// - Parameter body: Gets whether a client has subscribed or unsubscribed. It refuses nothing: an error is ignored.
    public func onSubscribe(_ body: @escaping @Sendable (Bool, inout DeviceContext) throws -> Void) -> Self {
        var changed = self
        changed.code = CodeReference(code: CharacteristicCode(self, subscription: body))
        return changed
    }
}

extension DeviceContext {
    /// Sends a value to the subscribed clients, and leaves the value that clients read as it is.
    ///
    /// - Throws: `FieldError` if the value does not fit the characteristic; `ATTRefusal` if the device does not have it.
    public mutating func send(_ model: some CharacteristicModel, in service: BluetoothUUID? = nil) throws {
        try send(try model.encoded(), of: type(of: model).characteristic, in: service)
    }

    /// Sends octets to the subscribed clients, and leaves the value that clients read as it is.
    public mutating func send(
        _ value: [UInt8],
        of characteristic: BluetoothUUID,
        in service: BluetoothUUID? = nil
    ) throws(ATTRefusal) {
        guard let handle = valueHandle(of: characteristic, in: service) else { throw ATTRefusal(.attributeNotFound) }
        notify(value, of: handle)
    }

    /// Changes a value, and sends it to the subscribed clients.
    ///
    /// - Throws: `FieldError` if the value does not fit the characteristic; `ATTRefusal` if the device does not have it.
    public mutating func set(_ model: some CharacteristicModel, in service: BluetoothUUID? = nil) throws {
        try set(try model.encoded(), of: type(of: model).characteristic, in: service)
    }

    /// Changes the octets of a value, and sends them to the subscribed clients.
    public mutating func set(
        _ value: [UInt8],
        of characteristic: BluetoothUUID,
        in service: BluetoothUUID? = nil
    ) throws(ATTRefusal) {
        guard let handle = valueHandle(of: characteristic, in: service) else { throw ATTRefusal(.attributeNotFound) }
        setValue(value, of: handle)
        notify(value, of: handle)
    }
}
