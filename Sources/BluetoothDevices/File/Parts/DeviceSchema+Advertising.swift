// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceSchema {
    /// An advertising set. Members that its type does not have are faults and not ignored, because the author expects
    /// an effect.
    static let advertising = DeviceType(
        .advertising,
        "An advertising set: its data and its interval.",
        form: .object(
            usual: DeviceAdvertising(.connectable, interval: .milliseconds(100), frames: []),
            [
                DeviceMember(
                    "type",
                    .words([
                        (
                            "connectable", .connectable,
                            "centrals may connect, and scanners get the scan response (ADV_IND)"
                        ),
                        ("scannable", .scannable, "scanners get the scan response (ADV_SCAN_IND)"),
                        ("non-connectable", .nonConnectable, "a beacon (ADV_NONCONN_IND)"),
                        ("extended", .extended, "longer data for extended scanners only (ADV_EXT_IND)"),
                    ]),
                    \.type
                )
                .meaning("Packets that carry the advertisement."),
                // Extended advertising counts its interval in 24 bits of 0.625 ms, which is 10,485 s and a part of one.
                DeviceMember("interval", .duration(.milliseconds(20) ... .seconds(10_485)), \.interval)
                    .meaning("Time between two advertisements; at most 10.24 s without `extended`."),
                DeviceMember(
                    "data",
                    .oneOrList(.type(.frame)),
                    read: { object, set, builder in
                        builder.checkMembers(of: set, object)
                        set.frames = (object["data"]?.list ?? []).map { builder.frame($0, isData: true, of: set) }
                        return true
                    },
                    write: { set, _ in
                        let frames = set.frames.map { DeviceWriter.frame($0, isData: true) }
                        return frames.count == 1 ? frames[0] : frames.isEmpty ? nil : .array(frames)
                    }
                )
                .meaning(
                    "At most 31 octets, or 1650 in an extended set. Several frames are sent in turn."
                ),
                DeviceMember(
                    "scan_response",
                    .type(.frame),
                    read: { object, set, builder in
                        set.scanResponse = object["scan_response"].map { builder.frame($0, isData: false, of: set) }
                        return true
                    },
                    write: { set, _ in set.scanResponse.map { DeviceWriter.frame($0, isData: false) } }
                )
                .meaning("Answer to an active scanner."),
                DeviceMember("tx_power", .integer(-127...20), optional: \.txPower)
                    .meaning("Power in dBm that an extended set states."),
                DeviceMember("target", .address, optional: \.target)
                    .meaning(
                        "Only device that may connect. Nobody else hears the set, whose data are empty."
                    ),
                DeviceMember("target_type", .addressType, optional: \.targetType)
                    .byDefault("random")
                    .meaning("Type of that address."),
                DeviceMember("sid", .integer(0...15), \.extended.sid).meaning("Number of an extended set."),
                DeviceMember("connectable", .bool, \.extended.isConnectable)
                    .meaning("Whether centrals may connect to an extended set."),
                DeviceMember("primary_phy", .words(["1M": .le1M, "coded": .coded]), \.extended.primaryPHY)
                    .meaning("The PHY on which an extended set is announced."),
                DeviceMember(
                    "secondary_phy",
                    .words(["1M": .le1M, "2M": .le2M, "coded": .coded]),
                    \.extended.secondaryPHY
                )
                .meaning("The PHY on which its data are sent."),
            ]
        )
    )

    static let frame = SchemaType(
        name: .frame,
        prose: [
            "Content of an advertisement or scan response: hex digits, or an object.",
            "Parts of an object are sent in the order of this list.",
        ],
        kind: .anyOf([
            SchemaForm(hex(0...1_650), "Octets as they are sent, valid or not."),
            SchemaForm(.object(SchemaObject(frameMembers)), ""),
        ])
    )

    /// A list of services, of as many as could ever fit.
    private static let serviceList = SchemaKind.list(.text(.uuid(.service)), count: 0...800)
    /// The strength of a signal in dBm, as one octet holds it.
    private static let power = SchemaKind.integer(-128...127)

    static let flags = DeviceForm<ADFlags>.flags(ADFlags(rawValue: 0xFF).names)

    /// The parts of a frame in the order in which they are sent.
    private static let frameMembers: [SchemaMember] = [
        SchemaMember(
            "flags",
            flags.kind,
            default: "le-general-discoverable and br-edr-not-supported in `data`, none in `scan_response`",
            "Flags; an empty list leaves them out."
        ),
        SchemaMember(
            "services",
            serviceList,
            default: "Eddystone if the frame has an Eddystone part, otherwise none",
            "All services; 16-bit UUIDs come first."
        ),
        SchemaMember("incomplete_services", serviceList, "Some of the services."),
        SchemaMember("solicited_services", serviceList, "Services that the device looks for."),
        SchemaMember(
            "appearance",
            .anyOf([SchemaForm(.text(.appearance), ""), SchemaForm(.integer(0...0xFFFF), "")]),
            "Appearance."
        ),
        SchemaMember("name", .text(.any(octets: 0...248)), "Complete local name."),
        SchemaMember("short_name", .text(.any(octets: 0...248)), "Beginning of the name."),
        SchemaMember("tx_power", power, "Transmit power in dBm."),
        SchemaMember("uri", .text(.any(octets: 1...1_000)), "A URI; the scheme is abbreviated."),
        SchemaMember(
            "service_data",
            .list(
                .object([
                    SchemaMember(required: "uuid", .text(.uuid(.service)), "Service."),
                    SchemaMember(required: "data", hex(0...1_650), "Its data."),
                ]),
                count: 0...100
            ),
            "Data of services."
        ),
        SchemaMember(
            "manufacturer",
            .list(
                .object([
                    SchemaMember(required: "company", company, "Company identifier."),
                    SchemaMember(required: "data", hex(0...1_650), "Data."),
                ]),
                count: 0...100
            ),
            "Data of manufacturers."
        ),
        SchemaMember(
            "ibeacon",
            .object([
                SchemaMember(required: "uuid", .text(.anyUUID), "Identifier of the owner."),
                SchemaMember("major", .numeral(0...0xFFFF), default: "0", "Number of a group of beacons."),
                SchemaMember("minor", .numeral(0...0xFFFF), default: "0", "Number of the beacon in the group."),
                SchemaMember("power", power, default: "-59", "Strength at 1 m, in dBm."),
            ]),
            "An iBeacon."
        ),
        SchemaMember(
            "altbeacon",
            .object([
                SchemaMember("company", company, default: "0xffff", "Company identifier."),
                SchemaMember(required: "id", hex(20...20), "Identifier: 20 octets."),
                SchemaMember("power", power, default: "-59", "Strength at 1 m, in dBm."),
                SchemaMember("reserved", .numeral(0...255), default: "0", "An octet for the manufacturer's use."),
            ]),
            "An AltBeacon."
        ),
        SchemaMember(
            "eddystone_url",
            .object([
                SchemaMember(required: "url", .text(.any(octets: 8...200)), "Address, with http or https."),
                SchemaMember("power", power, default: "-20", "Strength at 0 m, in dBm."),
            ]),
            "Eddystone with a web address."
        ),
        SchemaMember(
            "eddystone_uid",
            .object([
                SchemaMember(required: "namespace", hex(10...10), "Identifier of the owner: 10 octets."),
                SchemaMember(required: "instance", hex(6...6), "Number of the beacon: 6 octets."),
                SchemaMember("power", power, default: "-20", "Strength at 0 m, in dBm."),
            ]),
            "Eddystone with an identifier."
        ),
        SchemaMember(
            "eddystone_tlm",
            .object([
                SchemaMember(
                    "voltage",
                    .number,
                    default: "0",
                    "Battery voltage in V, at most 65.535; 0 if not known."
                ),
                SchemaMember(
                    "temperature",
                    .number,
                    default: "-128",
                    "In degrees Celsius; -128 if not known."
                ),
            ]),
            "Eddystone with telemetry; its counters of advertisements and uptime run."
        ),
        SchemaMember("raw", hex(0...1_650), "Octets to append."),
    ]

    private static let company = SchemaKind.numeral(0...0xFFFF)
}

