// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Toolkit

extension WatchCommand {
    static let profiles = Argument(
        oneOrMore: .profile,
        summary: "what to watch",
        details: """
            A profile, in any spelling, or a characteristic with a known format as TARGET names it: `battery-level`, \
            `0x2A6E`, `environmental-sensing/temperature`. Several are watched together on one device.
            """
    )

    static let count = Option(
        value: "count",
        short: "n",
        .integer("NUMBER", in: 1...Int.max),
        summary: "stop after this many measurements",
        details: "Fewer are status 1: see TIME AND COUNT LIMITS in `blectl(1)`."
    )

    static let duration = Option(
        value: "duration",
        .duration,
        summary: "stop after this time",
        details: "Counted from the moment at which the measurements are subscribed to."
    )

    static let reconnect = Option(
        flag: "reconnect",
        summary: "connect again when the connection is lost",
        details: """
            Attempts are repeated without limit, also after the adapter was switched off and on. The output shows where \
            each gap begins and ends.
            """
    )

    static let sensors = Option(
        value: "sensors",
        .words("LIST"),
        summary: "watch only some of the sources of a profile",
        details: """
            Their names, with commas between them: `accelerometer,keys`. They are the words in front of the values; a \
            name that does not exist is answered with those that do.
            """
    )

    static let period = Option(
        value: "period",
        .duration,
        summary: "time between two values",
        details: """
            Sensors whose period can be set are set to the nearest one that they have, such as those of a SensorTag. \
            Values that the device does not send unasked are read once in this time, otherwise every 10 seconds.
            """
    )

    static let records = Option(
        value: "records",
        .records,
        summary: "stored records to ask for",
        details:
            "`all`, `first`, `last`, or the number of the record from which on they are wanted. The default is all."
    )

    static let wheel = Option(
        value: "wheel",
        .integer("MILLIMETRES", in: 100...10_000),
        summary: "circumference of the wheel of a bicycle",
        details: "Speed is computed with it. The default is 2105, a road bicycle (700x25C)."
    )

    static let zero = Option(
        flag: "zero",
        summary: "take the first values of each axis for zero",
        details: "For the accelerometer, the magnetometer and the gyroscope of a SensorTag that does not move."
    )

    static let chart = Option(
        value: "chart",
        .chartFile,
        summary: "draw the numbers over time to this file, as SVG",
        details:
            "The picture is written at the end, also after Ctrl-C. Of many values, the least and the greatest of neighbours are drawn."
    )

    static let spec = CommandSpec(
        commandName,
        [.deviceCommand, .common, .forItsOutput, .formats, .stream],
        summary: "print decoded measurements of a profile as they arrive",
        discussion: [
            """
            Finds a device that advertises the service of the profile, unless one is named, subscribes to its \
            measurements, and prints them decoded, with their units. Without `--count` or `--duration`, the command \
            goes on until it is interrupted or, without `--reconnect`, the connection is lost.
            """,
            """
            A profile may have several sources; those that a device lacks are left out. `environment` takes every \
            characteristic of Environmental Sensing, and reads those that the device does not send. `cycling-speed` and \
            `cycling-power` compute speed and cadence from the revolutions of two measurements. `sensortag` switches the \
            sensors on, with their calibration, and off in the end. `device-info` reads a table once. `glucose` asks for \
            the stored records, and ends when the device has sent them: status 1 if it has sent fewer or more than it \
            announced, 76 if it refuses.
            """,
            """
            On a terminal each number has a chart and its minimum, mean and maximum, and times are local; `q` ends the \
            command, and the space bar holds the values still. In the end the values remain on the terminal. Elsewhere \
            each measurement is a line with its time in UTC.
            """,
            terminalDiscussion[0],
            terminalDiscussion[1],
            terminalDiscussion[2],
            """
            With `--reconnect`, the pauses between attempts grow to 5 seconds. What the device sends during a gap is \
            missing; what is read at the beginning, such as the level of a battery, is read again after it. The first \
            connection has to succeed, within `--retries`.
            """,
        ],
        arguments: [profiles.spec],
        options: [
            count.spec, duration.spec, reconnect.spec, NotifyCommand.listen.spec, sensors.spec, period.spec,
            records.spec,
            wheel.spec, zero.spec,
            chart.spec,
            rx.spec, tx.spec, newline.spec, hex.spec, noInput.spec, quietTime.spec, exec.spec, execTimeout.spec,
        ],
        purpose: ("uart", ofSerialPort),
        groups: [.device, .link, .global],
        examples: [
            CommandExample("blectl watch heart-rate", "the first heart rate sensor that is found"),
            CommandExample("blectl watch battery -d C8:4B:1D:3A:90:5E --json", "the battery of one device, as JSON"),
            CommandExample("blectl watch temperature humidity -d 'Thermo 1'", "two characteristics of one device"),
            CommandExample(
                "blectl watch sensortag --sensors accelerometer,keys --period 100ms",
                "two sensors of a SensorTag, ten times a second"
            ),
            CommandExample(
                "echo AT | blectl watch uart --newline crlf --duration 2",
                "send a line to a serial port, and print what comes back"
            ),
            CommandExample(
                "blectl watch keys --count 1 --exec 'left=touch pressed'",
                "run a program when the left key is pressed"
            ),
            CommandExample("blectl watch heart-rate --duration 60 --chart beats.svg", "a minute, as a picture"),
            CommandExample("blectl --simulate watch heart-rate --count 5", "five measurements without a radio"),
        ],
        seeAlso: [.notify, .scan]
    )
}
