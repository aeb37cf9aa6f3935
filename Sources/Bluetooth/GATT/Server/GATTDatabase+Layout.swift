// SPDX-License-Identifier: MIT

extension GATTDatabase {
    /// Lays out services in order. Each follows the one before it, unless it states its own handle.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 3
    public init(services definitions: [ServiceDefinition]) throws(GATTDatabaseError) {
        // Includes may refer to later services: a first pass finds the range of each service, a second writes the
        // declarations.
        var ranges: [String: GATTService] = [:]
        var draft = GATTDatabaseLayout(ranges: nil)
        for definition in definitions {
            let start = draft.attributes.count
            try draft.add(definition)
            // A service has one attribute at least: its declaration.
            let first = draft.attributes[start].handle
            let last = draft.attributes[draft.attributes.count - 1].handle
            let service = GATTService(
                uuid: definition.uuid.attForm,
                range: HandleRange(first, last),
                isPrimary: definition.isPrimary
            )
            // The first service with a label has it, as in references of rules.
            if ranges[definition.label] == nil { ranges[definition.label] = service }
        }
        var layout = GATTDatabaseLayout(ranges: ranges)
        for definition in definitions { try layout.add(definition) }
        try self.init(attributes: layout.attributes)
    }
}

/// Turns definitions into attributes with handles.
private struct GATTDatabaseLayout {
    /// The services with their ranges by label; `nil` during the first pass, which finds the ranges.
    let ranges: [String: GATTService]?
    private(set) var attributes: [GATTAttribute] = []

    private mutating func add(
        _ type: BluetoothUUID,
        at explicit: Handle?,
        permissions: AttributePermissions,
        _ storage: GATTAttribute.Storage
    ) throws(GATTDatabaseError) {
        let handle = try place(explicit)
        // Checked for each attribute, so that the error names the first wrong handle.
        guard handle > attributes.last?.handle ?? .invalid else { throw .handleOutOfOrder(handle) }
        attributes.append(
            GATTAttribute(handle: handle, type: type.attForm, permissions: permissions, storage: storage)
        )
    }

    /// The stated handle, or the next free one.
    private func place(_ explicit: Handle?) throws(GATTDatabaseError) -> Handle {
        if let explicit { return explicit }
        guard let last = attributes.last else { return .first }
        guard let next = last.handle.next else { throw .handlesExhausted }
        return next
    }

    mutating func add(_ service: ServiceDefinition) throws(GATTDatabaseError) {
        try add(
            service.isPrimary ? .primaryService : .secondaryService,
            at: service.handle,
            permissions: .readOnly,
            .fixed(service.uuid.attForm.encoded())
        )
        for label in service.includes {
            try add(.include, at: nil, permissions: .readOnly, .fixed(try includeValue(label)))
        }
        for characteristic in service.characteristics { try add(characteristic) }
    }

    /// Spec: Core 5.4, Vol 3, Part G, 3.2: the value contains the UUID only if that has 16 bits.
    private func includeValue(_ label: String) throws(GATTDatabaseError) -> [UInt8] {
        // The first pass only needs the number of attributes.
        guard let ranges else { return [] }
        guard let service = ranges[label] else { throw .unknownService(label: label) }
        return IncludeDeclaration(range: service.range, uuid: service.uuid).encoded()
    }

    private mutating func add(_ characteristic: CharacteristicDefinition) throws(GATTDatabaseError) {
        let declaration = try place(characteristic.handle)
        // The value needs a handle after the declaration.
        guard let following = declaration.next else { throw .handlesExhausted }
        let valueHandle = characteristic.valueHandle ?? following

        let value = CharacteristicDeclaration(
            properties: characteristic.properties,
            valueHandle: valueHandle,
            uuid: characteristic.uuid
        )
        try add(.characteristicDeclaration, at: declaration, permissions: .readOnly, .fixed(value.encoded()))
        try add(characteristic.uuid, at: valueHandle, permissions: characteristic.permissions, characteristic.value)
        try addConfiguration(of: characteristic, at: valueHandle)
        for descriptor in characteristic.descriptors {
            var storage = descriptor.value
            if case .clientConfiguration = storage {
                storage = .clientConfiguration(of: valueHandle, supported: characteristic.supportedConfiguration)
            }
            try add(descriptor.uuid, at: descriptor.handle, permissions: descriptor.permissions, storage)
        }
    }

    /// Adds the descriptors that the properties require, unless the application defines them itself.
    private mutating func addConfiguration(
        of characteristic: CharacteristicDefinition,
        at valueHandle: Handle
    ) throws(GATTDatabaseError) {
        let described = characteristic.descriptors.map(\.uuid)
        let supported = characteristic.supportedConfiguration
        // A definition may place the descriptor itself, for example after another one. Reading it is open to all
        // clients, and only writing may need security. Spec: Core 5.4, Vol 3, Part G, 3.3.3.3
        if !supported.isEmpty, !described.contains(.clientCharacteristicConfiguration) {
            try add(
                .clientCharacteristicConfiguration,
                at: nil,
                permissions: AttributePermissions(read: .open, write: characteristic.subscription),
                .clientConfiguration(of: valueHandle, supported: supported)
            )
        }
        if characteristic.properties.contains(.extendedProperties),
            !described.contains(.characteristicExtendedProperties)
        {
            let bits = characteristic.extendedProperties.rawValue
            try add(
                .characteristicExtendedProperties,
                at: nil,
                permissions: .readOnly,
                .fixed([UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)])
            )
        }
    }
}

extension CharacteristicDefinition {
    /// The subscriptions that the properties permit.
    fileprivate var supportedConfiguration: ClientConfiguration {
        var supported: ClientConfiguration = []
        if properties.contains(.notify) { supported.insert(.notification) }
        if properties.contains(.indicate) { supported.insert(.indication) }
        return supported
    }
}
