// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension WatchCommand {
    static let profiles = Argument(
        oneOrMore: .profile,
        summary: "what to watch",
        details: """
            A profile, in any spelling, or a TARGET with a known format: `battery-level`, `0x2A6E`, \
            `environmental-sensing/temperature`. Several are watched together on one device.
            """
    )

    static let count = Option.count("stop after this many measurements")

    static let duration = Option.duration(details: "Counted from the subscription.")

    static let reconnect = Option(
        flag: "reconnect",
        summary: "connect again when the connection is lost",
        details: """
            Without limit, also after the adapter was off. The output shows each gap.
            """
    )

    static let sensors = Option(
        value: "sensors",
        .words("LIST"),
        summary: "watch only some of the sources of a profile",
        details: """
            The words before the values, with commas: `accelerometer,keys`. A wrong one is answered with the list.
            """
    )

    static let period = Option(
        value: "period",
        .duration,
        summary: "time between two values",
        details: """
            Sensors with a settable period, such as those of a SensorTag, get their nearest one. Values that the \
            device does not send unasked are read once in this time, otherwise every 10 seconds.
            """
    )

    static let records = Option(
        value: "records",
        .records,
        summary: "stored records to ask for",
        details:
            "`all` (default), `first`, `last`, or the number of the first wanted record."
    )

    static let wheel = Option(
        value: "wheel",
        .integer("MILLIMETRES", in: 100...10_000),
        summary: "circumference of the wheel of a bicycle",
        details: "For the speed. The default is 2105, a road bicycle (700x25C)."
    )

    static let zero = Option(
        flag: "zero",
        summary: "take the first values of each axis for zero",
        details: "For accelerometer, magnetometer and gyroscope of a SensorTag at rest."
    )

    static let spec = CommandSpec(
        commandName,
        [.deviceCommand, .common, .forItsOutput, .formats, .stream],
        summary: "print decoded measurements of a profile as they arrive",
        discussion: [
            """
            Finds a device that advertises the service of the profile, unless one is named, subscribes, and prints \
            decoded measurements with units. Without `--count` or `--duration`, it ends when it is interrupted or, \
            without `--reconnect`, when the connection is lost.
            """,
            """
            Missing sources of a profile are left out. `environment` takes every characteristic of Environmental \
            Sensing, and reads those that are not sent. `cycling-speed` and `cycling-power` compute speed and cadence \
            from the revolutions of two measurements. `sensortag` switches the sensors on, with their calibration, and \
            off at the end. `device-info` reads a table once. `glucose` asks for the stored records, and ends when \
            they have come: status 1 if fewer or more came than announced, 76 if the device refuses.
            """,
            """
            A terminal shows each number with a chart, minimum, mean and maximum, and local times, also after the end; \
            `q` ends the command, space holds the values still. Elsewhere each measurement is a line with its time in \
            UTC.
            """,
            terminalDiscussion[0],
            terminalDiscussion[1],
            terminalDiscussion[2],
            """
            `--reconnect` and `--listen` work as for `notify`; what is read at the beginning, such as a battery level, \
            is read again.
            """,
        ],
        arguments: [profiles.spec],
        options: [
            count.spec, duration.spec, reconnect.spec, ValueOptions.listen.spec.brief, sensors.spec, period.spec,
            records.spec,
            wheel.spec, zero.spec,
            ValueOptions.chart.spec,
            rx.spec, tx.spec, newline.spec, hex.spec, noInput.spec, quietTime.spec, exec.spec, execTimeout.spec,
        ],
        purpose: ("uart", ofSerialPort),
        groups: [.device, .link, .global],
        examples: [
            "blectl watch heart-rate": "the first heart rate sensor",
            "blectl watch battery -d C8:4B:1D:3A:90:5E --json": "the battery of one device, as JSON",
            "blectl watch temperature humidity -d 'Thermo 1'": "two characteristics of one device",
            "blectl watch sensortag --sensors accelerometer,keys --period 100ms":
                "two sensors of a SensorTag, ten times a second",
            "echo AT | blectl watch uart --newline crlf --duration 2": "a line to a serial port, and its answer",
            "blectl watch keys --count 1 --exec 'left=touch pressed'": "run a program when the left key is pressed",
            "blectl watch heart-rate --duration 60 --chart beats.svg": "a minute, as a picture",
            "blectl --simulate watch heart-rate --count 5": "five measurements without a radio",
        ],
        seeAlso: ["notify", "scan"]
    )
}

extension ValueSyntax where Value == KeyHook {
    /// A key and the command that runs when it is pressed, or a command for all keys.
    static var keyHook: ValueSyntax {
        ValueSyntax(name: "REF=COMMAND") { text throws(ValueProblem) in try KeyHook(text) }
    }
}
