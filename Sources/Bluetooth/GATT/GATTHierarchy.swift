// SPDX-License-Identifier: MIT

/// A service as discovery finds it: its UUID and the handles that belong to it.
///
/// Spec: Core 5.4, Vol 3, Part G, 3.1
public struct GATTService: Hashable, Sendable {
    /// The kind of service.
    public let uuid: BluetoothUUID
    /// The handles from the declaration to the last attribute of the service.
    public let range: HandleRange
    /// Whether the service is primary; a secondary one has a meaning only if another service includes it.
    public let isPrimary: Bool

    /// Creates a service; `range` begins at its declaration.
    public init(uuid: BluetoothUUID, range: HandleRange, isPrimary: Bool) {
        self.uuid = uuid
        self.range = range
        self.isPrimary = isPrimary
    }

    /// The handles after the declaration; `nil` if the service consists of its declaration only.
    public var contents: HandleRange? {
        guard let next = range.start.next, next <= range.end else { return nil }
        return HandleRange(next, range.end)
    }
}

/// An attribute by its type, with the service and the characteristic that it belongs to.
public struct GATTPlace: Hashable, Sendable {
    /// The type of the attribute.
    public let attribute: BluetoothUUID
    /// The service; `nil` if the attribute is in none.
    public let service: BluetoothUUID?
    /// The characteristic; `nil` if the attribute is before the first one of its service.
    public let characteristic: BluetoothUUID?

    /// Creates a place.
    public init(attribute: BluetoothUUID, service: BluetoothUUID?, characteristic: BluetoothUUID?) {
        self.attribute = attribute
        self.service = service
        self.characteristic = characteristic
    }
}

/// A reference from one service to another.
///
/// Spec: Core 5.4, Vol 3, Part G, 3.2
public struct GATTIncludedService: Hashable, Sendable {
    /// The handle of the include declaration.
    public let handle: Handle
    /// The handles of the included service.
    public let range: HandleRange
    /// The kind of the included service; `nil` if the server refused to let its declaration be read.
    public let uuid: BluetoothUUID?

    /// Creates an included service; `range` begins at that service's declaration.
    public init(handle: Handle, range: HandleRange, uuid: BluetoothUUID?) {
        self.handle = handle
        self.range = range
        self.uuid = uuid
    }
}

/// A characteristic as discovery finds it.
///
/// Spec: Core 5.4, Vol 3, Part G, 3.3
public struct GATTCharacteristic: Hashable, Sendable {
    /// The handle of the declaration.
    public let declaration: Handle
    /// The handle of the value.
    public let valueHandle: Handle
    /// The operations that the declaration announces.
    public let properties: CharacteristicProperties
    /// The kind of characteristic.
    public let uuid: BluetoothUUID
    /// The last handle of the characteristic: the one before the next declaration, or the service's end.
    public let end: Handle

    /// Creates a characteristic; the handles rise from `declaration` over `valueHandle` to `end`.
    public init(
        declaration: Handle,
        valueHandle: Handle,
        properties: CharacteristicProperties,
        uuid: BluetoothUUID,
        end: Handle
    ) {
        self.declaration = declaration
        self.valueHandle = valueHandle
        self.properties = properties
        self.uuid = uuid
        self.end = end
    }

    /// A copy with another end.
    public func ending(at end: Handle) -> GATTCharacteristic {
        GATTCharacteristic(
            declaration: declaration,
            valueHandle: valueHandle,
            properties: properties,
            uuid: uuid,
            end: end
        )
    }

    /// The handles that may hold descriptors; `nil` if there is none.
    public var descriptorRange: HandleRange? {
        guard let next = valueHandle.next, next <= end else { return nil }
        return HandleRange(next, end)
    }
}

/// A descriptor as discovery finds it.
///
/// Spec: Core 5.4, Vol 3, Part G, 3.3.3
public struct GATTDescriptor: Hashable, Sendable {
    /// The handle of the descriptor.
    public let handle: Handle
    /// The kind of descriptor.
    public let uuid: BluetoothUUID

    /// Creates a descriptor at a handle.
    public init(handle: Handle, uuid: BluetoothUUID) {
        self.handle = handle
        self.uuid = uuid
    }
}
