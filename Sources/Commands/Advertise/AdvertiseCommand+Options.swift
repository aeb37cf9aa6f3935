// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension AdvertiseCommand {
    /// The word that begins another advertisement.
    static let nextSet = "+"

    static let what = Argument(
        any: .text("WHAT", completion: .advertisedForm),
        summary: "a kind of beacon with its values, or raw and octets",
        details: """
            `ibeacon UUID`, with `--major`, `--minor` and `--power`; `altbeacon ID`, of 20 octets, or a UUID with \
            `--major` and `--minor`; `eddystone-uid NAMESPACE INSTANCE`, of 10 and 6 octets; `eddystone-url URL`; \
            `eddystone-eid ID`, of 8 octets; `eddystone-tlm`, whose counters of advertisements and uptime run; or `raw \
            DATA`, octets as they are. Without it, the options say what is advertised.
            """
    )

    // MARK: - Beacons

    static let major = Option(
        value: "major",
        .integer("NUMBER", in: UInt16.min...UInt16.max),
        summary: "the group of an iBeacon or AltBeacon",
        details: "Without it, 0."
    )

    static let minor = Option(
        value: "minor",
        .integer("NUMBER", in: UInt16.min...UInt16.max),
        summary: "the beacon's number in the group",
        details: "Without it, 0."
    )

    static let power = Option(
        value: "power",
        .integer("DBM", in: Int8.min...Int8.max),
        summary: "the signal strength that a beacon states, in dBm",
        details: """
            Receivers estimate the distance by it. At 1 m for an iBeacon or AltBeacon (default -59), at 0 m for \
            Eddystone (-18).
            """
    )

    static let company = Option(
        value: "company",
        .text("ID|NAME"),
        summary: "the company of an AltBeacon",
        details: "Without it, 0x0118."
    )

    static let battery = Option(
        value: "battery",
        .integer("MILLIVOLTS", in: UInt16.min...UInt16.max),
        summary: "the voltage that eddystone-tlm states, in mV"
    )

    static let temperature = Option(
        value: "temperature",
        // -128 is left out, because it stands for "not supported" in the frame.
        .decimal("CELSIUS", in: -127.0...127.0),
        summary: "the temperature that eddystone-tlm states",
        details: "In degrees Celsius."
    )

    // MARK: - Fields

    static let name = Option(value: "local-name", .text("NAME"), summary: "the complete name of the device")

    static let shortName = Option(value: "short-name", .text("NAME"), summary: "the beginning of its name")

    static let service = Option(
        repeated: "service-uuid",
        .text("UUID|NAME", completion: .serviceName),
        summary: "a service of the device",
        details: "Repeatable."
    )

    static let appearance = Option(
        value: "appearance",
        .text("NAME|NUMBER"),
        summary: "what the device looks like",
        details: "A name such as `heart-rate-belt`, or a number such as `0x0341`."
    )

    static let txPower = Option(
        value: "tx-power",
        // The range of LE Set Extended Advertising Parameters: Core 5.4, Vol 4, Part E, 7.8.53.
        .integer("DBM", in: Int8(-127)...Int8(20)),
        summary: "the transmit power, in dBm"
    )

    static let uri = Option(value: "uri", .text("URI"), summary: "a link")

    static let serviceData = Option(
        repeated: "service-data",
        .text("UUID:DATA"),
        summary: "data of a service",
        details:
            "Such as `battery-service:0x64` or `feaa:1000`. Repeatable."
    )

    static let manufacturer = Option(
        repeated: "manufacturer-data",
        .text("COMPANY:DATA"),
        summary: "data of a company",
        details: """
            The identifier, or a name that fits only one, a colon, and a value as for `write`: `0x004C:0215`, `'nordic \
            semiconductor:text:hi'`. Repeatable.
            """
    )

    static let data = Option(
        repeated: "data",
        .text("DATA"),
        summary: "octets as they are, after the other fields",
        details: "A value as for `write`. Repeatable."
    )

    static let noFlags = Option(
        flag: "no-flags",
        summary: "leave out the flags",
        details: """
            The flags are: generally discoverable, and Basic Rate not supported. `raw` and scan responses have none.
            """
    )

    static let scanResponse = Option(
        flag: "scan-response",
        summary: "answer active scanners with what follows",
        details: """
            Fields before it are the advertisement, those after it, up to the next `+`, the scan response.
            """
    )

    // MARK: - Sending

    static let interval = Option(
        value: "interval",
        .duration,
        default: "100ms",
        summary: "the time between two, 20ms to 10.24s"
    )

    static let connectable = Option(
        flag: "connectable",
        summary: "let centrals connect",
        details: """
            blectl reports each connection and serves nothing: `blectl serve` does that. The advertisement goes on as \
            far as the adapter is able to.
            """
    )

    static let target = Option(
        value: "to",
        .text("ADDRESS[/TYPE]"),
        excludes: ["scan-response"],
        summary: "advertise to one central only, which may connect",
        details: """
            Its address is public unless `/random` follows. In legacy PDUs it carries no data, and nobody else sees it.
            """
    )

    static let extended = Option(
        flag: "extended",
        summary: "use extended advertising, for up to 1,650 octets",
        details: "Older receivers do not see it. It carries data or a scan response, not both."
    )

    static let sid = Option(
        value: "sid",
        // The field of an advertising set ID has four bits.
        .integer("NUMBER", in: UInt8(0)...UInt8(15)),
        summary: "the number of an extended advertisement",
        details: "Without it, 0."
    )

    static let primaryPHY = Option(
        value: "primary-phy",
        .choice("PHY", of: PrimaryPHYChoice.self),
        summary: "the PHY on which it is found if extended"
    )

    static let secondaryPHY = Option(
        value: "secondary-phy",
        .choice("PHY", of: SecondaryPHYChoice.self),
        summary: "the PHY of its data if extended"
    )

    // MARK: - Limits

    static let duration = Option.duration(details: "Without it, blectl advertises until it is interrupted.")

    static let count = Option.count(
        "stop after this many connections have ended",
        details: """
            Needs `--connectable` or `--to`; fewer are status 1. Connections \
            that blectl closes at its end do not count.
            """
    )

    /// The options that each advertisement has separately.
    static let ofFields = [
        name.spec, shortName.spec, service.spec, appearance.spec, txPower.spec, uri.spec, serviceData.spec,
        manufacturer.spec, data.spec,
    ]

    static let spec = CommandSpec(
        commandName,
        [.radio, .oneAdapter, .showsAddress],
        summary: "send a beacon, or any other advertisement",
        discussion: [
            """
            Advertises a beacon, fields, raw octets, or several of these with a plus sign between them, each with its \
            own options. Prints what it advertises, and which central connects and disconnects.
            """,
            """
            Without `--connectable`, `--to` and `--scan-response`, no device can ask for more. A legacy advertisement \
            has room for 31 octets, its scan response for 31 more. Longer data are refused at once, with the length of \
            each field.
            """,
            """
            Advertising needs CAP_NET_RAW. It has the adapter's own address, or a random one if that has none. A \
            controller with extended advertising has room for several advertisements, also of several programs; others \
            for one. Without room for all, nothing is advertised, and the status is 69, or 75 if other blectl commands \
            have the room. The advertisements are removed from the adapter however the command ends.
            """,
        ],
        arguments: [what.spec],
        options: [
            major.spec, minor.spec, power.spec, company.spec, battery.spec, temperature.spec,
        ] + ofFields + [
            noFlags.spec, scanResponse.spec, interval.spec, connectable.spec, target.spec, extended.spec, sid.spec,
            primaryPHY.spec, secondaryPHY.spec, duration.spec, count.spec,
        ],
        groups: [.global],
        separators: [nextSet, "--scan-response"],
        examples: [
            "blectl advertise ibeacon e2c56db5-dffb-48d2-b060-d0f5a71096e0": "an iBeacon",
            "blectl advertise eddystone-url https://example.com --interval 1s": "a web address",
            "blectl advertise --uri https://a.b --scan-response --local-name Tag":
                "a link, and a name for those who ask",
            "blectl advertise eddystone-url https://example.com + eddystone-tlm": "two advertisements at once",
            "blectl advertise --connectable --local-name Tag --duration 1m": "report who connects within a minute",
            "blectl advertise raw 0201060302aafe --duration 10": "these octets, for ten seconds",
        ],
        seeAlso: ["scan", "serve", "adapters"]
    )
}

