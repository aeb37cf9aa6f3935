// SPDX-License-Identifier: GPL-2.0-or-later

/// A service as an application describes it, before it has handles.
public struct ServiceDefinition: Hashable, Sendable {
    /// What kind of service it is.
    public var uuid: BluetoothUUID
    /// Whether the service is primary.
    public var isPrimary: Bool
    /// The name by which other services of the same description include this one; the UUID's text where not given.
    public var label: String
    /// The labels of the services that this one includes.
    public var includes: [String]
    /// The characteristics, in their order.
    public var characteristics: [CharacteristicDefinition]
    /// The handle of the declaration; the next free one where `nil`.
    public var handle: Handle?

    /// Describes a service.
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

/// A characteristic as an application describes it.
///
/// The Client Characteristic Configuration and Extended Properties descriptors come by themselves where the properties
/// ask for them.
public struct CharacteristicDefinition: Hashable, Sendable {
    /// What kind of value it is.
    public var uuid: BluetoothUUID
    /// What can be done with the value.
    public var properties: CharacteristicProperties
    /// What more can be done with it; adds the Extended Properties descriptor where not empty.
    public var extendedProperties: CharacteristicExtendedProperties
    /// Who may read and write the value.
    public var permissions: AttributePermissions
    /// What a client needs to subscribe.
    public var subscription: AccessRequirement
    /// Where the value comes from.
    public var value: GATTAttribute.Storage
    /// The descriptors that do not come by themselves, in their order.
    public var descriptors: [DescriptorDefinition]
    /// The handle of the declaration; the next free one where `nil`.
    public var handle: Handle?
    /// The handle of the value; the one behind the declaration where `nil`.
    public var valueHandle: Handle?

    /// Describes a characteristic; whoever may use it is told by its properties unless `permissions` say otherwise.
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

/// A descriptor as an application describes it.
public struct DescriptorDefinition: Hashable, Sendable {
    /// What kind of descriptor it is.
    public var uuid: BluetoothUUID
    /// Who may read and write it.
    public var permissions: AttributePermissions
    /// Where the value comes from.
    public var value: GATTAttribute.Storage
    /// The handle; the next free one where `nil`.
    public var handle: Handle?

    /// Describes a descriptor.
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

    /// A Client Characteristic Configuration with a place of its own; without it the descriptor comes first by itself.
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

    /// A Characteristic User Description that cannot be written.
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

/// What a server tells in Server Supported Features.
///
/// Spec: Core 5.4, Vol 3, Part G, 7.4
public struct ServerFeatures: OptionSet, Hashable, Sendable {
    /// The first octet of the value.
    public let rawValue: UInt8

    /// Takes the octet as it is.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The server can use Enhanced ATT bearers.
    public static let enhancedATTBearer = ServerFeatures(rawValue: 0x01)
}

extension ServiceDefinition {
    /// The Generic Access service, which every server has.
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

    /// The Generic Attribute service with all that caching needs: Service Changed, Client Supported Features, Database
    /// Hash. Server Supported Features is there only where there is something to say.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 7
    public static func genericAttribute(features: ServerFeatures = []) -> ServiceDefinition {
        var characteristics = [
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
