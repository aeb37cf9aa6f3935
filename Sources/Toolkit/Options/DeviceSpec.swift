// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface

/// The options by which a command finds and connects to its device.
package enum DeviceSpec {
    package static let device = Option(
        value: "device",
        short: "d",
        .device("ADDRESS|NAME"),
        environment: "BLECTL_DEVICE",
        excludes: ["name", "service"],
        summary: "the device, by its address or its name",
        details: "Without it: see CHOOSING A DEVICE in `blectl(1)`."
    )

    /// The device as the only argument, of commands that need no other one.
    package static let operand = Argument(
        optional: .device("DEVICE"),
        excludes: ["device", "name", "service"],
        summary: "the device, like `--device`"
    )

    package static let name = Option(
        value: "name",
        .text("GLOB"),
        summary: "look for a device with this name",
        details: "A pattern: see CHOOSING A DEVICE in `blectl(1)`."
    )

    package static let service = Option(
        repeated: "service",
        .text("UUID|NAME", completion: .serviceName),
        summary: "look for a device that advertises this service",
        details: "Repeatable."
    )

    package static let addressType = Option(
        value: "address-type",
        .choice("TYPE", of: AddressTypeChoice.self),
        summary: "the type of the device's address",
        details: """
            Otherwise it is taken from advertisements, and remembered.
            """
    )

    package static let connectTimeout = Option(
        value: "connect-timeout",
        .duration,
        default: "10",
        summary: "how long one attempt to connect may take",
        details: """
            If another program of this machine uses the device, an attempt first waits as long for that. Commands of \
            blectl take turns in order; for other programs blectl polls the kernel.
            """
    )

    package static let noWait = Option(
        flag: "no-wait",
        summary: "fail at once if another program has the device",
        details: "The status is then 75, and the message names the program if known."
    )

    package static let retries = Option(
        value: "retries",
        .integer("NUMBER", in: 0...1000),
        default: "2",
        summary: "how often to try again to connect",
        details: """
            After temporary failures, with growing pauses. If the option is given, also after an attempt longer than \
            `--connect-timeout`.
            """
    )

    package static let noCache = Option(
        flag: "no-cache",
        summary: "discover the device again, without the cache",
        details: """
            Discovered attributes are kept, and used again if the device confirms that they have not changed: by its \
            Database Hash or, on an encrypted link, by having kept the subscription to Service Changed; for a week also \
            that a device hangs up on an exchange of the MTU, or does not answer it. With this option, blectl neither \
            uses nor keeps any of that.
            """
    )

    package static let noSession = Option(
        flag: "no-session",
        summary: "connect, although a session has a link",
        details: "See `blectl-session(1)`."
    )

    package static let security = Option(
        value: "security",
        .choice("LEVEL", of: SecurityLevelChoice.self),
        excludes: ["no-pair"],
        summary: "the security that the link must have",
        details: """
            Without it, a link whose device refuses a read, write or subscription is secured once, and the request \
            repeated once. Without a key, blectl pairs (SECURITY in `blectl(1)`); `inspect`, `clone` and `diff` raise \
            nothing.
            """
    )

    package static let minimumKeySize = Option(
        value: "min-key-size",
        // The sizes that a pairing can negotiate: Core 5.4, Vol 3, Part H, 2.3.4.
        .integer("OCTETS", in: 7...16),
        excludes: ["no-pair"],
        summary: "the shortest key of an encrypted link",
        details: "Implies `--security medium`. A link with a shorter key is closed before the first request."
    )

    package static let noPair = Option(
        flag: "no-pair",
        summary: "leave the security of the link as it is",
        details: """
            A refusal for lack of security is then status 76. The link of a bonded device is still encrypted.
            """
    )

    /// `--reconnect`, of the commands that observe
    package static let reconnect = Option(
        flag: "reconnect",
        summary: "connect again when the connection is lost",
        details: """
            Without limit, also after the adapter was off. The output shows each gap.
            """
    )

    package static let options: [OptionSpec] = [
        device.spec, name.spec, service.spec, addressType.spec, connectTimeout.spec, noWait.spec, retries.spec,
        noCache.spec, noSession.spec, security.spec, minimumKeySize.spec, noPair.spec,
    ]
}

package enum AddressTypeChoice: String, OptionChoice {
    case `public`
    case random

    package var summary: String {
        switch self {
        case .public: "assigned to the manufacturer of the device"
        case .random: "chosen by the device: static or private"
        }
    }
}

package enum SecurityLevelChoice: String, OptionChoice {
    case low
    case medium
    case high
    case fips

    package var summary: String {
        switch self {
        case .low: "none, until the device demands it"
        case .medium: "encrypted, with any key"
        case .high: "encrypted, with an authenticated key: a person has compared or entered digits"
        case .fips: "as high, with a key of 16 octets from Secure Connections"
        }
    }
}
