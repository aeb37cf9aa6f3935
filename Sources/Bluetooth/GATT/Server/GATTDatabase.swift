// SPDX-License-Identifier: MIT

/// The reason why a database cannot be built.
public enum GATTDatabaseError: Error, Hashable, Sendable {
    /// All handles up to 0xFFFF are taken.
    case handlesExhausted
    /// The handle is 0x0000, or not greater than the one before it.
    case handleOutOfOrder(Handle)
    /// No service has the label that an include names.
    case unknownService(label: String)
    /// The value is longer than 512 octets.
    case valueTooLong(Handle, length: Int)
}

/// A server's attributes sorted by handle, as a value that can be searched, compared and hashed.
///
/// Spec: Core 5.4, Vol 3, Part G, 2.6
public struct GATTDatabase: Hashable, Sendable {
    /// All attributes, in the order of their handles.
    public private(set) var attributes: [GATTAttribute]
    /// All services, in the order of their handles.
    public let services: [GATTService]

    /// An empty database.
    public static let empty = GATTDatabase(checked: [])

    /// Checks that the handles rise and that no value is longer than 512 octets; throws otherwise.
    public init(attributes: [GATTAttribute]) throws(GATTDatabaseError) {
        // A client finds attributes by ascending handles. Spec: Core 5.4, Vol 3, Part F, 3.2.2
        var previous = Handle.invalid
        for attribute in attributes {
            guard attribute.handle > previous else { throw .handleOutOfOrder(attribute.handle) }
            previous = attribute.handle
            if let value = attribute.value, value.count > GATTLimits.maximumValueLength {
                throw .valueTooLong(attribute.handle, length: value.count)
            }
        }
        self.init(checked: attributes)
    }

    private init(checked attributes: [GATTAttribute]) {
        self.attributes = attributes
        services = Self.services(of: attributes)
    }

    private static func services(of attributes: [GATTAttribute]) -> [GATTService] {
        let starts = attributes.indices.filter { attributes[$0].declaresService }
        // A service ends where the next one begins.
        return starts.enumerated().map { position, index in
            let next = position + 1 < starts.count ? starts[position + 1] : attributes.count
            var reader = ByteReader(attributes[index].value ?? [])
            let uuid = try? BluetoothUUID(restOf: &reader, "service UUID")
            return GATTService(
                uuid: uuid ?? 0x0000,
                range: HandleRange(attributes[index].handle, attributes[next - 1].handle),
                isPrimary: attributes[index].type == .primaryService
            )
        }
    }

    /// The position of the first attribute whose handle is not below the given one.
    private func firstIndex(from handle: Handle) -> Int {
        // Binary search: a request may come for each handle of a large database.
        attributes.partitioningIndex { $0.handle >= handle }
    }

    private func index(of handle: Handle) -> Int? {
        let index = firstIndex(from: handle)
        return index < attributes.count && attributes[index].handle == handle ? index : nil
    }

    /// The attribute with that handle; `nil` if there is none.
    public subscript(handle: Handle) -> GATTAttribute? {
        index(of: handle).map { attributes[$0] }
    }

    /// The attributes in a range; none if the range is invalid.
    public func attributes(in range: HandleRange) -> ArraySlice<GATTAttribute> {
        guard range.isValid else { return [] }
        let start = firstIndex(from: range.start)
        // Handle 0xFFFF has no successor.
        let end = range.end.next.map { firstIndex(from: $0) } ?? attributes.count
        return attributes[start..<end]
    }

    /// The service that contains a handle; `nil` if none does.
    public func service(containing handle: Handle) -> GATTService? {
        services.last { $0.range.contains(handle) }
    }

    /// The type of the attribute with that handle, and of the service and characteristic around it; `nil` if there is
    /// none.
    public func place(of handle: Handle) -> GATTPlace? {
        guard let index = index(of: handle) else { return nil }
        let type = attributes[index].type
        guard let service = service(containing: handle) else {
            return GATTPlace(attribute: type, service: nil, characteristic: nil)
        }
        let declaration = attributes[...index].reversed()
            // Only within the service: a declaration before it belongs to another one.
            .prefix { $0.handle > service.range.start }
            .first { $0.type == .characteristicDeclaration }
        let characteristic = declaration?.value.flatMap { try? CharacteristicDeclaration(decoding: $0) }
        return GATTPlace(attribute: type, service: service.uuid, characteristic: characteristic?.uuid)
    }

