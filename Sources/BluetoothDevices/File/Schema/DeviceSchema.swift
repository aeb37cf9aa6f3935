// SPDX-License-Identifier: MIT

/// The schema of device files: the one source of the reader's checks and of the manual page.
enum DeviceSchema {
    /// The name and version of the format, the value of the member `schema`.
    static let name = "blectl-device/1"

    /// All types, in the order of the manual page.
    static let types: [SchemaType] =
        [device, advertising, frame, service, characteristic, descriptor, permissions, format]
        + [value, field, generator, rule, condition, action, actions, entry, channel, limits, pairing]
        + [signal, fault, effect]

    private static let byName = Dictionary(
        uniqueKeysWithValues: (types + FormatSchema.types + KeySchema.types).map { ($0.name, $0) }
    )

    /// The type of a name; that of a device for a name without one.
    static func type(_ name: SchemaType.Name) -> SchemaType { byName[name] ?? device }

    /// The top of the file.
    static let device = SchemaType(
        name: .device,
        prose: ["A device: what it advertises, what it serves, and how it behaves."],
        kind: .object(
            SchemaObject([
                SchemaMember(
                    "schema",
                    .words([SchemaWord(name, "")]),
                    "The format. It is required in a file of its own, and may be left out in a world file."
                ),
                SchemaMember(
                    "label",
                    .text(.any(octets: 1...64)),
                    default: "the name of the file without its ending",
                    "The word by which users choose the device."
                ),
                SchemaMember("summary", .text(.any(octets: 0...200)), "What the device is, in a few words."),
                SchemaMember(
                    "name",
                    // Core 5.4, Vol 3, Part C, 12.1: Device Name has at most 248 octets.
                    .text(.any(octets: 0...248)),
                    default: "the label",
                    "The value of Device Name in Generic Access. An advertisement contains it only if its data say so."
                ),
                SchemaMember(
                    "appearance",
                    .anyOf([SchemaForm(.text(.appearance), ""), SchemaForm(.integer(0...0xFFFF), "")]),
                    default: "unknown",
                    "The value of Appearance in Generic Access."
                ),
                SchemaMember(
                    "address",
                    .text(.address),
                    default: "a static address made from the label",
                    "The device's address where it is simulated. A served device has the address of the adapter."
                ),
                SchemaMember("address_type", .words("random", "public"), default: "random", "The type of the address."),
                SchemaMember(
                    "advertising",
                    .list(.type(.advertising), count: 0...64),
                    "The advertising sets, which are sent independently of each other. Without one, the device is silent."
                ),
                SchemaMember("services", .list(.type(.service)), "The services, in the order of their handles."),
                SchemaMember(
                    "standard_services",
                    .bool,
                    default: "true",
                    "Whether Generic Access and Generic Attribute are put before the services if they are not among them."
                ),
                SchemaMember(
                    "databases",
                    .map(.list(.type(.service))),
                    "Further lists of services by name, which the action `database` puts in the place of the services."
                ),
                SchemaMember(
                    "channels",
                    .list(.type(.channel), count: 0...64),
                    "The services on L2CAP credit-based channels, which `blectl l2cap` connects to."
                ),
                SchemaMember("timeline", .list(.type(.entry)), "What happens at set times, without a client."),
                SchemaMember("limits", .type(.limits), "The limits of the device and its links."),
                SchemaMember(
                    "pairing",
                    .type(.pairing),
                    default: "it does not pair",
                    "How the device pairs where it is simulated. A served device pairs as the kernel of its adapter does."
                ),
                SchemaMember("signal", .type(.signal), "The strength of its signal where it is simulated."),
                SchemaMember("faults", .list(.type(.fault), count: 0...1_000), "The faults that it shows."),
            ])
        )
    )

    // MARK: - Limits and signal

