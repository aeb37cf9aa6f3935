// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import BluetoothProfiles

/// The database of a device with what a client need not discover: one that reads by UUID sees the value of a
/// characteristic, but neither its declaration nor its service.
package struct CompletedDatabase {
    /// The service of characteristics whose service is neither known nor assigned.
    private static let unknownService = BluetoothUUID(bits128: 0xB1EC_0000_5EC7_4C3A_9D0E_51A1_B1EC_0000)

    package private(set) var database: DiscoveredDatabase
    /// What was assumed, in words.
    package private(set) var remarks: [String] = []

    /// - Parameters:
    ///   - database: What is known.
    package init(_ database: DiscoveredDatabase, properties: (Handle) -> CharacteristicProperties) {
        self.database = database
        addDeclarations(properties)
        addServices()
    }

    /// Assumes a declaration directly before each value that has none. A private descriptor of a known characteristic is no
    /// value.
    private mutating func addDeclarations(_ properties: (Handle) -> CharacteristicProperties) {
        let declared = Set(database.declarations.map(\.valueHandle))
        let taken = Set(database.attributes.map(\.handle))
        let known = database
        var added: [Handle] = []
        for attribute in known.attributes {
            guard !attribute.uuid.isDeclaration, !declared.contains(attribute.handle),
                AssignedNumbers.name(ofDescriptor: attribute.uuid) == nil,
                known.knownPlace(of: attribute.handle)?.characteristic == nil,
                let declaration = attribute.handle.previous, declaration != .invalid, !taken.contains(declaration)
            else { continue }
            let range = HandleRange(declaration, attribute.handle)
            let characteristic = GATTCharacteristic(
                declaration: declaration,
                valueHandle: attribute.handle,
                properties: properties(attribute.handle),
                uuid: attribute.uuid,
                end: attribute.handle
            )
            database.learn(.characteristics([characteristic]), from: .characteristics(range))
            added.append(attribute.handle)
        }
        guard !added.isEmpty else { return }
        remarks.append("no declaration was discovered of \(Self.list(added)); the clone allows what the client did")
    }

    /// Assumes a service for each row of characteristics that lie in none.
    private mutating func addServices() {
        let services = database.services.map(\.range)
        let orphans = database.declarations.filter { own in !services.contains { $0.contains(own.declaration) } }
        guard !orphans.isEmpty else { return }
        let taken = Set(database.attributes.map(\.handle))
        var added: [GATTService] = []
        for characteristic in orphans {
            let uuid = AssignedNumbers.service(ofCharacteristic: characteristic.uuid) ?? Self.unknownService
            let start = characteristic.declaration.previous
            let hasPlace = start.map { $0 != .invalid && !taken.contains($0) } ?? false
            // Without a free handle before it, it belongs to the service before, unless a known one lies between.
            if let last = added.last, last.uuid == uuid || !hasPlace,
                !services.contains(where: { $0.start > last.range.start && $0.start < characteristic.declaration })
            {
                added[added.count - 1] = GATTService(
                    uuid: last.uuid,
                    range: HandleRange(last.range.start, end(of: characteristic)),
                    isPrimary: true
                )
            } else if let start, hasPlace {
                let range = HandleRange(start, end(of: characteristic))
                added.append(GATTService(uuid: uuid, range: range, isPrimary: true))
            }
        }
        for service in added { database.learn(.services([service]), from: .services(isPrimary: true, service.range)) }
        let unknown = added.contains { $0.uuid == Self.unknownService }
        remarks.append(
            "the services of \(Self.list(orphans.map(\.valueHandle))) were not discovered; "
                + (unknown
                    ? "those that are not assigned are under \(Self.unknownService)" : "the assigned ones are taken")
        )
    }

    /// The last known handle before the next declaration.
    private func end(of characteristic: GATTCharacteristic) -> Handle {
        let after = database.attributes.drop { $0.handle <= characteristic.valueHandle }
        return after.prefix { !$0.uuid.isDeclaration }.last?.handle ?? characteristic.valueHandle
    }

    private static func list(_ handles: [Handle]) -> String {
        let list = handles.prefix(8).map { "\($0)" }.joined(separator: ", ")
        return handles.count > 8 ? "\(list) and \(handles.count - 8) more" : list
    }
}
