// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Records

/// The JSON form of one file of the GATT cache: handles are numbers, UUIDs are text.
struct DatabaseFile: Codable, Sendable {
    package struct Service: Codable, Sendable {
        package var uuid: String
        package var start: UInt16
        package var end: UInt16
        package var primary: Bool
    }

    struct Include: Codable, Sendable {
        package var handle: UInt16
        package var start: UInt16
        package var end: UInt16
        package var uuid: String?
    }

    package struct Characteristic: Codable, Sendable {
        package var declaration: UInt16
        package var value: UInt16
        package var properties: UInt8
        package var uuid: String
    }

    package struct Attribute: Codable, Sendable {
        package var handle: UInt16
        package var uuid: String
    }

    /// The characteristic by which a bonded device must announce changes to its database.
    struct ServiceChanged: Codable, Sendable {
        package var value: UInt16
        package var configuration: UInt16
    }

    /// The first and last handle of each range that is completely discovered, by kind of declaration.
    struct Known: Codable, Sendable {
        package var primaryServices: [[UInt16]]
        var secondaryServices: [[UInt16]]
        var servicesByUUID: [String: [[UInt16]]]
        package var includes: [[UInt16]]
        package var characteristics: [[UInt16]]
        package var attributes: [[UInt16]]
    }

    private static let currentVersion = 2

    package var version = currentVersion
    /// The checksum of the other members, see `sum`.
    package var check = ""
    /// The address of the device; its type, `public` or `random`, follows.
    package var device: String
    package var type: String
    /// The time of writing, in nanoseconds since 1970.
    var writtenAt: Int64
    /// The Database Hash in hexadecimal; `nil` if the device has none.
    package var hash: String?
    /// `nil` if the device does not announce changes; without a hash the file then says only that.
    package var serviceChanged: ServiceChanged?
    package var services: [Service]
    package var includes: [Include]
    package var characteristics: [Characteristic]
    package var attributes: [Attribute]
    package var known: Known
    /// The length of the longest value seen at a handle, in octets.
    var longestValues: [String: Int]
    /// The Presentation Format descriptor in hexadecimal of the characteristic with its value at a handle.
    package var formats: [String: String]?
    /// `true` if services were announced with an end at 0xFFFF although others follow.
    var overlaps: Bool?

    package var written: WallTime { WallTime(nanosecondsSince1970: writtenAt) }

    /// Whether the file only records that the device offers no way to confirm a stored database.
    var isOfAbsence: Bool { hash == nil && serviceChanged == nil }

    /// A checksum over all other members. It detects damage that parsing cannot: a damaged handle is still a handle,
    /// and the device's hash covers the device's database, not this file.
    package var sum: String? {
        var file = self
        file.check = ""
        guard let data = file.encoded else { return nil }
        // FNV-1a with 64 bits. It finds accidental damage: whoever can change the file can also compute the sum.
        let sum = data.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return Hex.string(sum, minimumDigits: 16)
    }

    /// The least size of a database's file, in octets.
    static func leastSize(of database: DiscoveredDatabase) -> Int {
        // {"handle":1,"uuid":"0x2A19"} is the shortest entry.
        let things =
            database.services.count + database.includes.count + database.declarations.count + database.attributes.count
        return 28 * things
    }

    /// The contents of the file; `nil` if they cannot be encoded.
    package var encoded: [UInt8]? {
        // The order of the members is the same each time, because the checksum is one of this text.
        try? JSONCoding.encode(self)
    }

    /// Whether the file is about that device and in the current version.
    func isOf(_ device: DeviceAddress) -> Bool {
        version == Self.currentVersion && self.device == device.address.description
            && type == device.type.connectionType.description
    }
}

// MARK: - Writing

extension DatabaseFile {
    /// The stored form of a database, in numbers and texts.
    init(_ stored: StoredDatabase, of device: DeviceAddress, written: WallTime) {
        let database = stored.database
        self.device = device.address.description
        type = device.type.connectionType.description
        writtenAt = written.nanoseconds
        hash = stored.hash.map { Hex.string($0) }
        serviceChanged = stored.serviceChanged.map {
            ServiceChanged(value: $0.value.rawValue, configuration: $0.configuration.rawValue)
        }
        services = database.services.map {
            Service(
                uuid: "\($0.uuid)",
                start: $0.range.start.rawValue,
                end: $0.range.end.rawValue,
                primary: $0.isPrimary
            )
        }
        includes = database.includes.map {
            Include(
                handle: $0.handle.rawValue,
                start: $0.range.start.rawValue,
                end: $0.range.end.rawValue,
                uuid: $0.uuid?.description
            )
        }
        characteristics = database.declarations.map {
            Characteristic(
                declaration: $0.declaration.rawValue,
                value: $0.valueHandle.rawValue,
                properties: $0.properties.rawValue,
                uuid: "\($0.uuid)"
            )
        }
        attributes = database.attributes.map { Attribute(handle: $0.handle.rawValue, uuid: "\($0.uuid)") }
        known = Known(
            primaryServices: database.coverage.primaryServices.pairs,
            secondaryServices: database.coverage.secondaryServices.pairs,
            servicesByUUID: Dictionary(
                uniqueKeysWithValues: database.coverage.servicesByUUID.map { ("\($0)", $1.pairs) }
            ),
            includes: database.coverage.includes.pairs,
            characteristics: database.coverage.characteristics.pairs,
            attributes: database.coverage.attributes.pairs
        )
        longestValues = Dictionary(
            uniqueKeysWithValues: stored.longestValues.map { ("\($0.rawValue)", $1) }
        )
        if !stored.formats.isEmpty {
            formats = Dictionary(
                uniqueKeysWithValues: stored.formats.map { ("\($0.rawValue)", Hex.string($1)) }
            )
        }
        if database.hasOverlaps { overlaps = true }
        check = sum ?? ""
    }
}

