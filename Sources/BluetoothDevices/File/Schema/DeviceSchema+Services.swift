// SPDX-License-Identifier: MIT

import BluetoothProfiles

extension DeviceSchema {
    /// A handle, as a number or in hexadecimal.
    private static let handle = SchemaKind.anyOf([
        SchemaForm(.text(.handle), ""), SchemaForm(.integer(1...0xFFFF), ""),
    ])

    static let service = SchemaType(
        name: .service,
        prose: ["A service of the device."],
        kind: .object(
            SchemaObject([
                SchemaMember(required: "uuid", .text(.uuid(.service)), "The kind of service: `battery`, `0x180F`."),
                SchemaMember("primary", .bool, default: "true", "Whether the service is primary."),
                SchemaMember(
                    "label",
                    .text(.any(octets: 1...64)),
                    default: "the UUID",
                    "The name by which other services include this one."
                ),
                SchemaMember(
                    "includes",
                    .list(.text(.any(octets: 1...64)), count: 0...1_000),
                    "The labels, UUIDs or assigned names of the services that this one includes."
                ),
                SchemaMember(
                    "characteristics",
                    .list(.type(.characteristic)),
                    "The characteristics, in the order of their handles."
                ),
                SchemaMember(
                    "handle",
                    handle,
                    default: "the next free one",
                    "The handle of the declaration; handles must rise."
                ),
            ])
        )
    )

    /// A characteristic with its behaviour.
    static let characteristic = SchemaType(
        name: .characteristic,
        prose: [
            "A characteristic with its behaviour.",
            "The Client Characteristic Configuration and the Extended Properties descriptor are added automatically if the properties require them, unless they are among the descriptors.",
        ],
        kind: .object(SchemaObject(attributes + behavior + descriptors))
    )

    /// One length or a range of lengths.
    private static let lengths = SchemaKind.anyOf([
        SchemaForm(.integer(0...512), ""),
        SchemaForm(.tuple([.integer(0...512), .integer(0...512)]), ""),
    ])

    /// The members that the attribute itself has.
    private static let attributes: [SchemaMember] = [
        SchemaMember(required: "uuid", .text(.uuid(.characteristic)), "The kind of characteristic: `battery-level`."),
        SchemaMember("label", .text(.any(octets: 1...64)), "A name by which rules refer to this characteristic."),
        SchemaMember(
            "properties",
            .list(
                .words(
                    "broadcast",
                    "read",
                    "write-without-response",
                    "write",
                    "notify",
                    "indicate",
                    "authenticated-signed-writes",
                    "extended-properties"
                ),
                count: 0...8
            ),
            default: "none",
            "The operations that the declaration announces."
        ),
        SchemaMember(
            "extended_properties",
            .list(.words("reliable-write", "writable-auxiliaries"), count: 0...2),
            default: "none",
            "Further operations, for which the Extended Properties descriptor is added."
        ),
        SchemaMember(
            "permissions",
            .type(.permissions),
            default: "those that follow from the properties",
            "The conditions for reading and writing the value."
        ),
        SchemaMember("subscription", requirement, default: "open", "The condition for subscribing."),
        SchemaMember(
            "value",
            .type(.value),
            "The value, or what makes it. What a client writes replaces it, unless a rule decides otherwise."
        ),
        SchemaMember(
            "lengths",
            lengths,
            default: "0 to 512",
            "The length in octets that a write must have, or the shortest and the longest one."
        ),
    ]

    /// The members that make it act.
    private static let behavior: [SchemaMember] = [
        SchemaMember(
            "every",
            .anyOf([
                SchemaForm(.text(period), ""),
                SchemaForm(
                    .object(
                        SchemaObject([
                            SchemaMember(required: "value_of", .text(.reference), "The other characteristic."),
                            SchemaMember(required: "unit", .text(period), "The time of one unit."),
                        ])
                    ),
                    "The number in another characteristic, unsigned and little-endian, times a unit."
                ),
            ]),
            "The time after which the value is sent to subscribed clients, again and again. A replay has times of its own."
        ),
        SchemaMember("only_changes", .bool, default: "false", "Whether a value like the last one is not sent again."),
        SchemaMember(
            "while",
            .oneOrList(
                .object(
                    SchemaObject([
                        SchemaMember(
                            required: "characteristic",
                            .text(.reference),
                            "The characteristic with the state."
                        ),
                        SchemaMember(required: "is", .type(.value), "The value with which sending goes on."),
                    ])
                )
            ),
            default: "always",
            "The state, or several states at once, in which the value is sent and has its meaning."
        ),
        SchemaMember("idle", .type(.value), default: "the usual value", "The constant value while nothing is sent."),
        SchemaMember(
            "on_read",
            .anyOf([
                SchemaForm(.words([SchemaWord("silence", "the read is never answered")]), ""),
                SchemaForm(
                    .object(
                        SchemaObject(
                            marker: "error",
                            [
                                SchemaMember(
                                    required: "error",
                                    .text(.attError),
                                    "The error: `0x80`, `read-not-permitted`."
                                )
                            ]
                        )
                    ),
                    "The read is refused."
                ),
            ]),
            default: "the value",
            "How a read is answered instead of with the value."
        ),
        SchemaMember(
            "on_write",
            .list(.type(.rule), count: 0...1_000),
            "What a write does: the first rule whose conditions are met decides. If none is, the value is stored."
        ),
    ]

