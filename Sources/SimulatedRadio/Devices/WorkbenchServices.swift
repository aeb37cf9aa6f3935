// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

extension WorkbenchFirmware {
    /// Values of all lengths, and all ways of writing.
    static let values = ServiceDefinition(
        WorkbenchUUID.values,
        includes: ["secondary", "short secondary"],
        characteristics: [
            CharacteristicDefinition(WorkbenchUUID.long, [.read, .write], value: .variable(longValue)),
            CharacteristicDefinition(
                WorkbenchUUID.variable,
                [.read, .write, .writeWithoutResponse],
                value: .variable(Array("hello".utf8))
            ),
            CharacteristicDefinition(
                WorkbenchUUID.fixed,
                [.read, .write],
                value: .fixedLength([0x01, 0x02, 0x03, 0x04])
            ),
            CharacteristicDefinition(WorkbenchUUID.counter, .read, value: .handler(maximumLength: 4)),
            CharacteristicDefinition(WorkbenchUUID.writeOnly, .write, value: .application),
            CharacteristicDefinition(
                WorkbenchUUID.reliable,
                [.read, .write],
                value: .variable(Array("reliable".utf8)),
                extendedProperties: .reliableWrite
            ),
            CharacteristicDefinition(
                WorkbenchUUID.ticker,
                [.read, .notify, .indicate],
                value: .handler(maximumLength: 4)
            ),
            CharacteristicDefinition(WorkbenchUUID.commandOnly, .writeWithoutResponse, value: .application),
        ]
    )

    /// Descriptors of all kinds. The aggregate refers to its two formats by handle, so these have fixed handles.
    static let descriptors = ServiceDefinition(
        WorkbenchUUID.descriptors,
        characteristics: [
            CharacteristicDefinition(
                WorkbenchUUID.voltage,
                .read,
                value: .fixed([0xE4, 0x0C]),
                descriptors: [
                    .userDescription("Supply voltage"),
                    presentationFormat(exponent: -3, unit: 0x2728, description: 1, at: 0x0085),
                ],
                handle: 0x0082
            ),
            CharacteristicDefinition(
                WorkbenchUUID.current,
                .read,
                value: .fixed([0x2A, 0x00]),
                descriptors: [
                    .userDescription("Supply current"),
                    presentationFormat(exponent: -3, unit: 0x2704, description: 2, at: 0x008A),
                ]
            ),
            CharacteristicDefinition(
                WorkbenchUUID.aggregate,
                .read,
                value: .fixed([0xE4, 0x0C, 0x2A, 0x00]),
                descriptors: [
                    DescriptorDefinition(
                        .characteristicAggregateFormat,
                        value: .fixed([0x85, 0x00, 0x8A, 0x00])
                    )
                ]
            ),
            CharacteristicDefinition(
                WorkbenchUUID.labelled,
                .read,
                value: .fixed([0x00]),
                extendedProperties: .writableAuxiliaries,
                descriptors: [
                    DescriptorDefinition(
                        .characteristicUserDescription,
                        value: .variable(Array("write me".utf8)),
                        permissions: .readWrite
                    ),
                    DescriptorDefinition(
                        WorkbenchUUID.numbered(0x02FF),
                        value: .variable([0xCA, 0xFE]),
                        permissions: .readWrite
                    ),
                ]
            ),
            CharacteristicDefinition(
                WorkbenchUUID.twin,
                .read,
                value: .fixed([0x01]),
                descriptors: [.userDescription("first twin")]
            ),
            CharacteristicDefinition(
                WorkbenchUUID.twin,
                .read,
                value: .fixed([0x02]),
                descriptors: [.userDescription("second twin")]
            ),
        ],
        handle: 0x0081
    )

    /// The format of an unsigned 16-bit number, at a handle to which the aggregate refers.
    private static func presentationFormat(
        exponent: Int8,
        unit: UInt16,
        description: UInt16,
        at handle: Handle
    ) -> DescriptorDefinition {
        var definition = DescriptorDefinition.presentationFormat(
            format: 0x06,
            exponent: exponent,
            unit: unit,
            description: description
        )
        definition.handle = handle
        return definition
    }

    /// Attributes that refuse, each for another reason, and one that never answers.
    static let troubles = ServiceDefinition(
        WorkbenchUUID.troubles,
        characteristics: [
            guarded(WorkbenchUUID.authenticated, .authenticated),
            guarded(WorkbenchUUID.encrypted, .encrypted),
            guarded(WorkbenchUUID.authorized, .authorized),
            CharacteristicDefinition(WorkbenchUUID.applicationError, [.read, .write], value: .application),
            CharacteristicDefinition(WorkbenchUUID.silent, [.read, .write], value: .application),
        ],
        handle: 0x00C0
    )

    private static func guarded(_ uuid: BluetoothUUID, _ requirement: AccessRequirement) -> CharacteristicDefinition {
        CharacteristicDefinition(
            uuid,
            [.read, .write],
            value: .variable(Array("secret".utf8)),
            permissions: AttributePermissions(read: requirement, write: requirement)
        )
    }

    /// Reachable by inclusion only.
    static let secondary = ServiceDefinition(
        WorkbenchUUID.secondary,
        isPrimary: false,
        label: "secondary",
        includes: ["short secondary"],
        characteristics: [
            CharacteristicDefinition(WorkbenchUUID.inSecondary, .read, value: .fixed(Array("inner".utf8)))
        ]
    )

    /// A secondary service with a 16-bit UUID, so that its include declarations contain the UUID: Current Time.
    static let shortSecondary = ServiceDefinition(
        0x1805,
        isPrimary: false,
        label: "short secondary",
        characteristics: [
            CharacteristicDefinition(
                0x2A2B,
                .read,
                value: .fixed([0xE8, 0x07, 0x01, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00])
            )
        ]
    )
}
