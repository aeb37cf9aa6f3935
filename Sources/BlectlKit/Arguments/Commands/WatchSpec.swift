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
            Attempts are repeated without limit, also after the adapter was switched off and on. The output shows where \
            each gap begins and ends.
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
            """
            With `--reconnect`, the pauses between attempts grow to 5 seconds. What the device sends during a gap is \
            missing; what is read at the beginning, such as the level of a battery, is read again after it. The first \
            connection has to succeed, within `--retries`.
            """,
        ],
        arguments: [profile.spec],
        options: [count.spec, duration.spec, reconnect.spec],
        groups: [.device, .global],
        examples: [
            CommandExample("blectl watch heart-rate", "the first heart rate sensor that is found"),
            CommandExample("blectl watch battery -d C8:4B:1D:3A:90:5E --json", "the battery of one device, as JSON"),
            CommandExample("blectl --simulate watch heart-rate --count 5", "five measurements without a radio"),
        ],
        seeAlso: [.notify, .scan]
    )
}
