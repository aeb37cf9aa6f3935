// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
import BluetoothDevices
import BluetoothHost

extension SimulatedDevice {
    /// A device without behaviour, whose database has all the shapes that the specification allows and that clients
    /// have trouble with, taken from the qualification tests of GATT. It is older than the Database Hash, and has a
    /// random static address.
    public static func museum() throws(GATTDatabaseError) -> SimulatedDevice {
        SimulatedDevice(
            name: "museum",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0_1D_0A_71_FA_C7), .random),
            rssi: -80,
            advertising: [
                DeviceAdvertising(
                    .connectable,
                    interval: .microseconds(672_500),
                    data: AdvertisingFields.flags.name("Museum").appearance(0x0540).bytes
                )
            ],
            database: try GATTDatabase(services: MuseumCollection.services),
            // An old radio: the default MTU and short packets.
            link: Link(interval: .milliseconds(30), dataLength: 27, maximumMTU: 23, phys: .le1M)
        )
    }
}

/// The museum's services.
enum MuseumCollection {
    /// The UUIDs: `b1ec06..-…`.
    static func numbered(_ number: UInt8) -> BluetoothUUID { WorkbenchUUID.numbered(0x0600 | UInt16(number)) }

    /// Unassigned 16-bit UUIDs.
    static let unknownCharacteristic: BluetoothUUID = 0x2EEE
    static let unknownDescriptor: BluetoothUUID = 0x29EE

    static let services =
        [access, attribute, secondary, includer, longFirst, shortFirst, alternating, nested, empty, twin(1), twin(2)]
        + [descriptors, lengths, next, last]

    /// Generic Access with a characteristic that clients hardly ever read: the preferred connection parameters.
    private static let access = ServiceDefinition(
        .genericAccess,
        characteristics: [
            CharacteristicDefinition(.deviceName, .read, value: .fixed(Array("Museum".utf8))),
            CharacteristicDefinition(.appearance, .read, value: .fixed([0x40, 0x05])),
            CharacteristicDefinition(0x2A04, .read, value: .fixed([0x18, 0x00, 0x28, 0x00, 0x00, 0x00, 0x2A, 0x00])),
        ]
    )

    /// Service Changed alone, as in Bluetooth up to 5.0.
    private static let attribute = ServiceDefinition(
        .genericAttribute,
        characteristics: [
            CharacteristicDefinition(.serviceChanged, .indicate, value: .fixed([0x01, 0x00, 0xFF, 0xFF]))
        ],
        handle: 0x0010
    )

    /// Its handles come before those of the services that include it.
    private static let secondary = ServiceDefinition(
        numbered(0x10),
        isPrimary: false,
        label: "secondary",
        characteristics: [text(numbered(0x11), "included, and before its includers")],
        handle: 0x0020
    )

    /// Includes services of each kind: secondary and primary, before and after it, with long and short UUIDs.
    private static let includer = ServiceDefinition(
        0x181C,
        label: "includer",
        includes: ["secondary", "empty", "nested", "alternating"],
        characteristics: [text(0x2A8A, "User")],
        handle: 0x0030
    )

    /// Long UUIDs before short ones.
    private static let longFirst = ServiceDefinition(
        numbered(0x20),
        label: "long first",
        characteristics: [
            text(numbered(0x21), "one"), text(numbered(0x22), "two"), text(0x2A24, "three"), text(0x2A25, "four"),
        ],
        handle: 0x0040
    )

    /// Short UUIDs before long ones.
    private static let shortFirst = ServiceDefinition(
        numbered(0x30),
        label: "short first",
        characteristics: [
            text(0x2A24, "one"), text(0x2A25, "two"), text(numbered(0x31), "three"), text(numbered(0x32), "four"),
        ],
        handle: 0x0050
    )

    /// Long and short UUIDs in turn.
    private static let alternating = ServiceDefinition(
        0x180A,
        label: "alternating",
        characteristics: [
            text(0x2A29, "one"), text(numbered(0x41), "two"), text(0x2A24, "three"), text(numbered(0x42), "four"),
            text(unknownCharacteristic, "five"),
        ],
        handle: 0x0060
    )

    /// A secondary service that contains nothing but an include declaration.
    private static let nested = ServiceDefinition(
        0x1816,
        isPrimary: false,
        label: "nested",
        includes: ["secondary"],
        handle: 0x0080
    )

    /// A service that consists of its declaration.
    private static let empty = ServiceDefinition(0x1802, label: "empty", handle: 0x0090)

    /// One of two services with the same UUID, each with two characteristics of the same UUID.
    private static func twin(_ number: UInt8) -> ServiceDefinition {
        ServiceDefinition(
            numbered(0x50),
            label: "twin \(number)",
            characteristics: [1, 2].map { index in
                CharacteristicDefinition(
                    numbered(0x51),
                    [.read, .write],
                    value: .fixedLength([number, index]),
                    descriptors: [.userDescription("twin \(number), exhibit \(index)")]
                )
            },
            handle: Handle(0x00A0 + UInt16(number) * 0x10)
        )
    }

    /// Unknown descriptors before, between and after known ones, gaps between the handles, and a characteristic without
    /// any property.
    private static let descriptors = ServiceDefinition(
        numbered(0x60),
        label: "descriptors",
        characteristics: [
            CharacteristicDefinition(
                numbered(0x61),
                [.read, .notify, .indicate],
                value: .fixed([0x01]),
                extendedProperties: .writableAuxiliaries,
                descriptors: [
                    DescriptorDefinition(unknownDescriptor, value: .fixed([0xEE])),
                    DescriptorDefinition(numbered(0x6D), value: .variable([0xAB]), permissions: .readWrite),
                    .userDescription("descriptors"),
                    DescriptorDefinition(numbered(0x6E), value: .fixed([]), handle: 0x0120),
                    .presentationFormat(format: 0x04, unit: 0x27AD),
                    .clientConfiguration(handle: 0x0140),
                ],
                handle: 0x0102,
                valueHandle: 0x0110
            ),
            CharacteristicDefinition(
                numbered(0x62),
                [],
                value: .fixed([0x02]),
                permissions: AttributePermissions.none,
                descriptors: [.userDescription("neither read nor written")],
                handle: 0x0150
            ),
        ],
        handle: 0x0100
    )

    /// Values around the lengths at which an answer is full, and the longest possible value.
    private static let lengths = ServiceDefinition(
        numbered(0x70),
        label: "lengths",
        characteristics: [0, 1, 18, 19, 20, 22, 23, 44, 512].enumerated().map { index, length in
            CharacteristicDefinition(
                numbered(0x71 + UInt8(index)),
                [.read, .write],
                value: .variable((0..<length).map { UInt8(truncatingIfNeeded: $0) })
            )
        },
        handle: 0x0200
    )

    /// Its characteristic ends at the last handle but one.
    private static let next = ServiceDefinition(
        numbered(0x80),
        label: "next to last",
        characteristics: [
            CharacteristicDefinition(
                numbered(0x81),
                .read,
                value: .fixed(Array("next to last".utf8)),
                handle: 0xFFFD,
                valueHandle: 0xFFFE
            )
        ],
        handle: 0xFFF0
    )

    /// The last possible handle, so that no attribute can follow.
    private static let last = ServiceDefinition(numbered(0x90), label: "last", handle: 0xFFFF)

    private static func text(_ uuid: BluetoothUUID, _ text: String) -> CharacteristicDefinition {
        CharacteristicDefinition(uuid, .read, value: .fixed(Array(text.utf8)))
    }
}
