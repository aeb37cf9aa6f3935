// SPDX-License-Identifier: MIT

/// An application's definition of a service, before it has handles.
public struct ServiceDefinition: Hashable, Sendable {
    /// The kind of service.
    public var uuid: BluetoothUUID
    /// Whether the service is primary; a secondary one has a meaning only if another service includes it.
    public var isPrimary: Bool
    /// The name by which other services of the database include this one; by default the UUID's text.
    public var label: String
    /// The labels of the services that this one includes.
    public var includes: [String]
    /// The characteristics, in their order.
    public var characteristics: [CharacteristicDefinition]
    /// The handle of the declaration; `nil` for the next free one.
    public var handle: Handle?

    /// Creates a definition; all but the UUID has a default.
    public init(
        _ uuid: BluetoothUUID,
        isPrimary: Bool = true,
        label: String? = nil,
        includes: [String] = [],
        characteristics: [CharacteristicDefinition] = [],
        handle: Handle? = nil
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.label = label ?? uuid.description
        self.includes = includes
        self.characteristics = characteristics
        self.handle = handle
    }
}

/// An application's definition of a characteristic.
///
/// The Client Characteristic Configuration and Extended Properties descriptors are added automatically if the
/// properties require them.
public struct CharacteristicDefinition: Hashable, Sendable {
    /// The kind of characteristic.
    public var uuid: BluetoothUUID
    /// The operations that the declaration announces.
    public var properties: CharacteristicProperties
    /// Further operations. If there are any, the Extended Properties descriptor is added.
    public var extendedProperties: CharacteristicExtendedProperties
    /// The conditions for reading and writing the value.
    public var permissions: AttributePermissions
    /// The condition for subscribing.
    public var subscription: AccessRequirement
    /// The source of the value.
    public var value: GATTAttribute.Storage
    /// The descriptors that are not added automatically, in their order.
    public var descriptors: [DescriptorDefinition]
    /// The handle of the declaration; `nil` for the next free one.
    public var handle: Handle?
    /// The handle of the value; `nil` for the one after the declaration.
    public var valueHandle: Handle?

    /// Creates a definition. If `permissions` is `nil`, they follow from the properties.
    public init(
        _ uuid: BluetoothUUID,
        _ properties: CharacteristicProperties,
        value: GATTAttribute.Storage,
        extendedProperties: CharacteristicExtendedProperties = [],
        permissions: AttributePermissions? = nil,
        subscription: AccessRequirement = .open,
        descriptors: [DescriptorDefinition] = [],
        handle: Handle? = nil,
        valueHandle: Handle? = nil
    ) {
        self.uuid = uuid
        self.properties = extendedProperties.isEmpty ? properties : properties.union(.extendedProperties)
        self.extendedProperties = extendedProperties
        self.permissions = permissions ?? AttributePermissions(for: properties)
        self.subscription = subscription
        self.value = value
        self.descriptors = descriptors
        self.handle = handle
        self.valueHandle = valueHandle
    }
}

/// An application's definition of a descriptor.
public struct DescriptorDefinition: Hashable, Sendable {
    /// The kind of descriptor.
    public var uuid: BluetoothUUID
    /// The conditions for reading and writing it.
    public var permissions: AttributePermissions
    /// The source of the value.
    public var value: GATTAttribute.Storage
    /// The descriptor's handle; `nil` for the next free one.
    public var handle: Handle?

    /// Creates a definition; the descriptor is only readable by default.
    public init(
        _ uuid: BluetoothUUID,
        value: GATTAttribute.Storage,
        permissions: AttributePermissions = .readOnly,
        handle: Handle? = nil
    ) {
        self.uuid = uuid
        self.permissions = permissions
        self.value = value
        self.handle = handle
    }

    /// A Client Characteristic Configuration at a chosen position; the one added automatically comes first.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 3.3.3.3
    public static func clientConfiguration(
        handle: Handle? = nil,
        writing: AccessRequirement = .open
    ) -> DescriptorDefinition {
        DescriptorDefinition(
            .clientCharacteristicConfiguration,
            value: .clientConfiguration(of: .invalid, supported: []),
            permissions: AttributePermissions(read: .open, write: writing),
            handle: handle
        )
    }

    /// A read-only Characteristic User Description.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 3.3.3.2
    public static func userDescription(_ text: String) -> DescriptorDefinition {
        DescriptorDefinition(.characteristicUserDescription, value: .fixed(Array(text.utf8)))
    }

    /// A Characteristic Presentation Format.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 3.3.3.5
    public static func presentationFormat(
        format: UInt8,
        exponent: Int8 = 0,
        unit: UInt16,
        namespace: UInt8 = 1,
        description: UInt16 = 0
    ) -> DescriptorDefinition {
        var writer = ByteWriter()
        writer.uint8(format)
        writer.int8(exponent)
        writer.uint16(unit)
        writer.uint8(namespace)
        writer.uint16(description)
        return DescriptorDefinition(.characteristicPresentationFormat, value: .fixed(writer.bytes))
    }
}

/// The features that a server announces in Server Supported Features.
///
/// Spec: Core 5.4, Vol 3, Part G, 7.4
public struct ServerFeatures: OptionSet, Hashable, Sendable {
    /// The first octet of the value.
    public let rawValue: UInt8

    /// Keeps all bits, also those that are reserved.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The server can use Enhanced ATT bearers.
    public static let enhancedATTBearer = ServerFeatures(rawValue: 0x01)
}

extension ServiceDefinition {
    /// The Generic Access service, which is mandatory for every server.
    ///
    /// Spec: Core 5.4, Vol 3, Part C, 12
    public static func genericAccess(name: String, appearance: UInt16 = 0) -> ServiceDefinition {
        let appearanceValue = [UInt8(truncatingIfNeeded: appearance), UInt8(truncatingIfNeeded: appearance >> 8)]
        return ServiceDefinition(
            .genericAccess,
            characteristics: [
                CharacteristicDefinition(.deviceName, .read, value: .fixed(Array(name.utf8))),
                CharacteristicDefinition(.appearance, .read, value: .fixed(appearanceValue)),
            ]
        )
    }

    /// The Generic Attribute service with the characteristics that caching needs: Service Changed, Client Supported
    /// Features, Database Hash. It has Server Supported Features only if there are features to announce.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 7
    public static func genericAttribute(features: ServerFeatures = []) -> ServiceDefinition {
        var characteristics = [
            // No client can read this value. Each indication has the range of its own change.
            CharacteristicDefinition(.serviceChanged, .indicate, value: .fixed([0x01, 0x00, 0xFF, 0xFF])),
            CharacteristicDefinition(.clientSupportedFeatures, [.read, .write], value: .clientSupportedFeatures),
            CharacteristicDefinition(.databaseHash, .read, value: .databaseHash),
        ]
        if !features.isEmpty {
            let value = GATTAttribute.Storage.fixed([features.rawValue])
            characteristics.append(CharacteristicDefinition(.serverSupportedFeatures, .read, value: value))
        }
        return ServiceDefinition(.genericAttribute, characteristics: characteristics)
    }
}
