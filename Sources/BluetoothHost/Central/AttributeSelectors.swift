// SPDX-License-Identifier: MIT

public import Bluetooth

/// Identifies a service by what it is rather than by its handles, so that it means the same on the next connection, and
/// when the device has another database.
public enum ServiceSelector: Hashable, Sendable {
    /// The primary service of a UUID, with its index among those of the same UUID; `nil` means any of them.
    case uuid(BluetoothUUID, index: Int?)
    /// The service that begins at a handle.
    case handle(Handle)

    /// The UUID; `nil` if it is identified by a handle.
    public var uuid: BluetoothUUID? {
        if case .uuid(let uuid, _) = self { uuid } else { nil }
    }
}

/// Identifies a characteristic.
public enum CharacteristicSelector: Hashable, Sendable {
    /// The characteristic of a UUID, with its index among those of the same UUID in a service, or in the whole
    /// database.
    case uuid(BluetoothUUID, index: Int, service: ServiceSelector?)
    /// The characteristic that has its value, or its declaration, at a handle.
    case handle(Handle)
}

/// Identifies a descriptor.
public struct DescriptorSelector: Hashable, Sendable {
    /// The kind of the descriptor.
    public var uuid: BluetoothUUID
    /// Its index among those of the same UUID.
    public var index: Int
    /// The characteristic that it belongs to.
    public var characteristic: CharacteristicSelector

    /// Makes a selector; by default of the first descriptor of that UUID.
    public init(_ uuid: BluetoothUUID, index: Int = 0, of characteristic: CharacteristicSelector) {
        self.uuid = uuid
        self.index = index
        self.characteristic = characteristic
    }
}

extension DiscoveredDatabase {
    /// The selected service.
    public func service(_ selector: ServiceSelector) throws(DiscoveryStep) -> Found<GATTService> {
        switch selector {
        case .uuid(let uuid, let index):
            guard let service = try service(uuid, index ?? 0) else { return .failure(.service(uuid)) }
            return .success(service)
        case .handle(let handle):
            guard let service = try service(at: handle) else { return .failure(.serviceHandle(handle)) }
            return .success(service)
        }
    }

    /// The selected characteristic.
    public func characteristic(_ selector: CharacteristicSelector) throws(DiscoveryStep) -> Found<GATTCharacteristic> {
        switch selector {
        case .handle(let handle):
            guard let found = try characteristic(at: handle) else { return .failure(.characteristicHandle(handle)) }
            return .success(found)
        case .uuid(let uuid, let index, nil):
            guard let found = try characteristic(uuid, index, in: .all) else {
                return .failure(.characteristic(uuid, service: nil))
            }
            return .success(found)
        case .uuid(let uuid, let index, let service?):
            return try characteristic(uuid, index, in: service)
        }
    }

    /// Finds a characteristic. With a service of that UUID only, all services of the UUID are searched, because a
    /// device may have several.
    private func characteristic(
        _ uuid: BluetoothUUID,
        _ index: Int,
        in selector: ServiceSelector
    ) throws(DiscoveryStep) -> Found<GATTCharacteristic> {
        let found: GATTCharacteristic?
        switch try self.service(selector) {
        case .failure(let missing):
            return .failure(missing)
        case .success(let service):
            if case .uuid(let service, nil) = selector {
                found = try characteristic(uuid, index, inServices: service)
            } else if let contents = service.contents {
                found = try characteristic(uuid, index, in: contents)
            } else {
                found = nil
            }
        }
        return found.map { .success($0) } ?? .failure(.characteristic(uuid, service: selector.uuid))
    }

    /// The selected descriptor.
    public func descriptor(_ selector: DescriptorSelector) throws(DiscoveryStep) -> Found<GATTDescriptor> {
        switch try characteristic(selector.characteristic) {
        case .failure(let missing):
            return .failure(missing)
        case .success(let parent):
            guard let found = try descriptor(selector.uuid, selector.index, of: parent) else {
                return .failure(.descriptor(selector.uuid, characteristic: parent.uuid))
            }
            return .success(found)
        }
    }
}