    /// The members for its descriptors and handles.
    private static let descriptors: [SchemaMember] = [
        SchemaMember("description", .text(.any(octets: 0...512)), "The text of a User Description descriptor."),
        SchemaMember("format", .type(.format), "A Presentation Format descriptor."),
        SchemaMember(
            "descriptors",
            .list(.type(.descriptor), count: 0...1_000),
            "Further descriptors, in their order."
        ),
        SchemaMember("declaration_handle", handle, default: "the next free one", "The handle of the declaration."),
        SchemaMember("handle", handle, "An earlier name of `declaration_handle`; both are a fault."),
        SchemaMember("value_handle", handle, default: "the one after the declaration", "The handle of the value."),
    ]

    static let descriptor = SchemaType(
        name: .descriptor,
        prose: ["A descriptor of a characteristic."],
        kind: .object(
            SchemaObject([
                SchemaMember(required: "uuid", .text(.uuid(.descriptor)), "The kind of descriptor."),
                SchemaMember(
                    "value",
                    .type(.value),
                    default: "empty, or the subscription of a Client Characteristic Configuration",
                    "The constant value."
                ),
                SchemaMember("permissions", .type(.permissions), default: "only reading", "The conditions for access."),
                SchemaMember("lengths", lengths, default: "0 to 512", "The lengths that a write may have."),
                SchemaMember("handle", handle, default: "the next free one", "Its handle."),
            ])
        )
    )

    /// The security that an access needs.
    static let requirement: SchemaKind = {
        let words: SchemaKind = .words([
            SchemaWord("open", "nothing"),
            SchemaWord("encrypted", "an encrypted link"),
            SchemaWord("authenticated", "encryption with a key that is protected against a man in the middle"),
            SchemaWord("authorized", "the consent of the user"),
        ])
        return .anyOf([SchemaForm(words, ""), SchemaForm(.list(words, count: 1...4), "All of several conditions.")])
    }()

    /// The security that an access needs, or none at all if it is not permitted.
    private static let access = SchemaKind.anyOf([
        SchemaForm(.words([SchemaWord("none", "access is not permitted")]), ""),
        SchemaForm(requirement, ""),
    ])

    /// The conditions for access to an attribute.
    static let permissions = SchemaType(
        name: .permissions,
        prose: ["The conditions for access to an attribute."],
        kind: .object(
            SchemaObject([
                SchemaMember("read", access, default: "what follows from the properties", "What reading needs."),
                SchemaMember("write", access, default: "what follows from the properties", "What writing needs."),
                SchemaMember(
                    "key_size",
                    .integer(7...16),
                    default: "7",
                    "The shortest key in octets; more than 7 requires encryption."
                ),
            ])
        )
    )

    /// A Presentation Format descriptor.
    static let format = SchemaType(
        name: .format,
        prose: ["How the value of a characteristic is to be shown."],
        kind: .object(
            SchemaObject([
                SchemaMember(required: "format", .text(.presentationFormat), "The type of the value: `sint16`."),
                SchemaMember("exponent", .integer(-128...127), default: "0", "The power of ten of whole numbers."),
                SchemaMember("unit", .text(.unit), default: "unitless", "The unit: `percentage`, `0x27ad`."),
                SchemaMember(
                    "namespace",
                    .integer(0...255),
                    default: "1, the Bluetooth SIG",
                    "Who assigns descriptions."
                ),
                SchemaMember("description", .integer(0...0xFFFF), default: "0", "The number of a description."),
            ])
        )
    )
}
