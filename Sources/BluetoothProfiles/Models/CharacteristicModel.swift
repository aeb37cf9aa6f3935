// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of a characteristic as a Swift type: it is decoded from octets, and encoded to publish it.
public protocol CharacteristicModel: Hashable, Sendable {
    /// The characteristic.
    static var characteristic: BluetoothUUID { get }

    /// The model of device whose values have this form, if other models use the same UUID; `nil` for most types.
    static var model: DeviceModel? { get }

    /// Decodes a value. Throws if the octets end too early, or contradict each other.
    init(decoding octets: [UInt8]) throws(DecodeError)

    /// Decodes a value of a device of that model; `nil` if the model is not known. Throws as well if the type is not
    /// for such a device, because its numbers would be wrong.
    init(decoding octets: [UInt8], on model: DeviceModel?) throws(DecodeError)

    /// The octets. Throws if a property does not fit the characteristic: the error names the member, and what is
    /// allowed.
    func encoded() throws(FieldError) -> [UInt8]
}

extension CharacteristicModel {
    public static var model: DeviceModel? { nil }

    static var format: CharacteristicFormat { (CharacteristicFormat.of(characteristic) ?? .text).on(model) }

    public init(decoding octets: [UInt8], on model: DeviceModel?) throws(DecodeError) {
        try self.init(decoding: octets)
    }
}

/// A model whose properties are members of the decoded value. The octets are a matter of the characteristic's format
/// only: the model says which member a property is.
public protocol MemberwiseModel: CharacteristicModel {
    /// A value with nothing in it. Set the properties that the value is to have.
    init()

    /// The members, with their properties.
    static var members: [ModelMember<Self>] { get }
}

extension MemberwiseModel {
    /// Decodes a value. Octets that the format does not cover are ignored, because later editions append fields.
    public init(decoding octets: [UInt8]) throws(DecodeError) {
        self.init(content: try Self.format.decode(octets).content)
    }

    /// Decodes a value in the format of the model. Throws if that has no member of the type, or if the format depends on
    /// a model that is not known.
    public init(decoding octets: [UInt8], on model: DeviceModel?) throws(DecodeError) {
        let format = (CharacteristicFormat.of(Self.characteristic) ?? .text).on(model)
        let keys = format.keys
        guard Self.members.contains(where: { $0.key.isEmpty || keys.contains($0.key) }) else {
            let why = model.map { "a \($0.name) has no such values" } ?? "its format depends on the model of the device"
            throw DecodeError("value", .inconsistent(why))
        }
        self.init(content: try format.decode(octets).content)
    }

    /// Sets the properties from the members of a decoded value. Missing members leave their properties as in an empty
    /// value.
    public init(content: DecodedValue.Content) {
        self.init()
        for member in Self.members {
            // A format with a single member may have its content alone.
            let value = content[member.key] ?? (member.key.isEmpty ? content : .null)
            if value != .null { member.set(&self, value) }
        }
    }

    /// The octets.
    public func encoded() throws(FieldError) -> [UInt8] { try Self.format.encode(content) }

    /// The value as a tree, with all members.
    public var content: DecodedValue.Content {
        if Self.members.count == 1, let member = Self.members.first, member.key.isEmpty { return member.get(self) }
        return .object(Self.members.map { .init($0.key, $0.get(self)) })
    }
}

/// A member of a decoded value, and the property that it is.
public struct ModelMember<Model> {
    let key: String
    let get: (Model) -> DecodedValue.Content
    let set: (inout Model, DecodedValue.Content) -> Void

    /// A property that may be absent.
    public init<Value: ModelValue>(_ key: String, _ property: WritableKeyPath<Model, Value?>) {
        self.key = key
        get = { $0[keyPath: property]?.content ?? .null }
        set = { $0[keyPath: property] = Value(content: $1) }
    }

    /// A property that is always there.
    public init<Value: ModelValue>(_ key: String, _ property: WritableKeyPath<Model, Value>) {
        self.key = key
        get = { $0[keyPath: property].content }
        set = { if let value = Value(content: $1) { $0[keyPath: property] = value } }
    }
}
