// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Toolkit

/// The database of one server, as far as a capture tells it.
struct CapturedTable {
    /// What the clients have discovered.
    private(set) var database = DiscoveredDatabase()
    /// The Database Hash that was read last.
    private var hash: [UInt8]?
    /// The formats that the server describes, by the handles of their descriptors.
    private var formats: [Handle: PresentationFormat] = [:]
    /// The attributes that were looked up since the last change, each for the device of its link.
    private var references: [ReferenceKey: AttributeReference] = [:]
    /// The number of the packet that has used the table last.
    var lastUse = 0

    /// The server of a host has the same attributes for all devices.
    private struct ReferenceKey: Hashable {
        let handle: Handle
        let device: DeviceAddress?
    }

    /// The size for the limit on all tables.
    var attributeCount: Int { database.attributes.count }

    // MARK: - Learning

    /// Takes what a transaction reveals. A type that contradicts an earlier one means that the database was replaced
    /// while the capture did not look.
    mutating func learn(_ discovery: CapturedDiscovery) {
        let isOther = discovery.types.contains { new in
            database.knownPlace(of: new.handle).map { $0.attribute != new.uuid } ?? false
        }
        if isOther { database = DiscoveredDatabase() }
        database.learn(discovery.finding, from: discovery.step)
        references = [:]
    }

    /// Takes a value that tells something of the database itself: its hash, a change, or the format of a value.
    mutating func learn(_ value: [UInt8], of handle: Handle, isUpdate: Bool) {
        guard let place = database.knownPlace(of: handle) else { return }
        switch place.attribute {
        case .databaseHash:
            // Another hash is that of another database. The hash itself keeps its place only if it is found again.
            if let hash, hash != value { forget(.all) }
            hash = value
        case .serviceChanged where isUpdate:
            var reader = ByteReader(value)
            guard let start = try? Handle(from: &reader), let end = try? Handle(from: &reader) else { return }
            forget(HandleRange(start, end))
        case .characteristicPresentationFormat where !isUpdate:
            formats[handle] = try? PresentationFormat(decoding: value)
            references = [:]
        default: break
        }
    }

    /// Takes a write to an unknown handle for a subscription, if the only descriptor of a characteristic that sends values
    /// has that handle. A client need not ask for its type: it can be no other.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 3.3.3.3
    mutating func learn(_ write: WriteRequest) {
        let handle = write.handle
        guard write.value.count == 2, database.knownPlace(of: handle) == nil, let value = handle.previous,
            let own = database.declarations.element(at: value, by: \.valueHandle),
            !own.properties.isDisjoint(with: [.notify, .indicate])
        else { return }
        let isLast = database.services.contains { $0.range.end == handle && $0.range.contains(value) }
        let isFollowed = handle.next.map { database.declarations.element(at: $0, by: \.declaration) != nil } ?? true
        guard isLast || isFollowed else { return }
        let found = AttributeType(handle: handle, uuid: .clientCharacteristicConfiguration)
        database.learn(.attributes([found]), from: .attributes(HandleRange(handle, handle)))
        references = [:]
    }

    private mutating func forget(_ range: HandleRange) {
        database.forget(range)
        formats = [:]
        references = [:]
    }

    /// Names that were found later are used from now on.
    mutating func forgetReferences() { references = [:] }

    // MARK: - Looking up

    /// The attribute at a handle.
    ///
    /// - Parameters:
    ///   - device: The device at the other end of the link.
    ///   - catalogue: The names and the formats of characteristics.
    ///   - fallback: Knowledge from elsewhere, for what the capture does not tell.
    mutating func reference(
        _ handle: Handle,
        _ device: DeviceReference,
        _ catalogue: FormatCatalogue,
        fallback: DiscoveredDatabase?
    ) -> AttributeReference {
        let key = ReferenceKey(handle: handle, device: device.address)
        if let known = references[key] { return known }
        let place = database.knownPlace(of: handle) ?? fallback?.knownPlace(of: handle)
        let isDeclaration = place?.attribute.isDeclaration ?? false
        // A client that reads by UUID sees no declaration.
        let isValue =
            place.map {
                $0.attribute == $0.characteristic || ($0.characteristic == nil && !$0.isDescriptor && !isDeclaration)
            } ?? false
        let reference = AttributeReference(
            device: device,
            target: "\(handle)",
            handle: handle,
            service: place?.service,
            characteristic: isDeclaration ? nil : isValue ? place?.attribute : place?.characteristic,
            descriptor: isDeclaration || isValue ? nil : place?.attribute,
            declaration: isDeclaration ? place?.attribute : nil,
            formats: catalogue,
            format: isValue ? presentationFormat(ofValueAt: handle) : nil
        )
        references[key] = reference
        return reference
    }

    /// The first attribute that a request by type is about, if it is known; `nil` for declarations, which are many.
    func handle(sought request: ReadByTypeRequest) -> Handle? {
        guard !request.attributeType.isDeclaration else { return nil }
        return database.attributes.first { $0.uuid == request.attributeType && request.range.contains($0.handle) }?
            .handle
    }

    /// The handle of the value of an attribute's characteristic; that of the attribute itself for a declaration.
    func valueHandle(of attribute: AttributeReference) -> Handle {
        guard attribute.descriptor != nil, attribute.characteristic != nil else { return attribute.handle }
        let known = database.declarations.last { $0.declaration < attribute.handle }?.valueHandle
        // The place is known from elsewhere. Most descriptors are configurations, which follow the value.
        return known ?? attribute.handle.previous ?? attribute.handle
    }

    /// The format that a descriptor after a value describes; `nil` for none, and for several.
    private func presentationFormat(ofValueAt handle: Handle) -> PresentationFormats? {
        guard !formats.isEmpty else { return nil }
        let next = database.declarations.first { $0.declaration > handle }?.declaration ?? .last
        let own = formats.filter { $0.key > handle && $0.key < next }
        guard own.count == 1, let format = own.values.first else { return nil }
        return PresentationFormats(format)
    }
}

extension GATTPlace {
    /// Whether the type of the attribute is that of an assigned descriptor.
    fileprivate var isDescriptor: Bool { AssignedNumbers.name(ofDescriptor: attribute) != nil }
}
