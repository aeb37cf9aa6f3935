// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceSchema {
    static let service = DeviceType(
        .service,
        "A service of the device.",
        form: .object(
            usual: DeviceService(0),
            [
                DeviceMember(required: "uuid", .uuid(.service), \.uuid)
                    .meaning("Kind of service: `battery`, `0x180F`."),
                DeviceMember("primary", .bool, \.isPrimary).meaning("Whether the service is primary."),
                DeviceMember("label", .text(1...64), optional: \.label)
                    .byDefault("the UUID")
                    .meaning("Name by which other services include this one."),
                DeviceMember("includes", .list(.text(1...64), count: 0...1_000), \.includes)
                    .meaning("Labels, UUIDs or assigned names of the services that this one includes."),
                DeviceMember("characteristics", .list(characteristic.form), \.characteristics)
                    .meaning("Characteristics, in the order of their handles."),
                DeviceMember("handle", .handle, optional: \.handle)
                    .byDefault("the next free one")
                    .meaning("Handle of the declaration; handles must rise."),
            ]
        )
    )

    /// The services of a database, whose model the formats of some fields depend on.
    static let services = DeviceForm<[DeviceService]>(
        kind: .list(.type(.service)),
        read: { cursor, builder in
            let outer = builder.model
            defer { builder.model = outer }
            builder.model = DeviceBuilder.model(cursor)
            return builder.services(cursor)
        },
        write: { services, writer in
            var writer = writer
            writer.model = .of(services: services.map(\.uuid))
            return .array(services.compactMap { service.form.write($0, writer) })
        }
    )

    static let characteristic = DeviceType(
        .characteristic,
        "A characteristic with its behaviour.",
        "The Client Characteristic Configuration and the Extended Properties descriptor are added if the properties require them and the descriptors lack them.",
        form: .object(
            usual: DeviceCharacteristic(0, []),
            attributes + behavior + descriptors
        ) { object, _, builder in
            if object["declaration_handle"] != nil, let earlier = object["handle"] {
                builder.faults.add(
                    earlier,
                    "'handle' is an earlier name of 'declaration_handle': only one of them may be there"
                )
            }
        }
    )

    private static let attributes: [DeviceMember<DeviceCharacteristic>] = [
        DeviceMember(required: "uuid", .uuid(.characteristic), \.uuid)
            .meaning("Kind of characteristic: `battery-level`."),
        DeviceMember("label", .text(1...64), optional: \.label)
            .meaning("A name by which rules refer to this characteristic."),
        DeviceMember("properties", .flags(CharacteristicProperties(rawValue: 0xFF).names), \.properties)
            .byDefault("none")
            .meaning("Operations that the declaration announces."),
        DeviceMember("extended_properties", .flags(["reliable-write", "writable-auxiliaries"]), \.extendedProperties)
            .byDefault("none")
            .meaning("Further operations."),
        DeviceMember(
            "permissions",
            .type(.permissions),
            read: { object, characteristic, builder in
                let usual = AttributePermissions(for: characteristic.properties)
                characteristic.permissions = object["permissions"].map { builder.permissions($0, default: usual) }
                return true
            },
            write: { characteristic, writer in
                let usual = AttributePermissions(for: characteristic.properties)
                return characteristic.permissions.map { writer.permissions($0, default: usual) }
            }
        )
        .byDefault("those that follow from the properties")
        .meaning("Conditions for reading and writing the value."),
        DeviceMember("subscription", .requirement, \.subscription).meaning("Condition for subscribing."),
        DeviceMember(
            "value",
            .type(.value),
            read: { object, characteristic, builder in
                let uuid = characteristic.uuid
                characteristic.value = object["value"].flatMap { builder.value($0, of: uuid) }
                return true
            },
            write: { characteristic, writer in characteristic.value.map { writer.value($0, of: characteristic.uuid) } }
        )
        .meaning("Value, or what makes it. A write replaces it, unless a rule decides otherwise."),
        DeviceMember("lengths", .lengths, optional: \.lengths)
            .byDefault("0 to 512")
            .meaning("Length of a write in octets, or the shortest and longest."),
    ]

    private static let behavior: [DeviceMember<DeviceCharacteristic>] = [
        DeviceMember(
            "every",
            .anyOf([
                SchemaForm(.text(period), ""),
                SchemaForm(
                    .object([
                        SchemaMember(required: "value_of", .text(.reference), "Other characteristic."),
                        SchemaMember(required: "unit", .text(period), "Time of one unit."),
                    ]),
                    "Unsigned little-endian number in another characteristic, times a unit."
                ),
            ]),
            read: { object, characteristic, builder in
                // The stream has the next three members, too.
                characteristic.stream = builder.stream(object, characteristic)
                return true
            },
            write: { characteristic, writer in characteristic.stream?.period.map(writer.period) }
        )
        .meaning(
            "Time after which the value is sent to subscribers repeatedly. A replay has its own times."
        ),
        DeviceMember("only_changes", .bool) { characteristic, _ in
            characteristic.stream?.onlyChanges == true ? .bool(true) : nil
        }
        .byDefault("false")
        .meaning("Whether a value equal to the last is not sent."),
        DeviceMember(
            "while",
            .oneOrList(
                .object([
                    SchemaMember(
                        required: "characteristic",
                        .text(.reference),
                        "Characteristic with the state."
                    ),
                    SchemaMember(required: "is", .type(.value), "Value with which sending goes on."),
                ])
            )
        ) { characteristic, writer in
            characteristic.stream.flatMap { writer.conditions($0.conditions) }
        }
        .byDefault("always")
        .meaning("State, or several at once, in which the value is sent and valid."),
        DeviceMember("idle", .type(.value)) { characteristic, writer in
            characteristic.stream?.idleValue.map { writer.octets($0, of: characteristic.uuid) }
        }
        .byDefault("the usual value")
        .meaning("Constant value while nothing is sent."),
        DeviceMember(
            "on_read",
            .anyOf(
                .words([("silence", .silence, "the read is never answered")]),
                .only("error", .attError, "Error: `0x80`, `read-not-permitted`.", { .refuse($0) }) {
                    if case .refuse(let code) = $0 { code } else { nil }
                }
                .meaning("The read is refused.")
            ),
            \.onRead
        )
        .byDefault("the value")
        .meaning("Answer to a read, instead of the value."),
        DeviceMember(
            "on_write",
            .list(.type(.rule), count: 0...1_000),
            read: { object, characteristic, builder in
                let uuid = characteristic.uuid
                for rule in object["on_write"]?.elements ?? [] {
                    let conditions = builder.conditions(rule, of: uuid)
                    characteristic.onWrite.append(WriteRule(conditions, builder.actions(rule["do"])))
                }
                return true
            },
            write: { characteristic, writer in
                let rules = characteristic.onWrite.map { writer.rule($0, of: characteristic.uuid) }
                return rules.isEmpty ? nil : .array(rules)
            }
        )
        .meaning(
            "What a write does: the first rule whose conditions are met; without one, the value is stored."
        ),
    ]

    private static let descriptors: [DeviceMember<DeviceCharacteristic>] = [
        DeviceMember(
            "description",
            .text(.any(octets: 0...512)),
            read: { object, characteristic, builder in
                // The descriptors have the next two members, too.
                characteristic.descriptors = builder.descriptors(object)
                return true
            },
            write: { characteristic, writer in writer.descriptors(of: characteristic).description }
        )
        .meaning("Text of a User Description descriptor."),
        DeviceMember("format", .type(.format)) { characteristic, writer in
            writer.descriptors(of: characteristic).format
        }
        .meaning("A Presentation Format descriptor."),
        DeviceMember("descriptors", .list(.type(.descriptor), count: 0...1_000)) { characteristic, writer in
            writer.descriptors(of: characteristic).others
        }
        .meaning("Further descriptors, in their order."),
        DeviceMember("declaration_handle", .handle, optional: \.handle)
            .byDefault("the next free one")
            .meaning("Handle of the declaration."),
        DeviceMember(
            "handle",
            DeviceForm.handle.kind,
            read: { object, characteristic, builder in
                if object["declaration_handle"] == nil { characteristic.handle = builder.handle(object["handle"]) }
                return true
            },
            write: { _, _ in nil }
        )
        .meaning("An earlier name of `declaration_handle`; both are a fault."),
        DeviceMember("value_handle", .handle, optional: \.valueHandle)
            .byDefault("the one after the declaration")
            .meaning("Handle of the value."),
    ]

    static let descriptor = SchemaType(
        name: .descriptor,
        prose: ["A descriptor of a characteristic."],
        kind: .object([
            SchemaMember(required: "uuid", .text(.uuid(.descriptor)), "Kind of descriptor."),
            SchemaMember(
                "value",
                .type(.value),
                default: "empty, or the subscription of a Client Characteristic Configuration",
                "Constant value."
            ),
            SchemaMember("permissions", .type(.permissions), default: "only reading", "Conditions for access."),
            SchemaMember(
                "lengths",
                DeviceForm.lengths.kind,
                default: "0 to 512",
                "Lengths that a write may have."
            ),
            SchemaMember("handle", DeviceForm.handle.kind, default: "the next free one", "Its handle."),
        ])
    )

    /// The security that an access needs, or none at all if it is not permitted.
    private static let access = SchemaKind.anyOf([
        SchemaForm(.words([SchemaWord("none", "access is not permitted")]), ""),
        SchemaForm(DeviceForm.requirement.kind, ""),
    ])

    static let permissions = SchemaType(
        name: .permissions,
        prose: ["Conditions for access to an attribute."],
        kind: .object([
            SchemaMember("read", access, default: "what follows from the properties", "What reading needs."),
            SchemaMember("write", access, default: "what follows from the properties", "What writing needs."),
            SchemaMember(
                "key_size",
                .integer(7...16),
                default: "7",
                "Shortest key in octets; more than 7 requires encryption."
            ),
        ])
    )

    static let format = SchemaType(
        name: .format,
        prose: ["How the value of a characteristic is to be shown."],
        kind: .object([
            SchemaMember(required: "format", .text(.presentationFormat), "Type of the value: `sint16`."),
            SchemaMember("exponent", .integer(-128...127), default: "0", "Power of ten of whole numbers."),
            SchemaMember("unit", .text(.unit), default: "unitless", "Unit: `percentage`, `0x27ad`."),
            SchemaMember(
                "namespace",
                .numeral(0...255),
                default: "1, the Bluetooth SIG",
                "Who assigns descriptions."
            ),
            SchemaMember("description", .numeral(0...0xFFFF), default: "0", "Number of a description."),
        ])
    )
}

