// SPDX-License-Identifier: MIT

import BluetoothProfiles

extension DeviceSchema {
    /// An advertising set.
    static let advertising = SchemaType(
        name: .advertising,
        prose: ["An advertising set: its data and its interval."],
        kind: .object(
            SchemaObject([
                SchemaMember(
                    "type",
                    .words([
                        SchemaWord("connectable", "centrals may connect, and scanners get the scan response (ADV_IND)"),
                        SchemaWord("scannable", "scanners get the scan response (ADV_SCAN_IND)"),
                        SchemaWord("non-connectable", "a beacon (ADV_NONCONN_IND)"),
                        SchemaWord("extended", "longer data for extended scanners only (ADV_EXT_IND)"),
                    ]),
                    default: "connectable",
                    "The packets that carry the advertisement."
                ),
                SchemaMember(
                    "interval",
                    // Extended advertising counts its interval in 24 bits of 0.625 ms, which is 10,485 s and a part of
                    // one.
                    .text(.duration(.milliseconds(20) ... .seconds(10_485))),
                    default: "100 ms",
                    "The time between two advertisements; at most 10.24 s unless the set is extended."
                ),
                SchemaMember(
                    "data",
                    .oneOrList(.type(.frame)),
                    "The data: at most 31 octets, or 1650 in an extended set. Of several frames, one is sent after the other."
                ),
                SchemaMember(
                    "scan_response",
                    .type(.frame),
                    "The answer to an active scanner; without it there is none."
                ),
                SchemaMember("tx_power", .integer(-127...20), "The transmit power in dBm that an extended set states."),
                SchemaMember(
                    "target",
                    .text(.address),
                    "The only device that may connect. Nobody else hears of the set, and its data are empty."
                ),
                SchemaMember("target_type", .words("random", "public"), default: "random", "The type of that address."),
                SchemaMember("sid", .integer(0...15), default: "0", "The number of an extended set."),
                SchemaMember(
                    "connectable",
                    .bool,
                    default: "false",
                    "Whether centrals may connect to an extended set."
                ),
                SchemaMember(
                    "primary_phy",
                    .words("1M", "coded"),
                    default: "1M",
                    "The PHY on which an extended set is announced."
                ),
                SchemaMember(
                    "secondary_phy",
                    .words("1M", "2M", "coded"),
                    default: "1M",
                    "The PHY on which its data are sent."
                ),
            ])
        )
    )

    /// The content of one advertisement.
    static let frame = SchemaType(
        name: .frame,
        prose: [
            "The content of an advertisement or a scan response: its octets in hex digits, or an object.",
            "The parts of an object are sent in the order of this list, whatever their order in the file.",
        ],
        kind: .anyOf([
            SchemaForm(hex(0...1_650), "The octets as they are sent, valid or not."),
            SchemaForm(.object(SchemaObject(frameMembers)), ""),
        ])
    )

    /// A list of services, of as many as could ever fit.
    private static let services = SchemaKind.list(.text(.uuid(.service)), count: 0...800)
    /// The strength of a signal in dBm, as one octet holds it.
    private static let power = SchemaKind.integer(-128...127)