    static let limits = SchemaType(
        name: .limits,
        prose: ["The limits of a device. Those that only a simulated link has say so."],
        kind: .object(
            SchemaObject([
                SchemaMember("mtu", .integer(23...517), default: "247", "The largest ATT MTU in octets."),
                SchemaMember(
                    "prepared_writes",
                    .integer(0...1_024),
                    default: "64",
                    "How many writes a client may have prepared."
                ),
                SchemaMember(
                    "connections",
                    .integer(1...32),
                    "How many centrals may be connected at once. Without it, one in a simulated world, and eight where it is served."
                ),
                SchemaMember(
                    "latency",
                    .text(.duration(.zero ... .seconds(3_600))),
                    default: "0 s",
                    "The additional time that the device takes for each answer."
                ),
                SchemaMember(
                    "interval",
                    // Core 5.4, Vol 6, Part B, 4.5.1: a connection interval is from 7.5 ms to 4 s.
                    .text(.duration(.microseconds(7_500) ... .seconds(4))),
                    default: "30 ms",
                    "The time between two connection events of a simulated link."
                ),
                SchemaMember(
                    "data_length",
                    // Core 5.4, Vol 6, Part B, 4.5.10: the payload of a data PDU is from 27 to 251 octets.
                    .integer(27...251),
                    default: "251",
                    "The largest payload of a packet of a simulated link, in octets."
                ),
                SchemaMember(
                    "packets_per_event",
                    .integer(1...100),
                    default: "6",
                    "How many packets a simulated link carries in each direction per connection event."
                ),
                SchemaMember(
                    "phys",
                    .list(.words("1M", "2M", "coded"), count: 0...3),
                    default: "1M and 2M",
                    "The PHYs of a simulated link; it always has 1M."
                ),
                SchemaMember(
                    "refuses",
                    linkSettings,
                    "What the device refuses to change on a simulated link."
                ),
                SchemaMember(
                    "never_answers",
                    linkSettings,
                    """
                    To which requests of a change the device never answers on a simulated link, which then ends after the \
                    response timeout of the Link Layer, 40 seconds.
                    """
                ),
                SchemaMember(
                    "security",
                    .words([
                        SchemaWord("none", "the link is not encrypted"),
                        SchemaWord("encrypted", "it is encrypted with a key of 16 octets"),
                        SchemaWord("authenticated", "and the key is protected against a man in the middle"),
                        SchemaWord("bonded", "it is not encrypted, but a key exists"),
                    ]),
                    default: "none",
                    "The security that a simulated link has from its start."
                ),
            ])
        )
    )

    private static let linkSettings = SchemaKind.list(
        .words([
            SchemaWord("phy", "the PHY"), SchemaWord("data-length", "the largest payload of a packet"),
            SchemaWord("interval", "interval, latency and supervision timeout"),
        ]),
        count: 0...3
    )

    // The range of an RSSI in HCI: Core 5.4, Vol 4, Part E, 7.7.65.2.
    private static let dBm = SchemaKind.integer(-127...20)

    static let signal = SchemaType(
        name: .signal,
        prose: ["The strength of a device's signal at a simulated adapter."],
        kind: .object(
            SchemaObject([
                SchemaMember("rssi", dBm, default: "-60", "The mean strength of its packets in dBm."),
                SchemaMember(
                    "second_rssi",
                    dBm,
                    "The same at the second adapter of `--simulate-adapter second`. Without it, up to 12 dB more or less."
                ),
                SchemaMember(
                    "movement",
                    .anyOf([
                        SchemaForm(
                            .words([
                                SchemaWord("still", "it fades a little"),
                                SchemaWord("wandering", "it wanders slowly around the mean"),
                            ]),
                            ""
                        ),
                        SchemaForm(
                            .object(
                                SchemaObject([
                                    SchemaMember(required: "to", dBm, "The strength at the end, in dBm."),
                                    SchemaMember(
                                        required: "over",
                                        .text(.duration(.milliseconds(1)...FileDuration.longest)),
                                        "The time of the way."
                                    ),
                                    SchemaMember(
                                        "returns",
                                        .bool,
                                        default: "false",
                                        "Whether the device goes back, and forth again."
                                    ),
                                ])
                            ),
                            "The device moves: the mean changes evenly."
                        ),
                    ]),
                    default: "wandering",
                    "How the strength changes."
                ),
                SchemaMember(
                    "absences",
                    .list(
                        .object(
                            SchemaObject([
                                SchemaMember(required: "from", .text(anyTime), "The beginning, after the start."),
                                SchemaMember("until", .text(anyTime), default: "forever", "The end."),
                                SchemaMember(
                                    "every",
                                    .text(period),
                                    default: "once",
                                    "The time after which it repeats."
                                ),
                            ])
                        ),
                        count: 0...1_000
                    ),
                    "The times during which the device is out of range: it is not heard, and its links are lost."
                ),
            ])
        )
    )

    // MARK: - Parts of other types

    /// Any time, also none.
    static let anyTime = SchemaText.duration(.zero...FileDuration.longest)
    /// A time after which something happens again.
    static let period = SchemaText.duration(.milliseconds(1)...FileDuration.longest)

    /// Octets in hex digits.
    static func hex(_ octets: ClosedRange<Int>) -> SchemaKind { .text(.hex(octets: octets)) }
}