extension DeviceForm<Handle> {
    /// A handle, as a number or in hexadecimal.
    static let handle = DeviceForm(
        kind: .numeral(1...0xFFFF),
        read: { cursor, builder in builder.handle(cursor) },
        write: { handle, _ in DeviceWriter.handle(handle) }
    )
}

extension DeviceForm<ClosedRange<Int>> {
    fileprivate static let lengths = DeviceForm(
        kind: .anyOf([
            SchemaForm(.integer(0...512), ""), SchemaForm(.tuple([.integer(0...512), .integer(0...512)]), ""),
        ]),
        read: { cursor, builder in builder.lengths(cursor) },
        write: { range, _ in DeviceWriter.lengths(range) }
    )
}

extension DeviceForm<AccessRequirement> {
    /// The security that an access needs.
    fileprivate static let requirement: DeviceForm = {
        let words: SchemaKind = .words([
            SchemaWord("open", "nothing"),
            SchemaWord("encrypted", "an encrypted link"),
            SchemaWord("authenticated", "encryption with a key that is protected against a man in the middle"),
            SchemaWord("authorized", "the consent of the user"),
        ])
        return DeviceForm(
            kind: .anyOf([
                SchemaForm(words, ""), SchemaForm(.list(words, count: 1...4), "All of several conditions."),
            ]),
            // The smallest key of LE has 7 octets: Core 5.4, Vol 3, Part H, 2.3.4.
            read: { cursor, builder in builder.requirement(cursor, keySize: 7) },
            write: { requirement, writer in writer.requirement(requirement) }
        )
    }()
}
