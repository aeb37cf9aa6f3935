// SPDX-License-Identifier: MIT

import Bluetooth

extension DeviceSchema {
    static let limits = DeviceType(
        .limits,
        "Limits of a device, some of them only on a simulated link.",
        form: .object(
            usual: DeviceLimits(),
            [
                DeviceMember("mtu", .integer(23...517), \.maximumMTU).meaning("Largest ATT MTU in octets."),
                DeviceMember("prepared_writes", .integer(0...1_024), \.preparedWrites)
                    .meaning("How many writes a client may have prepared."),
                DeviceMember("connections", .integer(1...32), optional: \.maximumConnections)
                    .meaning(
                        "How many centrals may be connected at once; by default one in a simulated world, eight where served."
                    ),
                DeviceMember("latency", .duration(.zero ... .seconds(3_600)), \.responseLatency)
                    .meaning("Additional time for each answer."),
                // Core 5.4, Vol 6, Part B, 4.5.1: a connection interval is from 7.5 ms to 4 s.
                DeviceMember("interval", .duration(.microseconds(7_500) ... .seconds(4)), \.connectionInterval)
                    .meaning("Time between two connection events of a simulated link."),
                // Core 5.4, Vol 6, Part B, 4.5.10: the payload of a data PDU is from 27 to 251 octets.
                DeviceMember("data_length", .integer(27...251), \.dataLength)
                    .meaning("Largest payload of a packet of a simulated link, in octets."),
                DeviceMember("packets_per_event", .integer(1...100), \.packetsPerEvent)
                    .meaning("Packets of a simulated link in each direction per connection event."),
                // LE 1M is mandatory, so that every link has it.
                DeviceMember(
                    "phys",
                    .set([("1M", .le1M, ""), ("2M", .le2M, ""), ("coded", .coded, "")], count: 0...3, with: .le1M),
                    \.phys
                )
                .byDefault("1M and 2M")
                .meaning("The PHYs of a simulated link; it always has 1M."),
                DeviceMember("refuses", linkSettings, \.refusedLinkSettings)
                    .meaning("What the device refuses to change on a simulated link."),
                DeviceMember("never_answers", linkSettings, \.unansweredLinkSettings)
                    .meaning(
                        """
                        Which requests of a change the device never answers on a simulated link, which then ends after \
                        the Link Layer's response timeout, 40 seconds.
                        """
                    ),
                DeviceMember(
                    "security",
                    .words([
                        ("none", .none, "the link is not encrypted"),
                        ("encrypted", .encrypted, "encrypted with a key of 16 octets"),
                        ("authenticated", .authenticated, "such a key, protected against a man in the middle"),
                        ("bonded", .bonded, "not encrypted, but with a key"),
                    ]),
                    \.nearestSecurity
                )
                .meaning("Security that a simulated link has from its start."),
            ]
        )
    )

    private static let linkSettings = DeviceForm<Set<LinkRequest.Setting>>.set(
        [
            ("phy", .phy, "the PHY"), ("data-length", .dataLength, "the largest payload of a packet"),
            ("interval", .parameters, "interval, latency and supervision timeout"),
        ],
        count: 0...3
    )

    static let signal = DeviceType(
        .signal,
        "Strength of a device's signal at a simulated adapter.",
        form: .object(
            usual: DeviceSignal(),
            [
                DeviceMember("rssi", .dBm, \.rssi).meaning("Mean strength of its packets in dBm."),
                DeviceMember("second_rssi", .dBm, optional: \.secondRSSI)
                    .meaning(
                        "The same at the adapter of `--simulate-adapter second`; by default up to 12 dB more or less."
                    ),
                DeviceMember(
                    "movement",
                    .anyOf(
                        .words([
                            ("still", .still, "fades a little"),
                            ("wandering", .wandering, "wanders slowly around the mean"),
                        ]),
                        path.meaning("The device moves: the mean changes evenly.")
                    ),
                    \.movement
                )
                .meaning("How the strength changes."),
                DeviceMember("absences", .list(absence, count: 0...1_000), \.absences)
                    .meaning(
                        "When the device is out of range: not heard, and its links lost."
                    ),
            ]
        )
    )

    private static let path = DeviceForm<(to: Int8, over: Duration, returns: Bool)>.object(
        usual: (0, .zero, false),
        [
            DeviceMember(required: "to", .dBm, \.to).meaning("Strength at the end, in dBm."),
            DeviceMember(required: "over", .period, \.over).meaning("Time of the way."),
            DeviceMember("returns", .bool, \.returns).meaning("Whether the device goes back, and forth again."),
        ]
    )
    .map(
        { DeviceSignal.Movement.path(to: $0.to, over: $0.over, returns: $0.returns) },
        from: { if case .path(let to, let over, let returns) = $0 { (to, over, returns) } else { nil } }
    )

    private static let absence = DeviceForm<DeviceSignal.Absence>.object(
        usual: DeviceSignal.Absence(from: .zero),
        [
            DeviceMember(required: "from", .time, \.from).meaning("Beginning, after the start."),
            DeviceMember("until", .time, optional: \.until).byDefault("forever").meaning("End."),
            DeviceMember("every", .period, optional: \.every)
                .byDefault("once")
                .meaning("Time after which it repeats."),
        ]
    ) { object, absence, builder in
        if let end = object["until"], let until = absence.until, until <= absence.from {
            builder.faults.add(end, "the end is not after the beginning, \(FileDuration.text(absence.from))")
        }
    }
}

extension DeviceForm<Int8> {
    /// The range of an RSSI in HCI: Core 5.4, Vol 4, Part E, 7.7.65.2.
    fileprivate static let dBm = integer(-127...20)
}

extension LinkSecurity {
    fileprivate static let encrypted = LinkSecurity(isEncrypted: true, keySize: 16, hasBond: true)
    fileprivate static let authenticated = LinkSecurity(
        isEncrypted: true,
        isAuthenticated: true,
        keySize: 16,
        hasBond: true
    )
    fileprivate static let bonded = LinkSecurity(keySize: 16, hasBond: true)
}

extension DeviceLimits {
    /// The security, or the nearest one that has a word.
    fileprivate var nearestSecurity: LinkSecurity {
        get {
            security.isEncrypted
                ? security.isAuthenticated ? .authenticated : .encrypted : security.hasBond ? .bonded : .none
        }
        set { security = newValue }
    }
}
