// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// The parts of a target that can stand after others.
struct TargetOffers {
    /// Descriptors by the names that are offered where no database is known.
    private static let descriptorNames = [
        "cccd", "user-description", "presentation-format", "extended-properties", "server-configuration",
        "aggregate-format", "valid-range",
    ]

    /// The database of the device on the command line; `nil` if there is none in the cache.
    let database: DiscoveredDatabase?

    /// The words that can stand after these parts, without them; sorted.
    func words(after before: [Substring]) -> [String] {
        let words: Set<String> =
            switch before.count {
            case 0: characteristics()
            case 1: characteristics(in: before[0]).union(descriptors(of: before[0], in: nil))
            case 2: descriptors(of: before[1], in: before[0])
            default: []
            }
        return words.sorted()
    }

    private func characteristics() -> Set<String> {
        guard let database, !database.declarations.isEmpty else {
            return Set(AssignedNumbers.slugs([.characteristic]))
        }
        return Set(database.declarations.map { Self.word($0.uuid, .characteristic) })
    }

    private func characteristics(in service: Substring) -> Set<String> {
        let uuids = Self.uuids(service, .service)
        guard !uuids.isEmpty else { return [] }
        if let database {
            let found = declarations(in: uuids, of: database)
            if !found.isEmpty { return Set(found.map { Self.word($0.uuid, .characteristic) }) }
        }
        let assigned = uuids.compactMap { AssignedNumbers.characteristics(ofService: $0) }
        // The characteristics of a service that is not in the table can be any.
        guard !assigned.isEmpty else { return Set(AssignedNumbers.slugs([.characteristic])) }
        let named = assigned.joined().filter { AssignedNumbers.name(ofCharacteristic: $0) != nil }
        return Set(named.map { Self.word($0, .characteristic) })
    }

    private func declarations(in services: Set<BluetoothUUID>, of database: DiscoveredDatabase) -> [GATTCharacteristic]
    {
        let ranges = database.services.filter { services.contains($0.uuid) }.map(\.range)
        return database.declarations.filter { found in ranges.contains { $0.contains(found.declaration) } }
    }

    private func descriptors(of characteristic: Substring, in service: Substring?) -> Set<String> {
        let uuids = Self.uuids(characteristic, .characteristic)
        guard !uuids.isEmpty else { return [] }
        guard let database else { return Set(Self.descriptorNames) }
        var owners = database.declarations
        if let service { owners = declarations(in: Self.uuids(service, .service), of: database) }
        var words: Set<String> = []
        for owner in owners where uuids.contains(owner.uuid) {
            // The end that is kept with a declaration is that of its value.
            let next = database.declarations.first { $0.declaration > owner.declaration }?.declaration ?? .last
            for attribute in database.attributes where attribute.handle > owner.valueHandle && attribute.handle < next {
                guard let short = attribute.uuid.short16, (0x2900...0x29FF).contains(short) else { break }
                words.insert(Self.word(attribute.uuid, .descriptor))
            }
        }
        return words.isEmpty ? Set(Self.descriptorNames) : words
    }

    private static func uuids(_ text: Substring, _ kind: AssignedNumber.Kind) -> Set<BluetoothUUID> {
        if let uuid = BluetoothUUID(text) { return [uuid] }
        return Set(AssignedNumbers.uuids(named: text, kinds: [kind]).map(\.uuid))
    }

    /// The assigned name of a UUID if no other UUID has it, or else its digits.
    private static func word(_ uuid: BluetoothUUID, _ kind: AssignedNumber.Kind) -> String {
        let name =
            switch kind {
            case .service: AssignedNumbers.name(ofService: uuid)
            case .characteristic: AssignedNumbers.name(ofCharacteristic: uuid)
            case .descriptor: AssignedNumbers.name(ofDescriptor: uuid)
            }
        guard let name, uuids(Substring(AssignedNumber.slug(name)), kind) == [uuid] else {
            return uuid.description.lowercased()
        }
        return AssignedNumber.slug(name)
    }
}
