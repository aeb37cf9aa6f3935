// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothProfiles

/// Makes the characteristics of a service from the statements of a closure.
@resultBuilder
public enum DeviceCharacteristicBuilder {
    /// One characteristic.
    public static func buildExpression(_ characteristic: DeviceCharacteristic) -> [DeviceCharacteristic] {
        [characteristic]
    }
    /// Several that were made elsewhere.
    public static func buildExpression(_ characteristics: [DeviceCharacteristic]) -> [DeviceCharacteristic] {
        characteristics
    }
    /// The statements one after the other.
    public static func buildBlock(_ parts: [DeviceCharacteristic]...) -> [DeviceCharacteristic] {
        parts.flatMap(\.self)
    }
    /// An `if` without `else`.
    public static func buildOptional(_ part: [DeviceCharacteristic]?) -> [DeviceCharacteristic] { part ?? [] }
    /// The first branch of an `if` or `switch`.
    public static func buildEither(first part: [DeviceCharacteristic]) -> [DeviceCharacteristic] { part }
    /// Another branch of an `if` or `switch`.
    public static func buildEither(second part: [DeviceCharacteristic]) -> [DeviceCharacteristic] { part }
    /// A loop.
    public static func buildArray(_ parts: [[DeviceCharacteristic]]) -> [DeviceCharacteristic] { parts.flatMap(\.self) }
}

extension DeviceService {
    /// A service that is described in Swift.
    ///
    /// - Parameters:
    ///   - uuid: The kind of service.
    ///   - isPrimary: `false` for a service that has a meaning only where another one includes it.
    ///   - label: The name by which other services include this one; `nil` for the UUID.
    ///   - includes: The labels of the services that this one includes.
    ///   - characteristics: Its characteristics, in their order.
    public init(
        _ uuid: BluetoothUUID,
        isPrimary: Bool = true,
        label: String? = nil,
        includes: [String] = [],
        @DeviceCharacteristicBuilder _ characteristics: () throws -> [DeviceCharacteristic]
    ) rethrows {
        self.init(
            uuid,
            isPrimary: isPrimary,
            label: label,
            includes: includes,
            characteristics: try characteristics()
        )
    }
}

extension DeviceCharacteristic {
    /// A characteristic with a typed value from its start.
    ///
    /// - Parameters:
    ///   - model: The value. Its type says which characteristic it is.
    ///   - properties: What clients may do.
    /// - Throws: The member of the value that does not fit the characteristic, and what is allowed.
    public init(
        _ model: some CharacteristicModel,
        _ properties: CharacteristicProperties = .read
    ) throws(FieldError) {
        self.init(type(of: model).characteristic, properties, value: .octets(try model.encoded()))
    }

    /// A characteristic without a value, such as one that is only sent.
    public init<Model: CharacteristicModel>(_ model: Model.Type, _ properties: CharacteristicProperties) {
        self.init(Model.characteristic, properties)
    }

    /// A characteristic with a text as its value.
    ///
    /// - Parameters:
    ///   - uuid: The kind of characteristic.
    ///   - text: The text, which is sent as UTF-8.
    public init(_ uuid: BluetoothUUID, text: String) {
        self.init(uuid, .read, value: .octets(Array(text.utf8)))
    }

    /// The same characteristic, whose value is sent to subscribed clients in regular intervals.
    ///
    /// - Parameters:
    ///   - period: The time between two values.
    ///   - onlyChanges: Whether only values that differ from the last one are sent.
    public func sent(every period: Duration, onlyChanges: Bool = false) -> Self {
        with { $0.stream = DeviceStream(every: .fixed(period), onlyChanges: onlyChanges) }
    }

    /// The same characteristic, with a rule for writes of clients. Rules are tried in the order in which they were
    /// added.
    ///
    /// - Parameters:
    ///   - condition: The required value; `nil` for any value.
    ///   - actions: The actions, in order.
    public func onWrite(_ condition: WriteCondition? = nil, _ actions: DeviceAction...) -> Self {
        with { $0.onWrite.append(WriteRule(condition.map { [$0] } ?? [], actions)) }
    }

    /// The same characteristic, with another answer to reads than its value.
    public func onRead(_ response: ReadResponse) -> Self { with { $0.onRead = response } }

    /// The same characteristic, with conditions for reading, writing and subscribing.
    ///
    /// - Parameters:
    ///   - read: The condition for reading; `nil` if it cannot be read.
    ///   - write: The condition for writing; `nil` if it cannot be written.
    ///   - subscription: The condition for subscribing.
    public func requiring(
        read: AccessRequirement?,
        write: AccessRequirement?,
        subscription: AccessRequirement = .open
    ) -> Self {
        with {
            $0.permissions = AttributePermissions(read: read, write: write)
            $0.subscription = subscription
        }
    }

    /// The same characteristic, with a name by which rules refer to it.
    public func labelled(_ label: String) -> Self { with { $0.label = label } }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var changed = self
        change(&changed)
        return changed
    }
}
