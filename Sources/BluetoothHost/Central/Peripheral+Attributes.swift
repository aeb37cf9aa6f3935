// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

// The operations of a link, on the link of the moment: connecting first where needed. What can be repeated is repeated
// where the link never stood.
extension Peripheral {
    /// Exchanges the MTU, once a connection; a device that cannot keeps 23.
    @discardableResult
    public func exchangeMTU() async throws -> UInt16 {
        try await onLink { try await $0.exchangeMTU() }
    }

    /// The device's services, primary ones first in the order of their handles, then the secondary ones.
    public func discoverServices() async throws -> [GATTService] {
        try await onLink { try await $0.discoverServices() }
    }

    /// All that the device has.
    public func discoverTree() async throws -> AttributeTree {
        try await onLink { try await $0.discoverTree() }
    }

    /// The handles of a service; the first one where there are several of that type.
    public func discoverService(_ uuid: BluetoothUUID) async throws -> GATTService {
        try await onLink { try await $0.discoverService(uuid) }
    }

    /// Finds a characteristic with its declaration, in a service or in the whole database, with as few requests as will do:
    /// it may end before the `end` that it is given here.
    public func discoverCharacteristic(
        _ uuid: BluetoothUUID,
        service: BluetoothUUID?
    ) async throws -> GATTCharacteristic {
        try await onLink { try await $0.discoverCharacteristic(uuid, service: service) }
    }

    /// Finds a descriptor of a characteristic.
    public func discoverDescriptor(
        _ uuid: BluetoothUUID,
        of characteristic: GATTCharacteristic
    ) async throws -> GATTDescriptor {
        try await onLink { try await $0.discoverDescriptor(uuid, of: characteristic) }
    }

    /// Reads the value of a characteristic by its UUID: one request where the value fits into one answer, two in a named
    /// service. A longer value is read to its end.
    public func read(_ uuid: BluetoothUUID, service: BluetoothUUID? = nil) async throws -> AttributeValue {
        try await onLink { try await $0.read(uuid, service: service) }
    }

    /// Reads an attribute by its handle, to its end.
    public func read(at handle: Handle) async throws -> AttributeValue {
        try await onLink { try await $0.read(at: handle) }
    }

    /// Writes a value with a response, in pieces where it does not fit into one packet.
    public func write(_ value: [UInt8], to handle: Handle) async throws -> WriteMethod {
        try await connection().write(value, to: handle)
    }

    /// Writes a value without a response; it has to fit into one packet. Waits until the kernel has taken it.
    public func writeWithoutResponse(_ value: [UInt8], to handle: Handle) async throws {
        try await connection().writeWithoutResponse(value, to: handle)
    }
}
