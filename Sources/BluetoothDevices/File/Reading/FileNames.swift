// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

/// The names that the values of a device file can refer to, collected before the values are read, because a value may
/// refer to a later part of the file.
struct FileNames: Sendable {
    /// A characteristic by its UUIDs.
    struct Place: Hashable, Sendable {
        let service: BluetoothUUID
        let characteristic: BluetoothUUID
    }

    /// The names of the databases that the device can change to.
    let databases: Set<String>
    /// The programs that values and rules can refer to.
    let programs: DevicePrograms
    private(set) var labels: [String: BluetoothUUID] = [:]
    /// The characteristics with their services.
    private var places: Set<Place> = []
    /// The characteristics in any service.
    private var characteristics: Set<BluetoothUUID> = []

    /// The names in a file, of all its databases. Faults are ignored here, because the builder finds them
    /// again.
    init(_ root: JSONCursor, _ programs: DevicePrograms) {
        self.programs = programs
        let others = root["databases"]?.members ?? []
        databases = Set(others.map(\.key))
        var uuids: [String: BluetoothUUID] = [:]
        func uuid(_ cursor: JSONCursor, _ kind: AssignedNumber.Kind) -> BluetoothUUID? {
            guard let text = cursor["uuid"]?.string else { return nil }
            let key = kind.rawValue + text
            // A file may have thousands of the same names, and looking one up searches tables.
            if let known = uuids[key] { return known }
            uuids[key] = try? FileName.uuid(text, kind)
            return uuids[key]
        }
        for list in [root["services"]].compactMap({ $0 }) + others.map(\.value) {
            for service in list.elements ?? [] {
                guard let owner = uuid(service, .service) else { continue }
                for characteristic in service["characteristics"]?.elements ?? [] {
                    guard let uuid = uuid(characteristic, .characteristic) else { continue }
                    add(Place(service: owner, characteristic: uuid), label: characteristic["label"]?.string)
                }
            }
        }
        if root["standard_services"]?.bool != false { add(Self.standardServices) }
    }

    init(_ definition: DeviceDefinition, _ programs: DevicePrograms) {
        self.programs = programs
        databases = Set(definition.databases.keys)
        add(definition.services)
        for (_, services) in definition.databases.sorted(by: { $0.key < $1.key }) { add(services) }
        if definition.hasStandardServices { add(Self.standardServices) }
    }

    /// The services that every device gets unless it does without.
    private static let standardServices = [DeviceService.genericAccess(name: "", appearance: 0), .genericAttribute]

    private mutating func add(_ services: [DeviceService]) {
        for service in services {
            for characteristic in service.characteristics {
                add(Place(service: service.uuid, characteristic: characteristic.uuid), label: characteristic.label)
            }
        }
    }

    /// Adds a characteristic. The first one with a label has it.
    private mutating func add(_ place: Place, label: String?) {
        places.insert(place)
        characteristics.insert(place.characteristic)
        if let label, labels[label] == nil { labels[label] = place.characteristic }
    }

    /// The characteristic with a label, or with the name or UUID `battery-level`, `180f/2a19`.
    func reference(_ text: String) throws(FileTextError) -> CharacteristicReference {
        // First, so that the author of a file can give any name to a characteristic.
        if labels[text] != nil { return .label(text) }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, let last = parts.last else {
            throw FileTextError(message: "expected CHARACTERISTIC or SERVICE/CHARACTERISTIC, found '\(text.shortened)'")
        }
        let uuid: BluetoothUUID
        do {
            uuid = try FileName.uuid(last, .characteristic)
        } catch {
            let hint = FileName.hint(text, among: labels.keys.sorted())
            throw FileTextError(
                message: hint.isEmpty ? error.message : "no characteristic has the label '\(text.shortened)'" + hint
            )
        }
        let service = parts.count == 2 ? try FileName.uuid(parts[0], .service) : nil
        let isThere = service.map { places.contains(Place(service: $0, characteristic: uuid)) }
        guard isThere ?? characteristics.contains(uuid) else {
            throw FileTextError(message: "the device has no characteristic '\(text.shortened)'")
        }
        return .uuid(uuid, service: service)
    }

    func uuid(of reference: CharacteristicReference) -> BluetoothUUID? {
        switch reference {
        case .label(let label): labels[label]
        case .uuid(let uuid, _): uuid
        }
    }
}