    /// The parts of a frame in the order in which they are sent.
    private static let frameMembers: [SchemaMember] = [
        SchemaMember(
            "flags",
            .list(
                .words(
                    "le-limited-discoverable",
                    "le-general-discoverable",
                    "br-edr-not-supported",
                    "le-br-edr-controller",
                    "le-br-edr-host",
                    "bit-5",
                    "bit-6",
                    "bit-7"
                ),
                count: 0...8
            ),
            default: "le-general-discoverable and br-edr-not-supported in `data`, none in `scan_response`",
            "The flags; an empty list leaves them out."
        ),
        SchemaMember(
            "services",
            services,
            default: "Eddystone if the frame has an Eddystone part, otherwise none",
            "The complete list of services; 16-bit UUIDs come first."
        ),
        SchemaMember("incomplete_services", services, "Some of the services."),
        SchemaMember("solicited_services", services, "Services that the device looks for."),
        SchemaMember(
            "appearance",
            .anyOf([SchemaForm(.text(.appearance), ""), SchemaForm(.integer(0...0xFFFF), "")]),
            "The appearance."
        ),
        SchemaMember("name", .text(.any(octets: 0...248)), "The complete local name."),
        SchemaMember("short_name", .text(.any(octets: 0...248)), "The beginning of the name."),
        SchemaMember("tx_power", power, "The transmit power in dBm."),
        SchemaMember("uri", .text(.any(octets: 1...1_000)), "A URI; the scheme is abbreviated."),
        SchemaMember(
            "service_data",
            .list(
                .object(
                    SchemaObject([
                        SchemaMember(required: "uuid", .text(.uuid(.service)), "The service."),
                        SchemaMember(required: "data", hex(0...1_650), "Its data."),
                    ])
                ),
                count: 0...100
            ),
            "Data of services."
        ),
        SchemaMember(
            "manufacturer",
            .list(
                .object(
                    SchemaObject([
                        SchemaMember(required: "company", company, "The company identifier."),
                        SchemaMember(required: "data", hex(0...1_650), "The data."),
                    ])
                ),
                count: 0...100
            ),
            "Data of manufacturers."
        ),
        SchemaMember(
            "ibeacon",
            .object(
                SchemaObject([
                    SchemaMember(required: "uuid", .text(.anyUUID), "The identifier of the owner."),
                    SchemaMember("major", .integer(0...0xFFFF), default: "0", "The number of a group of beacons."),
                    SchemaMember("minor", .integer(0...0xFFFF), default: "0", "The number of the beacon in the group."),
                    SchemaMember("power", power, default: "-59", "The strength at a distance of 1 m, in dBm."),
                ])
            ),
            "An iBeacon."
        ),
        SchemaMember(
            "altbeacon",
            .object(
                SchemaObject([
                    SchemaMember("company", company, default: "0xffff", "The company identifier."),
                    SchemaMember(required: "id", hex(20...20), "The identifier: 20 octets."),
                    SchemaMember("power", power, default: "-59", "The strength at a distance of 1 m, in dBm."),
                    SchemaMember("reserved", .integer(0...255), default: "0", "An octet for the manufacturer's use."),
                ])
            ),
            "An AltBeacon."
        ),
        SchemaMember(
            "eddystone_url",
            .object(
                SchemaObject([
                    SchemaMember(required: "url", .text(.any(octets: 8...200)), "The address, with http or https."),
                    SchemaMember("power", power, default: "-20", "The strength at a distance of 0 m, in dBm."),
                ])
            ),
            "Eddystone with a web address."
        ),
        SchemaMember(
            "eddystone_uid",
            .object(
                SchemaObject([
                    SchemaMember(required: "namespace", hex(10...10), "The identifier of the owner: 10 octets."),
                    SchemaMember(required: "instance", hex(6...6), "The number of the beacon: 6 octets."),
                    SchemaMember("power", power, default: "-20", "The strength at a distance of 0 m, in dBm."),
                ])
            ),
            "Eddystone with an identifier."
        ),
        SchemaMember(
            "eddystone_tlm",
            .object(
                SchemaObject([
                    SchemaMember(
                        "voltage",
                        .number,
                        default: "0",
                        "The voltage of the battery in V, at most 65.535; 0 if it is not known."
                    ),
                    SchemaMember(
                        "temperature",
                        .number,
                        default: "-128",
                        "The temperature in degrees Celsius; -128 if it is not known."
                    ),
                ])
            ),
            "Eddystone with telemetry; its number of advertisements and its uptime count on."
        ),
        SchemaMember("raw", hex(0...1_650), "Octets that are appended as they are."),
    ]

    /// A company identifier, as a text or as a number.
    private static let company = SchemaKind.anyOf([
        SchemaForm(.text(.company), ""), SchemaForm(.integer(0...0xFFFF), ""),
    ])
}
