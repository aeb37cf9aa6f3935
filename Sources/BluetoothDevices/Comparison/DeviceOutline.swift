// SPDX-License-Identifier: MIT

public import Bluetooth

/// The attributes of a definition as a client finds them, with handles, and the values of the definition.
struct DeviceOutline: Sendable {
    struct Service: Sendable {
        let uuid: BluetoothUUID
        let handle: Handle
        let isPrimary: Bool
        var includes: [Include] = []
        /// The characteristics in the order of their handles.
        var characteristics: [Characteristic] = []
    }

    struct Include: Sendable {
        let uuid: BluetoothUUID
        /// The declaration of the included service.
        let target: Handle
    }

    struct Characteristic: Sendable {
        let uuid: BluetoothUUID
        let handle: Handle
        let valueHandle: Handle
        let properties: CharacteristicProperties
        /// The value, as far as the definition fixes it.
        var value = AttributeContent.unknown
        /// The stream; `nil` if the value is not streamed.
        var stream: DeviceStream?
        /// The descriptors in the order of their handles.
        var descriptors: [Descriptor] = []
    }

    struct Descriptor: Sendable {
        let uuid: BluetoothUUID
        let handle: Handle
        /// The value, as far as the definition fixes it.
        let value: AttributeContent
    }

    /// The services in the order of their handles.
    private(set) var services: [Service] = []

    /// The UUIDs of the services by their first handles.
    private let starts: [Handle: BluetoothUUID]
    private let definitions: [Handle: DeviceCharacteristic]

    /// The database of the start.
    init(_ device: DeviceDefinition) throws(DeviceDefinitionError) {
        let services = device.complete(device.services)
        let database: GATTDatabase
        do {
            database = try DeviceLayout(services).database
        } catch {
            throw .database(nil, error)
        }
        starts = database.services.reduce(into: [:]) { $0[$1.range.start] = $1.uuid }
        // Handles ascend in the order of the definitions.
        definitions = zip(database.characteristics(), services.flatMap(\.characteristics)).reduce(into: [:]) {
            $0[$1.0.valueHandle] = $1.1
        }
        for attribute in database.attributes { add(attribute) }
    }

    /// Adds an attribute to the service and the characteristic before it, because the list of a server has no other
    /// structure.
    private mutating func add(_ attribute: GATTAttribute) {
        if let uuid = starts[attribute.handle] {
            let isPrimary = attribute.type == .primaryService
            services.append(Service(uuid: uuid, handle: attribute.handle, isPrimary: isPrimary))
            return
        }
        guard let service = services.indices.last else { return }
        let characteristic = services[service].characteristics.indices.last
        switch attribute.type {
        case .include:
            guard let octets = attribute.value, octets.count >= 4 else { return }
            let target = Handle(UInt16(octets[0]) | UInt16(octets[1]) << 8)
            services[service].includes.append(Include(uuid: starts[target] ?? 0x0000, target: target))
        case .characteristicDeclaration:
            guard let octets = attribute.value, octets.count >= 5, let properties = octets.first else { return }
            var reader = ByteReader(Array(octets.dropFirst(3)))
            let uuid = try? BluetoothUUID(restOf: &reader, "characteristic UUID")
            services[service].characteristics.append(
                Characteristic(
                    uuid: uuid ?? 0x0000,
                    handle: attribute.handle,
                    valueHandle: Handle(UInt16(octets[1]) | UInt16(octets[2]) << 8),
                    properties: CharacteristicProperties(rawValue: properties)
                )
            )
        default:
            guard let characteristic else { return }
            if services[service].characteristics[characteristic].valueHandle == attribute.handle {
                let definition = definitions[attribute.handle]
                services[service].characteristics[characteristic].value = AttributeContent(attribute, definition)
                services[service].characteristics[characteristic].stream = definition?.stream
            } else {
                services[service].characteristics[characteristic].descriptors.append(
                    Descriptor(
                        uuid: attribute.type,
                        handle: attribute.handle,
                        value: AttributeContent(attribute, nil)
                    )
                )
            }
        }
    }
}

/// The value of an attribute, as far as a definition fixes it.
public enum AttributeContent: Hashable, Sendable {
    /// Nothing: a device was cloned without its values.
    case unknown
    /// The server makes it, each client has its own, or it follows from the database.
    case server
    /// Constant octets.
    case octets([UInt8])
    /// A value that changes over time.
    case generated(DeviceValue)
    /// Reading is answered by an error.
    case refused(ATTErrorCode)
    /// Reading is not answered.
    case silent
    /// Reading needs a link with security; the octets are known to the definition of a device, and not to an unpaired
    /// client.
    case protected(AccessRequirement, [UInt8]?)
}

extension AttributeContent {
    /// The value of an attribute that `definition` describes if it is the value of a characteristic.
    fileprivate init(_ attribute: GATTAttribute, _ definition: DeviceCharacteristic?) {
        guard let requirement = attribute.permissions.read else {
            self = .refused(.readNotPermitted)
            return
        }
        let content = Self.open(attribute, definition)
        guard requirement.isOpen else {
            if case .octets(let octets) = content {
                self = .protected(requirement, octets)
            } else {
                self = .protected(requirement, nil)
            }
            return
        }
        self = content
    }

    /// The value of an attribute that anybody may read.
    private static func open(_ attribute: GATTAttribute, _ definition: DeviceCharacteristic?) -> AttributeContent {
        switch definition?.onRead {
        case .refuse(let code): return .refused(code)
        case .silence: return .silent
        case .value, nil: break
        }
        switch attribute.storage {
        case .clientConfiguration, .clientSupportedFeatures, .databaseHash: return .server
        case .fixed(let octets), .stored(let octets, _): return .octets(octets)
        case .handler:
            switch definition?.value {
            case .octets(let octets): return .octets(octets)
            case let value?: return .generated(value)
            case nil: return .unknown
            }
        }
    }
}