extension DeviceForm<DeviceAddress> {
    /// An address, which is random unless another member says otherwise.
    static let address = DeviceForm(
        kind: .text(.address),
        read: { cursor, _ in cursor.string.flatMap { BluetoothAddress($0) }.map { DeviceAddress($0, .random) } },
        write: { device, _ in .string(device.address.description) }
    )
}

extension DeviceForm<AddressType> {
    /// The type of an address. The usual one, random, is not written.
    static let addressType = DeviceForm(
        kind: .words("random", "public"),
        read: { cursor, _ in cursor.string == "public" ? .public : .random },
        write: { type, _ in type.connectionType == .public ? .string("public") : nil }
    )
}

extension DeviceAdvertising.Kind {
    /// An extended set with the usual parameters.
    fileprivate static let extended = Self.extended(
        sid: 0,
        isConnectable: false,
        primaryPHY: .le1M,
        secondaryPHY: .le1M
    )
}

extension DeviceAdvertising {
    /// The parameters that only an extended set has.
    fileprivate struct Extended: Hashable, Sendable {
        var sid: UInt8 = 0
        var isConnectable = false
        var primaryPHY = LEPHY.le1M
        var secondaryPHY = LEPHY.le1M
    }

    /// The kind without the parameters of an extended set.
    fileprivate var type: Kind {
        get { if case .extended = kind { .extended } else { kind } }
        set { kind = newValue }
    }

    fileprivate var extended: Extended {
        get {
            guard case .extended(let sid, let isConnectable, let primary, let secondary) = kind else {
                return Extended()
            }
            return Extended(sid: sid, isConnectable: isConnectable, primaryPHY: primary, secondaryPHY: secondary)
        }
        set {
            guard case .extended = kind else { return }
            kind = .extended(
                sid: newValue.sid,
                isConnectable: newValue.isConnectable,
                primaryPHY: newValue.primaryPHY,
                secondaryPHY: newValue.secondaryPHY
            )
        }
    }

    fileprivate var targetType: AddressType? {
        get { target?.type }
        set { target = target.map { DeviceAddress($0.address, newValue ?? $0.type) } }
    }
}
