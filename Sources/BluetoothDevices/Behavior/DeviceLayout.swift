// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// A database of a definition with handles, and the definitions of its characteristics by value handle.
struct DeviceLayout: Sendable {
    /// A characteristic with its place in the database.
    struct Entry: Sendable {
        let characteristic: DeviceCharacteristic
        /// The characteristic independent of handles, so that its state survives a change of the database.
        let identity: Identity
    }

    /// A characteristic independent of handles.
    struct Identity: Hashable, Sendable {
        let service: BluetoothUUID
        let uuid: BluetoothUUID
        /// How many of these come before it.
        let occurrence: Int
    }

    let database: GATTDatabase
    let entries: [Handle: Entry]
    private let labels: [String: Handle]

    init(_ services: [DeviceService]) throws(GATTDatabaseError) {
        database = try GATTDatabase(services: services.map(\.attributes))
        // Handles ascend in the order of the definitions.
        let values = database.characteristics().map(\.valueHandle)
        var entries: [Handle: Entry] = [:]
        var labels: [String: Handle] = [:]
        var seen: [Identity: Int] = [:]
        let definitions = services.flatMap { service in service.characteristics.map { (service.uuid, $0) } }
        for (handle, (service, characteristic)) in zip(values, definitions) {
            let first = Identity(service: service, uuid: characteristic.uuid, occurrence: 0)
            let identity = Identity(service: service, uuid: characteristic.uuid, occurrence: seen[first, default: 0])
            seen[first, default: 0] += 1
            entries[handle] = Entry(characteristic: characteristic, identity: identity)
            if let label = characteristic.label, labels[label] == nil { labels[label] = handle }
        }
        self.entries = entries
        self.labels = labels
    }

    /// The value handle of a characteristic; `nil` if this database does not contain it.
    func handle(of reference: CharacteristicReference) -> Handle? {
        switch reference {
        case .label(let label): labels[label]
        case .uuid(let uuid, let service): database.characteristic(uuid, in: service)?.valueHandle
        }
    }
}

extension DeviceService {
    /// The service's attributes, without behaviour.
    fileprivate var attributes: ServiceDefinition {
        ServiceDefinition(
            uuid,
            isPrimary: isPrimary,
            label: label,
            includes: includes,
            characteristics: characteristics.map(\.attributes),
            handle: handle
        )
    }
}

extension DeviceCharacteristic {
    fileprivate var attributes: CharacteristicDefinition {
        CharacteristicDefinition(
            uuid,
            properties,
            value: storage,
            extendedProperties: extendedProperties,
            permissions: permissions,
            subscription: subscription,
            descriptors: descriptors,
            handle: handle,
            valueHandle: valueHandle
        )
    }

    /// The source of the value. The server holds it wherever no rule needs it, because that costs least.
    private var storage: GATTAttribute.Storage {
        guard isHeldByServer else {
            return .handler(maximumLength: lengths?.upperBound ?? GATTLimits.maximumValueLength)
        }
        switch value {
        case nil where uuid == .databaseHash: return .databaseHash
        case nil where uuid == .clientSupportedFeatures: return .clientSupportedFeatures
        case nil where uuid == .serviceChanged: return .fixed([0x01, 0x00, 0xFF, 0xFF])
        case .octets(let octets):
            let isWritable = permissions.map { $0.write != nil } ?? properties.isWritable
            return isWritable ? .stored(octets, lengths: lengths ?? 0...GATTLimits.maximumValueLength) : .fixed(octets)
        default: return .application
        }
    }

    private var isHeldByServer: Bool {
        guard onWrite.isEmpty, onRead == .value, stream?.idleValue == nil else { return false }
        switch value {
        case .octets: return true
        case nil: return [.databaseHash, .clientSupportedFeatures, .serviceChanged].contains(uuid)
        default: return false
        }
    }
}

extension CharacteristicProperties {
    fileprivate var isWritable: Bool {
        !isDisjoint(with: [.write, .writeWithoutResponse, .authenticatedSignedWrites])
    }
}
