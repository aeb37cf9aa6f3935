// SPDX-License-Identifier: MIT

import Bluetooth

/// The schema of device files: the one source of the reader's checks and of the manual page.
enum DeviceSchema {
    /// The name and version of the format, the value of the member `schema`.
    static let name = "blectl-device/1"

    /// All types, in the order of the manual page.
    static let types: [SchemaType] =
        [
            device.schema, advertising.schema, frame, service.schema, characteristic.schema, descriptor, permissions,
            format,
        ]
        + [
            value, field, generator, rule, condition, action.schema, actions, entry.schema, channel.schema,
            smp.schema, dfu.schema, limits.schema, pairing.schema,
        ]
        + [signal.schema, fault.schema, effect]

    private static let byName = Dictionary(
        uniqueKeysWithValues: (types + FormatSchema.types + KeySchema.types).map { ($0.name, $0) }
    )

    /// The type of a name; that of a device for a name without one.
    static func type(_ name: SchemaType.Name) -> SchemaType { byName[name] ?? device.schema }

    static let device = DeviceType(
        .device,
        "A device: what it advertises, what it serves, and how it behaves.",
        form: .object(
            usual: DeviceDefinition(label: "", address: DeviceAddress(BluetoothAddress(rawValue: 0), .random)),
            [
                DeviceMember("schema", .words([SchemaWord(name, "")])) { _, _ in .string(name) }
                    .meaning("Format; may be left out in a world file."),
                DeviceMember("label", .text(1...64), optional: \.statedLabel)
                    .byDefault("the name of the file without its ending")
                    .meaning("Word by which users choose the device."),
                DeviceMember("summary", .text(0...200), \.summary).meaning("What the device is, in a few words."),
                // Core 5.4, Vol 3, Part C, 12.1: Device Name has at most 248 octets.
                DeviceMember("name", .text(0...248), optional: \.name)
                    .byDefault("the label")
                    .meaning(
                        "Value of Device Name in Generic Access. Advertisements have it only if their data say so."
                    ),
                DeviceMember("appearance", .appearance, optional: \.appearance)
                    .byDefault("unknown")
                    .meaning("Value of Appearance in Generic Access."),
                DeviceMember("address", .address, optional: \.statedAddress)
                    .byDefault("a static address made from the label")
                    .meaning(
                        "Address where it is simulated; a served device has the adapter's."
                    ),
                DeviceMember("address_type", .addressType, optional: \.addressType)
                    .byDefault("random")
                    .meaning("Type of the address."),
                DeviceMember("advertising", .list(advertising.form, count: 0...64), \.advertising)
                    .meaning(
                        "Advertising sets, sent independently. Without one, the device is silent."
                    ),
                DeviceMember("services", services, \.services)
                    .meaning("Services, in the order of their handles."),
                DeviceMember("standard_services", .bool, \.hasStandardServices)
                    .meaning(
                        "Whether Generic Access and Generic Attribute are put before the services if these lack them."
                    ),
                DeviceMember("databases", databases, \.databases)
                    .meaning(
                        "Further lists of services by name, for the action `database`."
                    ),
                DeviceMember("channels", channels, \.channels)
                    .meaning("The L2CAP credit-based channels, for `blectl l2cap`."),
                DeviceMember("smp", smp.form, optional: \.updateServer)
                    .byDefault("its firmware is not updated")
                    .meaning("Server for updates of firmware (MCUmgr), for `blectl update`."),
                DeviceMember("dfu", dfu.form, optional: \.dfuServer)
                    .byDefault("its firmware is not updated so")
                    .meaning("Boot loader for updates of firmware (Nordic's DFU), for `blectl update`."),
                DeviceMember("timeline", .list(entry.form), \.timeline)
                    .meaning("What happens at set times, without a client."),
                DeviceMember("limits", limits.form, \.limits).meaning("Limits of the device and its links."),
                DeviceMember(
                    "pairing",
                    .type(.pairing),
                    read: { object, device, builder in
                        device.pairing = object["pairing"].flatMap { pairing.form.read($0, &builder) }
                        let security = object["limits"]?["security"]
                        if let security, object["pairing"] != nil, device.limits.security != .none {
                            builder.faults.add(
                                security,
                                "a device with 'pairing' has no security from the start; leave one of them out"
                            )
                        }
                        return true
                    },
                    write: { device, writer in device.pairing.flatMap { pairing.form.write($0, writer) } }
                )
                .byDefault("it does not pair")
                .meaning(
                    "How the device pairs where it is simulated; where it is served, the kernel pairs."
                ),
                DeviceMember("signal", signal.form, \.signal)
                    .meaning("Strength of its signal where it is simulated."),
                DeviceMember("faults", faults, \.faults).meaning("Faults that it shows."),
            ],
            check: { cursor, device, builder in
                if let dfu = cursor["dfu"], device.dfuServer != nil, device.updateServer != nil {
                    builder.faults.add(dfu, "a device is updated by 'smp' or by 'dfu'; leave one of them out")
                }
            }
        )
    )

    private static let databases = DeviceForm<[String: [DeviceService]]>(
        kind: .map(services.kind),
        read: { cursor, builder in
            var databases: [String: [DeviceService]] = [:]
            for (name, list) in cursor.members { databases[name] = services.read(list, &builder) }
            return databases
        },
        write: { databases, writer in
            let members = databases.sorted { $0.key < $1.key }
                .compactMap { name, list in
                    services.write(list, writer).map { JSONNode.Member(key: name, value: $0) }
                }
            return JSONNode(.object(members))
        }
    )

    // MARK: - Parts of other types

    /// Any time, also none.
    static let anyTime = SchemaText.duration(.zero...FileDuration.longest)
    /// A time after which something happens again.
    static let period = SchemaText.duration(.milliseconds(1)...FileDuration.longest)

    static func hex(_ octets: ClosedRange<Int>) -> SchemaKind { .text(.hex(octets: octets)) }
}

extension DeviceDefinition {
    /// The label, which is always written.
    fileprivate var statedLabel: String? {
        get { label }
        set { label = newValue ?? label }
    }

    /// The address, which is always written.
    fileprivate var statedAddress: DeviceAddress? {
        get { address }
        set { address = newValue ?? address }
    }

    fileprivate var addressType: AddressType? {
        get { address.type }
        set { address = DeviceAddress(address.address, newValue ?? address.type) }
    }
}
