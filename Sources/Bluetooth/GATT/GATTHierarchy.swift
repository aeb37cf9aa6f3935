// SPDX-License-Identifier: GPL-2.0-or-later

/// A service as discovery finds it: its UUID and the handles that belong to it.
///
/// Spec: Core 5.4, Vol 3, Part G, 3.1
public struct GATTService: Hashable, Sendable {
    /// What kind of service it is.
    public let uuid: BluetoothUUID
    /// From the declaration to the last attribute of the service.
    public let range: HandleRange
    /// Whether the service is primary; a secondary one only means something where another service includes it.
    public let isPrimary: Bool

    /// Describes a service.
    public init(uuid: BluetoothUUID, range: HandleRange, isPrimary: Bool) {
        self.uuid = uuid
        self.range = range
        self.isPrimary = isPrimary
    }

    /// The handles behind the declaration; `nil` where the service has no attribute but its declaration.
    public var contents: HandleRange? {
        guard let next = range.start.next, next <= range.end else { return nil }
        return HandleRange(next, range.end)
    }
}

/// A reference from one service to another.
///
/// Spec: Core 5.4, Vol 3, Part G, 3.2
public struct GATTIncludedService: Hashable, Sendable {
    /// The handle of the include declaration.
    public let handle: Handle
    /// The handles of the service that is included.
    public let range: HandleRange
    /// What kind of service it is; `nil` where the peer did not let its declaration be read.
    public let uuid: BluetoothUUID?

    /// Describes an included service.
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
    /// What can be done with the value.
    public let properties: CharacteristicProperties
    /// What kind of value it is.
    public let uuid: BluetoothUUID
    /// The last handle that belongs to the characteristic: the one before the next declaration, or the service's end.
    public let end: Handle

    /// Describes a characteristic.
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

    /// The same characteristic with another end.
    public func ending(at end: Handle) -> GATTCharacteristic {
        GATTCharacteristic(
            declaration: declaration,
            valueHandle: valueHandle,
            properties: properties,
            uuid: uuid,
            end: end
        )
    }

    /// The handles in which the descriptors lie; `nil` where there is no room for one.
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
    /// What kind of descriptor it is.
    public let uuid: BluetoothUUID

    /// Describes a descriptor.
    public init(handle: Handle, uuid: BluetoothUUID) {
        self.handle = handle
        self.uuid = uuid
    }
}
