// SPDX-License-Identifier: GPL-2.0-or-later

/// The options by which a command finds and connects to its device.
public enum DeviceSpec {
    /// `--device`
    public static let device = Option(
        value: "device",
        short: "d",
        .text("ADDRESS|NAME"),
        environment: "BLECTL_DEVICE",
        excludes: ["name", "service"],
        summary: "the device, by its address or its exact name",
        details: """
            Without it, a scan looks for a device with the name of `--name` or the service of `--service`, \
            or with the service that the target or the profile belongs to. Where nobody advertises a service that \
            devices have without saying so, such as Battery, the only device that accepts a connection is taken.
            """
    )

    /// `--name`
    public static let name = Option(
        value: "name",
        .text("GLOB"),
        summary: "look for a device with this name",
        details: "`*` stands for any text, `?` for one character, `[a-f]` for one of some characters."
    )

    /// `--service`
    public static let service = Option(
        repeated: "service",
        .text("UUID|NAME", completion: .serviceName),
        summary: "look for a device that advertises this service",
        details: "May be given several times."
    )

    /// `--address-type`
    public static let addressType = Option(
        value: "address-type",
        .choice("TYPE", of: AddressTypeChoice.self),
        summary: "the type of the device's address",
        details: """
            The type is taken from what the device advertises, and remembered. \
            Where it is given, or remembered, blectl connects without a scan.
            """
    )

    /// `--connect-timeout`
    public static let connectTimeout = Option(
        value: "connect-timeout",
        .duration,
        default: "10",
        summary: "how long one attempt to connect may take",
        details: """
            As long is waited, before an attempt, for another program of this machine that has the device. Commands of blectl \
            get it in the order of their arrival; of other programs blectl asks the kernel again and again.
            """
    )

    /// `--no-wait`
    public static let noWait = Option(
        flag: "no-wait",
        summary: "fail at once where another program of this machine has the device",
        details: "The exit status is 75 then, and the message says which program it is, where that can be known."
    )

    /// `--retries`
    public static let retries = Option(
        value: "retries",
        .integer("NUMBER", in: 0...1000),
        default: "2",
        summary: "how often to try again to connect",
        details: "Only a failure that may pass is tried again, after a pause that grows."
    )

    /// `--no-cache`
    public static let noCache = Option(
        flag: "no-cache",
        summary: "discover anew what the device has",
        details: """
            What is discovered of a device is kept, and used again where the device confirms that it has not changed: by \
            its Database Hash, or, on an encrypted link, by remembering that it has to tell us of changes. With this option nothing is looked for there, and nothing is kept.
            """
    )

    static let options: [OptionSpec] = [
        device.spec, name.spec, service.spec, addressType.spec, connectTimeout.spec, noWait.spec, retries.spec,
        noCache.spec,
    ]
}

/// The values of `--address-type`.
public enum AddressTypeChoice: String, OptionChoice {
    /// A public device address.
    case `public`
    /// A random device address.
    case random

    /// The meaning of the word.
    public var summary: String {
        switch self {
        case .public: "assigned to the maker of the device"
        case .random: "made up by the device: static or private"
        }
    }
}
