// SPDX-License-Identifier: MIT

import Bluetooth

/// A database of a definition with handles, and the behaviour of its characteristics by value handle.
///
/// All references are resolved here once, so that an event costs the same in a large database as in a small one.
struct DeviceLayout: Sendable {
    /// A characteristic independent of handles, so that its state survives a change of the database.
    struct Identity: Hashable, Sendable {
        let service: BluetoothUUID
        let uuid: BluetoothUUID
        /// The number of earlier characteristics with the same service and UUID.
        let occurrence: Int
    }

    /// A characteristic with its place in the database.
    struct Entry: Sendable {
        let handle: Handle
        /// Which characteristic it is, whatever its handle.
        let identity: Identity
        /// The definition. Values that never change are encoded.
        let characteristic: DeviceCharacteristic
        /// The plan for sending the value; `nil` if the value is not streamed.
        let stream: StreamPlan?
        /// The actions after the first subscription.
        let timeline: [TimelineEntry]
        /// The value handles of the streams that depend on this value.
        fileprivate(set) var dependents: [Handle] = []
        /// The numbers in the value that follow others.
        let followers: [NumberFollower]
        /// The value handles of the numbers that follow this value.
        fileprivate(set) var followerHandles: [Handle] = []
    }

    let database: GATTDatabase
    /// The characteristics by the handles of their values.
    private var entries: [Handle: Entry] = [:]
    /// The handles of all names by which a characteristic may be referred to.
    private var handles: [CharacteristicReference: Handle] = [:]
    private var identities: [Identity: Handle] = [:]
    /// The value handles of all numbers that follow others.
    private(set) var followers: [Handle] = []

    /// Gives the attributes their handles.
    ///
    /// - Parameters:
    ///   - services: The services, whose constant values can be encoded.
    ///   - timeline: The scheduled actions.
    init(_ services: [DeviceService], timeline: [TimelineEntry] = []) throws(GATTDatabaseError) {
        database = try GATTDatabase(services: services.map(\.attributes))
        let places = place(services)
        // Labels first, because streams and timelines refer to them.
        for (handle, _, characteristic) in places {
            if let label = characteristic.label, handles[.label(label)] == nil { handles[.label(label)] = handle }
        }
        for (handle, identity, characteristic) in places {
            entries[handle] = Entry(
                handle: handle,
                identity: identity,
                characteristic: characteristic.withConstantOctets,
                stream: StreamPlan(characteristic) { self.handle(of: $0) },
                timeline: timeline.filter { entry in
                    guard case .subscription(let reference) = entry.origin else { return false }
                    return self.handle(of: reference) == handle
                },
                followers: characteristic.value?.followers ?? []
            )
        }
        // Only now, because a stream may depend on a later characteristic.
        for (handle, _, _) in places {
            for source in entries[handle]?.stream?.sources ?? [] { entries[source]?.dependents.append(handle) }
            for source in Set((entries[handle]?.followers ?? []).compactMap { self.handle(of: $0.source) }) {
                entries[source]?.followerHandles.append(handle)
            }
        }
        followers = places.map(\.0).filter { entries[$0]?.followers.isEmpty == false }
    }

    /// The characteristics with their handles, which ascend in the order of the definitions.
    private mutating func place(_ services: [DeviceService]) -> [(Handle, Identity, DeviceCharacteristic)] {
        let values = database.characteristics().map(\.valueHandle)
        let definitions = services.flatMap { service in service.characteristics.map { (service.uuid, $0) } }
        var seen: [Identity: Int] = [:]
        return zip(values, definitions).map { handle, definition in
            let (service, characteristic) = definition
            let first = Identity(service: service, uuid: characteristic.uuid, occurrence: 0)
            let identity = Identity(service: service, uuid: characteristic.uuid, occurrence: seen[first, default: 0])
            seen[first, default: 0] += 1
            identities[identity] = handle
            for reference in [
                CharacteristicReference.uuid(characteristic.uuid, service: nil),
                .uuid(characteristic.uuid, service: service),
            ] where handles[reference] == nil { handles[reference] = handle }
            return (handle, identity, characteristic)
        }
    }

    /// The characteristic whose value has that handle; `nil` if there is none.
    subscript(handle: Handle) -> Entry? { entries[handle] }

    var labels: [String: Identity] {
        handles.reduce(into: [:]) { labels, known in
            guard case .label(let label) = known.key else { return }
            labels[label] = entries[known.value]?.identity
        }
    }

    /// A characteristic that a number follows although its value is generated, or is not one number; `nil` without
    /// one.
    var wronglyFollowed: CharacteristicReference? {
        let followers = followers.flatMap { entries[$0]?.followers ?? [] }
        return followers.first { follower in
            guard let source = handles[follower.source].flatMap({ entries[$0] }),
                let value = source.characteristic.value
            else { return false }
            return value.constantOctets.flatMap { source.number(in: $0, for: follower) } == nil
        }?.source
    }

    /// The value handle of a characteristic; `nil` if this database does not contain it.
    func handle(of reference: CharacteristicReference) -> Handle? { handles[reference] }

    /// The value handle of a characteristic; `nil` if this database does not contain it.
    func handle(of identity: Identity) -> Handle? { identities[identity] }
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
    /// The attributes of the characteristic, without behaviour.
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

    /// The same characteristic; a value that never changes is encoded once.
    fileprivate var withConstantOctets: DeviceCharacteristic {
        guard let octets = value?.constantOctets else { return self }
        var encoded = self
        encoded.value = .octets(octets)
        return encoded
    }

    /// The lengths in octets that a written value may have.
    var writableLengths: ClosedRange<Int> { lengths ?? 0...GATTLimits.maximumValueLength }

    /// The source of the value. The server holds it wherever no rule needs it, because that costs least.
    private var storage: GATTAttribute.Storage {
        let handled = GATTAttribute.Storage.handler(
            maximumLength: min(writableLengths.upperBound, GATTLimits.maximumValueLength)
        )
        // These depend on the state of the device, which only the firmware knows.
        guard onWrite.isEmpty, onRead == .value, stream?.idleValue == nil else { return handled }
        switch value {
        case nil where uuid == .databaseHash: return .databaseHash
        case nil where uuid == .clientSupportedFeatures: return .clientSupportedFeatures
        // Start and end of the range of affected handles: all of them. Spec: Core 5.4, Vol 3, Part G, 7.1
        case nil where uuid == .serviceChanged: return .fixed([0x01, 0x00, 0xFF, 0xFF])
        case let value? where value.isConstant:
            guard let octets = value.constantOctets else { return handled }
            let isWritable = permissions.map { $0.write != nil } ?? properties.isWritable
            return isWritable ? .stored(octets, lengths: writableLengths) : .fixed(octets)
        default: return handled
        }
    }
}

extension CharacteristicProperties {
    /// Whether clients may write the value by any procedure.
    fileprivate var isWritable: Bool {
        !isDisjoint(with: [.write, .writeWithoutResponse, .authenticatedSignedWrites])
    }
}
