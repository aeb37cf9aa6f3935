// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

// What the device has. Each operation runs on this one link from its beginning to its end: after a reconnection the same
// handles may mean something else.
extension ATTConnection {
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
        let characteristic = try await first(in: service) { range in
            try await perform(DiscoverCharacteristics(in: range, uuid: uuid, .first)).first
        }
        guard let characteristic else { throw MissingAttribute.characteristic(uuid, service: service) }
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

    /// What is found first in the services of a type, of which a device may have several, or in the whole database.
    ///
    /// The next service is looked for only where the one before has it not: round trips are what a user feels.
    func first<Found>(
        in service: BluetoothUUID?,
        _ find: (HandleRange) async throws -> Found?
    ) async throws -> Found? {
        guard let service else { return try await find(.all) }
        var found: GATTService? = try await discoverService(service)
        while let current = found {
            if let result = try await find(current.range) { return result }
            guard let next = current.range.end.next else { return nil }
            found = try await perform(DiscoverServicesByUUID(service, in: HandleRange(next, .last), .first)).first
        }
        return nil
    }
}
