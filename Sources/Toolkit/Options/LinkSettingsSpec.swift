// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
package import CommandLineInterface

/// The options that change the properties of a link before it is used. Their names begin with `link` where `scan` and
/// `advertise` have options of the same kind for advertisements.
package enum LinkSettingsSpec {
    package static let phy = Option(
        value: "link-phy",
        .choice("PHY", of: LinkPHYChoice.self),
        summary: "the PHY of the link, in both directions",
        details: "The device may refuse."
    )

    package static let interval = Option(
        value: "link-interval",
        .connectionInterval,
        summary: "the connection interval, 7.5ms to 4s, or a range",
        details:
            "A multiple of 1.25 ms such as `15ms`; in a range such as `15ms..30ms` the controllers choose."
    )

    package static let latency = Option(
        value: "link-latency",
        // The range of LE Connection Update: Core 5.4, Vol 4, Part E, 7.8.18.
        .integer("EVENTS", in: UInt16(0)...499),
        summary: "how many connection events the device may skip"
    )

    package static let supervisionTimeout = Option(
        value: "supervision-timeout",
        .supervisionTimeout,
        summary: "the silence after which the link is lost, 100ms to 32s",
        details: """
            A multiple of 10 ms, longer than twice the silence that interval and latency allow. Without it, the \
            present one stays, unless too short.
            """
    )

    package static let dataLength = Option(
        value: "data-length",
        // The range of LE Set Data Length: Core 5.4, Vol 4, Part E, 7.8.33.
        .integer("OCTETS", in: UInt16(27)...251),
        summary: "the largest payload of a packet that is sent, 27 to 251"
    )

    package static let mtu = Option(
        value: "link-mtu",
        .exchange,
        summary: "the ATT MTU that is asked for, 23 to 517, or `none`",
        details: "The device may have less, and `none` exchanges nothing. Without the option, 517 when it helps."
    )

    package static let bearers = Option(
        value: "link-bearers",
        .integer("NUMBER", in: 1...BearerRequest.mostEnhanced),
        summary: "how many enhanced ATT bearers to open, 1 to 5",
        details: """
            Reads run on them at once, those of all commands of a session. Only controllers that are not the \
            kernel's (CONTROLLERS in `blectl(1)`) have them, the link is encrypted for them, and a device without them \
            is used as usual.
            """
    )

    package static let subrate = Option(
        value: "link-subrate",
        .subrate,
        summary: "use one of so many connection events, 1 to 500, or a range",
        details: "Connection Subrating, which both controllers and the device's program must have."
    )

    package static let options: [OptionSpec] = [
        phy.spec, interval.spec, latency.spec, supervisionTimeout.spec, dataLength.spec, subrate.spec, mtu.spec,
        bearers.spec,
    ]
}

package enum LinkPHYChoice: String, OptionChoice {
    case oneM = "1m"
    case twoM = "2m"
    case coded
    case codedS2 = "coded:s2"
    case codedS8 = "coded:s8"

    package var summary: String {
        switch self {
        case .oneM: "1 Mbit/s, which every device has"
        case .twoM: "2 Mbit/s"
        case .coded: "long range, with the coding that the controller chooses"
        case .codedS2: "long range, 500 kbit/s"
        case .codedS8: "the longest range, 125 kbit/s"
        }
    }
}