// MARK: - Reading

extension DatabaseFile {
    /// The stored database; `nil` if the file is damaged or contradicts itself.
    package var stored: StoredDatabase? {
        do {
            guard check == sum else { return nil }
            let hash = try hash.map { text in
                guard let hash = Hex.bytes(text), hash.count == 16 else { throw Damaged() }
                return hash
            }
            let serviceChanged = serviceChanged.map {
                StoredDatabase.ServiceChanged(value: Handle($0.value), configuration: Handle($0.configuration))
            }
            // Without either of them, nothing could confirm the rest.
            guard hash != nil || serviceChanged != nil else { return StoredDatabase(hash: nil) }
            var coverage = DiscoveredDatabase.Coverage()
            coverage.primaryServices = try HandleSet(pairs: known.primaryServices)
            coverage.secondaryServices = try HandleSet(pairs: known.secondaryServices)
            for (uuid, pairs) in known.servicesByUUID {
                coverage.servicesByUUID[try BluetoothUUID(stored: uuid)] = try HandleSet(pairs: pairs)
            }
            coverage.includes = try HandleSet(pairs: known.includes)
            coverage.characteristics = try HandleSet(pairs: known.characteristics)
            coverage.attributes = try HandleSet(pairs: known.attributes)
            let database = DiscoveredDatabase(
                services: try services.map { GATTService(uuid: try BluetoothUUID(stored: $0.uuid), $0) },
                includes: try includes.map {
                    GATTIncludedService(
                        handle: Handle($0.handle),
                        range: HandleRange(Handle($0.start), Handle($0.end)),
                        uuid: try $0.uuid.map { try BluetoothUUID(stored: $0) }
                    )
                },
                declarations: try characteristics.map {
                    GATTCharacteristic(
                        declaration: Handle($0.declaration),
                        valueHandle: Handle($0.value),
                        properties: CharacteristicProperties(rawValue: $0.properties),
                        uuid: try BluetoothUUID(stored: $0.uuid),
                        // The database sets the end itself.
                        end: Handle($0.value)
                    )
                },
                attributes: try attributes.map {
                    AttributeType(handle: Handle($0.handle), uuid: try BluetoothUUID(stored: $0.uuid))
                },
                coverage: coverage,
                hasOverlaps: overlaps ?? false
            )
            guard let database else { return nil }
            var longest: [Handle: Int] = [:]
            for (handle, length) in longestValues {
                guard let handle = UInt16(handle), (0...GATTLimits.maximumValueLength).contains(length) else {
                    return nil
                }
                longest[Handle(handle)] = length
            }
            var formats: [Handle: [UInt8]] = [:]
            for (handle, format) in self.formats ?? [:] {
                guard let handle = UInt16(handle), let octets = Hex.bytes(format),
                    (try? PresentationFormats(decoding: octets)) != nil
                else { return nil }
                formats[Handle(handle)] = octets
            }
            return StoredDatabase(
                hash: hash,
                serviceChanged: serviceChanged,
                database: database,
                longestValues: longest,
                formats: formats
            )
        } catch {
            return nil
        }
    }
}

/// The file is not one that blectl has written.
private struct Damaged: Error {}

extension GATTService {
    fileprivate init(uuid: BluetoothUUID, _ service: DatabaseFile.Service) {
        self.init(
            uuid: uuid,
            range: HandleRange(Handle(service.start), Handle(service.end)),
            isPrimary: service.primary
        )
    }
}

extension BluetoothUUID {
    fileprivate init(stored text: String) throws {
        guard let uuid = BluetoothUUID(text) else { throw Damaged() }
        self = uuid
    }
}

extension HandleSet {
    fileprivate var pairs: [[UInt16]] { ranges.map { [$0.start.rawValue, $0.end.rawValue] } }

    fileprivate init(pairs: [[UInt16]]) throws {
        self.init(
            try pairs.map { pair in
                guard pair.count == 2 else { throw Damaged() }
                let range = HandleRange(Handle(pair[0]), Handle(pair[1]))
                guard range.isValid else { throw Damaged() }
                return range
            }
        )
    }
}
