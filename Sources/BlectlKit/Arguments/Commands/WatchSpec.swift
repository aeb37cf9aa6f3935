// SPDX-License-Identifier: GPL-2.0-or-later

public import BluetoothProfiles

/// The table's row for `blectl watch`.
public enum WatchSpec {
    /// `PROFILE`
    public static let profile = Argument(
        required: .profile,
        summary: "what to watch"
    )

    /// `--count`
    public static let count = Option(
        value: "count",
        short: "n",
        .integer("NUMBER", in: 1...Int.max),
        summary: "stop after this many measurements",
        details: "Fewer are status 1: see TIME AND COUNT LIMITS in `blectl(1)`."
    )

    /// `--duration`
    public static let duration = Option(
        value: "duration",
        .duration,
        summary: "stop after this time",
        details: "Counted from the moment at which the measurements are subscribed to."
    )

    /// `--reconnect`
    public static let reconnect = Option(
        flag: "reconnect",
        summary: "connect again when the connection is lost",
        details: """
            Attempts are repeated without limit, with pauses that grow to 5 seconds, also after the adapter was \
            switched off and on. The output shows where each gap begins and ends; what the device sends in between is \
            missing. What is read at the beginning, such as the level of a battery, is read again after each gap. \
            `--count` counts values on both sides of a gap, and `--duration` runs on during it. The first connection \
            has to succeed, within `--retries`.
            """
    )

    static let command = CommandSpec(
        .watch,
        summary: "print decoded measurements of a profile as they arrive",
        discussion: [
            """
            Finds a device that advertises the service of the profile, unless one is named, subscribes to its \
            measurements, and prints them decoded, with their units. Without `--count` or `--duration`, the command \
            goes on until it is interrupted or, without `--reconnect`, the connection is lost.
            """,
            """
            On a terminal each number has a chart and its minimum, mean and maximum, and times are local; `q` ends the \
            command, and the space bar holds the values still. In the end the values remain on the terminal. Elsewhere \
            each measurement is a line with its time in UTC.
            """,
        ],
        arguments: [profile.spec],
        options: [count.spec, duration.spec, reconnect.spec],
        groups: [.device, .global],
        examples: [
            CommandExample("blectl watch heart-rate", "the first heart rate sensor that is found"),
            CommandExample("blectl watch battery -d F0:F1:F2:F3:F4:F5 --json", "the battery of one device, as JSON"),
            CommandExample("blectl --simulate watch heart-rate --count 5", "five measurements without a radio"),
        ],
        seeAlso: [.notify, .scan]
    )
}
