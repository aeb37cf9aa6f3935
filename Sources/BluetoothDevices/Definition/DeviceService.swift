// SPDX-License-Identifier: MIT

public import Bluetooth

/// A service of a device.
public struct DeviceService: Hashable, Sendable {
    /// The kind of service.
    public var uuid: BluetoothUUID
    /// Whether the service is primary; a secondary one has a meaning only if another service includes it.
    public var isPrimary: Bool
    /// The name by which other services include this one; `nil` for the UUID.
    public var label: String?
    /// The labels of the services that this one includes.
    public var includes: [String]
    /// The characteristics, in their order.
    public var characteristics: [DeviceCharacteristic]
    /// The handle of the declaration; `nil` for the next free one.
    public var handle: Handle?

    /// Creates a service.
    public init(
        _ uuid: BluetoothUUID,
        isPrimary: Bool = true,
        label: String? = nil,
        includes: [String] = [],
        characteristics: [DeviceCharacteristic] = [],
        handle: Handle? = nil
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.label = label
        self.includes = includes
        self.characteristics = characteristics
        self.handle = handle
    }
}

/// A characteristic of a device, with its behaviour.
public struct DeviceCharacteristic: Hashable, Sendable {
    /// How a read is answered.
    public enum ReadResponse: Hashable, Sendable {
        /// By the value.
        case value
        /// By an error.
        case refuse(ATTErrorCode)
        /// Not at all.
        case silence
    }

    /// The kind of characteristic.
    public var uuid: BluetoothUUID
    /// A name by which rules refer to it; `nil` if its UUID suffices.
    public var label: String?
    /// The operations that the declaration announces.
    public var properties: CharacteristicProperties
    /// Further operations.
    public var extendedProperties: CharacteristicExtendedProperties
    /// The conditions for reading and writing the value; `nil` if they follow from the properties.
    public var permissions: AttributePermissions?
    /// The condition for subscribing.
    public var subscription: AccessRequirement
    /// The value; `nil` if there is none to read. A write of a client that no rule matches replaces it.
    public var value: DeviceValue?
    /// The lengths in octets that a write may have; `nil` for 0 to 512.
    public var lengths: ClosedRange<Int>?
    /// The times at which the value is sent to subscribed clients.
    public var stream: DeviceStream?
    /// How a read is answered.
    public var onRead: ReadResponse
    /// The rules of a write: the first one whose condition is met decides. Without one, the write is accepted.
    public var onWrite: [WriteRule]
    /// What Swift code decides: `onRead(_:)`, `onWrite(_:)` and `onSubscribe(_:)` with closures. A device file has none.
    var code: CodeReference?
    /// The descriptors that are not added automatically, in their order.
    public var descriptors: [DescriptorDefinition]
    /// The handle of the declaration; `nil` for the next free one.
    public var handle: Handle?
    /// The handle of the value; `nil` for the one after the declaration.
    public var valueHandle: Handle?

    /// Creates a characteristic.
    public init(
        _ uuid: BluetoothUUID,
        _ properties: CharacteristicProperties,
        label: String? = nil,
        value: DeviceValue? = nil,
        lengths: ClosedRange<Int>? = nil,
        extendedProperties: CharacteristicExtendedProperties = [],
        permissions: AttributePermissions? = nil,
        subscription: AccessRequirement = .open,
        stream: DeviceStream? = nil,
        onRead: ReadResponse = .value,
        onWrite: [WriteRule] = [],
        descriptors: [DescriptorDefinition] = [],
        handle: Handle? = nil,
        valueHandle: Handle? = nil
    ) {
        self.uuid = uuid
        self.label = label
        self.properties = properties
        self.extendedProperties = extendedProperties
        self.permissions = permissions
        self.subscription = subscription
        self.value = value
        self.lengths = lengths
        self.stream = stream
        self.onRead = onRead
        self.onWrite = onWrite
        self.descriptors = descriptors
        self.handle = handle
        self.valueHandle = valueHandle
    }
}

/// A reference from a rule to a characteristic of the same device.
public enum CharacteristicReference: Hashable, Sendable {
    /// The characteristic with that label.
    case label(String)
    /// The first characteristic of that UUID, in all services or in those of a UUID.
    case uuid(BluetoothUUID, service: BluetoothUUID?)
}