package enum PrimaryPHYChoice: String, OptionChoice {
    case oneM = "1m"
    case coded

    package var summary: String {
        switch self {
        case .oneM: "LE 1M, which all devices use (the default)"
        case .coded: "LE Coded, the long range"
        }
    }
}

package enum SecondaryPHYChoice: String, OptionChoice {
    case oneM = "1m"
    case twoM = "2m"
    case coded

    package var summary: String {
        switch self {
        case .oneM: "LE 1M"
        case .twoM: "LE 2M, the fast one"
        case .coded: "LE Coded, the long range"
        }
    }
}

/// The first word of an advertisement.
enum AdvertisedForm: String, CaseIterable, Sendable {
    case iBeacon = "ibeacon"
    case altBeacon = "altbeacon"
    case eddystoneUID = "eddystone-uid"
    case eddystoneURL = "eddystone-url"
    case eddystoneEID = "eddystone-eid"
    case eddystoneTLM = "eddystone-tlm"
    case raw

    package var summary: String {
        switch self {
        case .iBeacon: "Apple's beacon: a UUID and two numbers"
        case .altBeacon: "the open beacon: 20 octets"
        case .eddystoneUID: "an identifier: a namespace and an instance"
        case .eddystoneURL: "a web address"
        case .eddystoneEID: "a changing identifier"
        case .eddystoneTLM: "the state of a beacon"
        case .raw: "octets as they are"
        }
    }

    var values: [String] {
        switch self {
        case .iBeacon: ["UUID"]
        case .altBeacon: ["ID"]
        case .eddystoneUID: ["NAMESPACE", "INSTANCE"]
        case .eddystoneURL: ["URL"]
        case .eddystoneEID: ["ID"]
        case .eddystoneTLM: []
        case .raw: ["DATA"]
        }
    }

    var options: [OptionSpec] {
        switch self {
        case .iBeacon: [AdvertiseCommand.major.spec, AdvertiseCommand.minor.spec, AdvertiseCommand.power.spec]
        case .altBeacon:
            [
                AdvertiseCommand.major.spec, AdvertiseCommand.minor.spec, AdvertiseCommand.power.spec,
                AdvertiseCommand.company.spec,
            ]
        case .eddystoneUID, .eddystoneURL, .eddystoneEID: [AdvertiseCommand.power.spec]
        case .eddystoneTLM: [AdvertiseCommand.battery.spec, AdvertiseCommand.temperature.spec]
        case .raw: []
        }
    }
}