    /// The last handle of the group that an attribute begins: the end of the service for a service declaration, the
    /// handle itself otherwise.
    func groupEnd(of handle: Handle) -> Handle {
        services.first { $0.range.start == handle }?.range.end ?? handle
    }

    /// The characteristics in a range, in the order of their handles and as discovery sees them: each ends before the
    /// next declaration, or with its service.
    public func characteristics(in range: HandleRange = .all) -> [GATTCharacteristic] {
        let slice = attributes(in: range)
        return slice.indices.compactMap { index in
            guard
                slice[index].type == .characteristicDeclaration,
                let value = slice[index].value,
                let declaration = try? CharacteristicDeclaration(decoding: value)
            else { return nil }
            // A characteristic ends before the next declaration of any kind.
            let next = slice[(index + 1)...].first { $0.type == .characteristicDeclaration || $0.declaresService }
            let serviceEnd = service(containing: slice[index].handle)?.range.end ?? slice[index].handle
            let end = next?.type == .characteristicDeclaration ? next?.handle.previous : nil
            return GATTCharacteristic(
                declaration: slice[index].handle,
                valueHandle: declaration.valueHandle,
                properties: declaration.properties,
                uuid: declaration.uuid,
                end: end ?? serviceEnd
            )
        }
    }

    /// The first characteristic of that UUID. If `service` is given, the first one in a service of that UUID.
    public func characteristic(_ uuid: BluetoothUUID, in service: BluetoothUUID? = nil) -> GATTCharacteristic? {
        guard let service else { return characteristics().first { $0.uuid == uuid } }
        for candidate in services where candidate.uuid == service {
            if let found = characteristics(in: candidate.range).first(where: { $0.uuid == uuid }) { return found }
        }
        return nil
    }

    /// The handle of a characteristic's first descriptor of that UUID; `nil` if there is none.
    public func descriptor(_ uuid: BluetoothUUID, of characteristic: GATTCharacteristic) -> Handle? {
        guard let range = characteristic.descriptorRange else { return nil }
        return attributes(in: range).first { $0.type == uuid }?.handle
    }

    /// Whether the attribute is the value of a characteristic that takes signed writes.
    func permitsSignedWrites(to handle: Handle) -> Bool {
        characteristics().first { $0.valueHandle == handle }?.properties.contains(.authenticatedSignedWrites) ?? false
    }

    /// Whether a value may be written together with others. A characteristic's Extended Properties decide; attributes
    /// that are not a characteristic's value always may be, since the property does not apply to them.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 3.3.3.1
    func permitsReliableWrites(to handle: Handle) -> Bool {
        // The rule applies to values only.
        guard let characteristic = characteristics().first(where: { $0.valueHandle == handle }) else { return true }
        guard characteristic.properties.contains(.extendedProperties),
            let descriptor = descriptor(.characteristicExtendedProperties, of: characteristic),
            let bits = self[descriptor]?.value?.first
        else { return false }
        return CharacteristicExtendedProperties(rawValue: UInt16(bits)).contains(.reliableWrite)
    }

    /// Changes a value that the database holds. Returns `false` if it holds none at the handle, or the new one is too
    /// long.
    @discardableResult
    public mutating func setValue(_ value: [UInt8], of handle: Handle) -> Bool {
        guard let index = index(of: handle), value.count <= GATTLimits.maximumValueLength else { return false }
        switch attributes[index].storage {
        // Fixed for clients only: the application may change the value.
        case .fixed:
            attributes[index].storage = .fixed(value)
        case .stored(_, let lengths):
            attributes[index].storage = .stored(value, lengths: lengths)
        case .handler, .clientConfiguration, .clientSupportedFeatures, .databaseHash:
            return false
        }
        return true
    }
}
