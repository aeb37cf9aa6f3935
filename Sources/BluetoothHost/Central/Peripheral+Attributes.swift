// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// What the device does not have, though it was asked for.
public enum MissingAttribute: Error, Hashable, Sendable {
    /// The device has no such service.
    case service(BluetoothUUID)
    /// The device, or that service of it, has no such characteristic.
    case characteristic(BluetoothUUID, service: BluetoothUUID?)
    /// The characteristic has no such descriptor.
    case descriptor(BluetoothUUID, characteristic: BluetoothUUID)
}

/// The value of an attribute as it was read.
public struct AttributeValue: Hashable, Sendable {
    /// Where it stands.
    public let handle: Handle
    /// The octets.
    public let value: [UInt8]
    /// Whether the device had more to tell than a value may hold (512 octets), or would not tell the rest.
    public let isCut: Bool
    /// How many further attributes of the same type came along.
    public let others: Int
}

extension AttributeValue {
    /// A value that one answer brought whole.
    fileprivate init(_ value: GATTReadValue, others: Int) {
        self.init(handle: value.handle, value: value.value, isCut: false, others: others)
    }
}

extension Peripheral {
    /// Exchanges the MTU, once a connection; a device that cannot keeps 23.
    @discardableResult
    public func exchangeMTU() async throws -> UInt16 {
        try await connection().exchangeMTU()
    }

    // MARK: - Discovery

    /// The device's services, primary ones first in the order of their handles, then the secondary ones.
    public func discoverServices() async throws -> [GATTService] {
        try await exchangeMTU()
        let primary = try await perform(DiscoverServices())
        // A server that has none, or does not know the type, says so in one of several ways; the procedure reads them all.
        let secondary = try await perform(DiscoverServices(primary: false))
        return primary + secondary
    }

    /// The handles of a service; the first one where there are several of that type.
    public func discoverService(_ uuid: BluetoothUUID) async throws -> GATTService {
        guard let service = try await perform(DiscoverServicesByUUID(uuid, .first)).first else {
            throw MissingAttribute.service(uuid)
        }
        return service
    }

    /// Finds a characteristic with its declaration, in a service or in the whole database, with as few requests as will do:
    /// it may end before the `end` that it is given here.
    public func discoverCharacteristic(
        _ uuid: BluetoothUUID,
        service: BluetoothUUID?
    ) async throws -> GATTCharacteristic {
        try await exchangeMTU()
        var range = HandleRange.all
        if let service { range = try await discoverService(service).range }
        guard let characteristic = try await perform(DiscoverCharacteristics(in: range, uuid: uuid, .first)).first
        else {
            throw MissingAttribute.characteristic(uuid, service: service)
        }
        return characteristic
    }

    /// Finds a descriptor of a characteristic.
    public func discoverDescriptor(
        _ uuid: BluetoothUUID,
        of characteristic: GATTCharacteristic
    ) async throws -> GATTDescriptor {
        guard
            let range = characteristic.descriptorRange,
            let descriptor = try await perform(DiscoverDescriptors(in: range, uuid: uuid, .first)).first
        else { throw MissingAttribute.descriptor(uuid, characteristic: characteristic.uuid) }
        return descriptor
    }

    // MARK: - Reading

    /// Reads the value of a characteristic by its UUID: one request where the value fits into one answer, two in a named
    /// service. A longer value is read to its end.
    public func read(_ uuid: BluetoothUUID, service: BluetoothUUID? = nil) async throws -> AttributeValue {
        var range = HandleRange.all
        if let service { range = try await discoverService(service).range }
        let found: [GATTReadValue]
        do {
            found = try await perform(ReadByUUID(uuid, in: range))
        } catch GATTError.refused(let error) where error.code == .attributeNotFound {
            throw MissingAttribute.characteristic(uuid, service: service)
        }
        guard let first = found.first else { throw MissingAttribute.characteristic(uuid, service: service) }
        guard first.mayBeCut else { return AttributeValue(first, others: found.count - 1) }
        // From the start: that answer had less room than a Read Response, and a server may refuse to read on in a value
        // that would fit into one. A larger MTU first: it saves requests.
        try await exchangeMTU()
        let whole = try await perform(ReadLongValue(first.handle))
        return AttributeValue(handle: first.handle, value: whole.value, isCut: whole.isCut, others: found.count - 1)
    }

    /// Reads an attribute by its handle, to its end.
    public func read(_ handle: Handle) async throws -> AttributeValue {
        let mtu = try await connection().mtu
        let start = try await perform(ReadValue(handle))
        guard start.mayBeCut else { return AttributeValue(start, others: 0) }
        // On from there, or with a larger MTU from the start, for the same reason as above.
        let isLarger = try await exchangeMTU() > mtu
        let whole = try await perform(ReadLongValue(handle, knowing: isLarger ? [] : start.value))
        return AttributeValue(handle: handle, value: whole.value, isCut: whole.isCut, others: 0)
    }

    // MARK: - Writing

    /// How a value was written.
    public enum WriteMethod: Sendable, Hashable {
        /// By one request with a response.
        case request
        /// By one command without a response.
        case command
        /// In pieces that the device put together.
        case prepared
    }

    /// Writes a value with a response, in pieces where it does not fit into one packet.
    public func write(_ value: [UInt8], to handle: Handle) async throws -> WriteMethod {
        guard value.count <= GATTLimits.maximumValueLength else {
            throw GATTError.valueTooLong(length: value.count, maximum: GATTLimits.maximumValueLength)
        }
        var mtu = try await connection().mtu
        if value.count > WriteValue.maximumLength(mtu: mtu) { mtu = try await exchangeMTU() }
        if value.count <= WriteValue.maximumLength(mtu: mtu) {
            try await perform(WriteValue(value, to: handle))
            return .request
        }
        try await perform(WriteLongValue(value, to: handle))
        return .prepared
    }

    /// Writes a value without a response; it has to fit into one packet. Waits until the kernel has taken it.
    public func writeWithoutResponse(_ value: [UInt8], to handle: Handle) async throws {
        let connection = try await connection()
        var mtu = await connection.mtu
        if value.count > WriteValue.maximumLength(mtu: mtu) { mtu = try await exchangeMTU() }
        try await connection.send(WriteWithoutResponse(value, to: handle).command(mtu: mtu))
    }
}
