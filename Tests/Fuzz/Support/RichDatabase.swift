// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// A database with one of everything: every kind of storage, every requirement, includes in both directions, long and
/// short UUIDs, gaps, and attributes at the highest handles.
enum RichDatabase {
    static let database = made(of: services)

    /// The databases after a change: without some services, with a moved service, and with only the two services that
    /// every device has.
    static let others = [
        made(of: [services[0], services[1], services[4]]),
        made(of: services.prefix(2) + [ServiceDefinition(0x1812, characteristics: [])] + services.dropFirst(2)),
        made(of: Array(services.prefix(2))),
    ]

    private static func made(of services: [ServiceDefinition]) -> GATTDatabase {
        do {
            return try GATTDatabase(services: services)
        } catch {
            fatalError("the database of the fuzz targets: \(error)")
        }
    }

    /// The values that support subscriptions.
    static let notifying = database.attributes.compactMap { attribute -> Handle? in
        if case .clientConfiguration(let value, _) = attribute.storage { value } else { nil }
    }

    /// The configurations of these values.
    static let configurations = database.attributes.filter { $0.type == .clientCharacteristicConfiguration }.map(
        \.handle
    )

    /// A server for the database. Created once, because computing its Database Hash takes long.
    static let server = GATTServer(database: database)

    private static let long = BluetoothUUID(bits128: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E)
    private static let name = Array("abcdefgh".utf8)

    private static let services: [ServiceDefinition] = [
        .genericAccess(name: "a name that is longer than one answer of 23 octets", appearance: 0x0341),
        .genericAttribute(features: .enhancedATTBearer),
        ServiceDefinition(
            0x180D,
            includes: ["battery", "private"],
            characteristics: [
                CharacteristicDefinition(0x2A37, .notify, value: .application, descriptors: [.userDescription("rate")]),
                CharacteristicDefinition(0x2A38, [.read, .indicate, .notify], value: .application),
                CharacteristicDefinition(
                    0x2A39,
                    [.write, .writeWithoutResponse],
                    value: .handler(maximumLength: 4),
                    extendedProperties: .reliableWrite
                ),
            ]
        ),
        ServiceDefinition(
            0x180F,
            isPrimary: false,
            label: "battery",
            characteristics: [
                CharacteristicDefinition(0x2A19, [.read, .notify], value: .fixed([87])),
                CharacteristicDefinition(0x2A19, [.read, .write], value: .fixedLength([1, 2, 3, 4])),
            ]
        ),
        ServiceDefinition(
            0x181C,
            characteristics: [
                CharacteristicDefinition(0x2A8A, [.read, .write], value: .variable(name)),
                CharacteristicDefinition(
                    0x2A8B,
                    [.read, .write],
                    value: .variable(Array(repeating: 0x5A, count: 512))
                ),
                CharacteristicDefinition(0x2A8C, [.read, .write], value: .application),
                secured(0x2A8D, .encrypted),
                secured(0x2A8E, .authenticated),
                secured(0x2A8F, .authorized),
                secured(0x2A90, AccessRequirement(encryption: true, minimumKeySize: 16)),
            ]
        ),
        ServiceDefinition(
            long,
            label: "private",
            characteristics: [
                CharacteristicDefinition(long, [.read, .write, .notify, .indicate], value: .variable([])),
                CharacteristicDefinition(0x2A00, .read, value: .fixed(name), handle: 0xFFFD, valueHandle: 0xFFFF),
            ],
            handle: 0x0100
        ),
    ]

    private static func secured(_ uuid: BluetoothUUID, _ requirement: AccessRequirement) -> CharacteristicDefinition {
        CharacteristicDefinition(
            uuid,
            [.read, .write, .notify],
            value: .variable([1, 2, 3]),
            permissions: AttributePermissions(read: requirement, write: requirement),
            subscription: requirement
        )
    }
}
