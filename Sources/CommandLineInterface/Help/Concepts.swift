// SPDX-License-Identifier: GPL-2.0-or-later

/// A section of a manual page, and what `blectl help TOPIC` prints, about something that several commands share. The
/// options refer to it.
package struct Concept: Sendable {
    /// The word by which `blectl help` prints it.
    package let word: String
    /// The title, in lower case.
    package let title: String
    /// What it is about, as one line in lower case without a full stop.
    package let summary: String
    /// The paragraphs before the entries, with markup.
    package let paragraphs: [String]
    package let entries: [DocumentationEntry]
    /// The paragraphs after the entries, with markup.
    package let remarks: [String]

    package init(
        _ word: String,
        title: String? = nil,
        summary: String,
        paragraphs: [String],
        entries: [DocumentationEntry] = [],
        remarks: [String] = []
    ) {
        self.word = word
        self.title = title ?? word
        self.summary = summary
        self.paragraphs = paragraphs
        self.entries = entries
        self.remarks = remarks
    }

    package var parts: [DocumentationPart] { [.paragraphs(paragraphs), .entries(entries), .paragraphs(remarks)] }

    /// Those of `blectl(1)`, in its order.
    package static let all = [
        choosingADevice, severalAdapters, controllers, targets, values, limits, security, faults, captures,
    ]

    static let choosingADevice = Concept(
        "device",
        title: "choosing a device",
        summary: "how a device is chosen, by -d, by a pattern or by a service",
        paragraphs: [
            """
            `-d` names the device by its address or by its name; `$BLECTL_DEVICE` does so for all commands that connect. \
            The name is \
            the whole name that the device advertises, in upper or lower case. The octets of an address may have \
            colons, dashes, underscores or nothing between them.
            """,
            """
            `--name` takes a pattern: `*` stands for any text, `?` for one character, `[a-f]` for one of some \
            characters. `--service` looks for a device that advertises a service or, if it is given several times, all \
            of these services.
            """,
            """
            Without these options, blectl looks for the service that the target or the profile belongs to: `blectl watch \
            heart-rate` finds a heart rate sensor on its own. Few devices advertise GAP, GATT, Battery or \
            Device Information. If none does, the device is taken that accepts a connection, if there is only one.
            """,
            """
            A session that `blectl session start` has begun comes first: the device of one that fits is used on its \
            link, and `-d` takes the name of a session, too. `--no-session` looks for a device without them.
            """,
            """
            The first device that matches is used, and on a terminal a line says which one. `write` insists on a \
            single match: if there are several, they are listed, and nothing is written.
            """,
            """
            Devices that were seen before are connected to without a scan, and so are those whose address type is given \
            with `--address-type`. A device that is connected to this machine is found although it does not advertise. \
            A device that advertises without accepting a connection, such as a beacon, ends the command with status 76.
            """,
            """
            A search listens to LE 1M. If four seconds have found nothing and the adapter has LE Coded, the long range, \
            that PHY gets one second in three of the remaining time. Linux connects to a device on LE Coded from version \
            6.4 on, and before that only if `btmgmt phy` shows `LECODEDTX` and `LECODEDRX` among the selected PHYs.
            """,
        ]
    )

    static let severalAdapters = Concept(
        "adapters",
        title: "several adapters",
        summary: "-i with several adapters, and which one a command takes",
        paragraphs: [
            """
            `-i hci0,hci1` takes several adapters, and `-i all` every one that can be used. One that is missing, off, blocked \
            or pulled out is left out with a remark while others work. If none works, the error is that of the first one.
            """,
            """
            The kernel numbers the adapters in the order in which it finds them, which may be another one after each \
            start. `-i 00:1A:7D:DA:71:13` means the adapter with that address, whatever its number is.
            """,
            """
            `scan` listens with all of them at once. With `--json`, each record tells the adapter that has heard it, so that \
            an advertisement may come once from each; lines and tables name the one that hears the device best.
            """,
            """
            Commands that connect choose one: the adapter that has a link to the device; one that has its keys; or the one \
            that hears it best. Of signals that differ by less than 3 dB, the adapter with the fewest links is taken, and \
            then the first. If the type of the address is given, nothing is listened to, and the one with the fewest links is \
            taken. `-v` tells the choice with its figures. In a script, each `device` may have its own `-i`.
            """,
            """
            A session keeps the adapter that was chosen; commands find it if their `-i` has that adapter or is missing. \
            `serve`, `advertise`, `adapter` and `unpair` use one adapter, and so does `l2cap listen`. `adapters` lists those \
            of `-i`, and `doctor` examines one after the other.
            """,
            """
            `--simulate-adapter second` adds `hci1` to the simulated machine. It hears each device up to 12 dB better or \
            worse, or as strongly as `second_rssi` in the device's file says.
            """,
        ]
    )

    static let controllers = Concept(
        "controllers",
        summary: "-i with a controller that is not the kernel's",
        paragraphs: [
            """
            `-i` also takes a controller at a stream socket or a serial port that carries H4. `blectl` is its host then: it resets it, brings it \
            up, and has it alone until the command ends. No Bluetooth of the kernel and no capability is needed, so that \
            this works in a container.
            """
        ],
        entries: [
            DocumentationEntry(
                "unix:PATH",
                """
                A Unix socket, such as that of BlueZ's `btvirt -s`: `-i unix:/tmp/bt-server-le`. Also one at which \
                `blectl radio` lends a controller to many commands.
                """
            ),
            DocumentationEntry(
                "tcp:HOST:PORT",
                """
                A port, such as that of rootcanal or of Bumble's `bumble-controllers tcp-server:_:6402`: \
                `-i tcp:localhost:6402`. An address of IPv6 is in brackets.
                """
            ),
            DocumentationEntry(
                "serial:PORT[,SPEED][,flow]",
                """
                A serial port, such as that of a board with Zephyr's `hci_uart`: `-i serial:/dev/ttyACM0,1000000,flow`. The speed \
                is 1000000 bits a second unless it is given; `flow` is flow control by RTS and CTS.
                """
            ),
            DocumentationEntry(
                "ssh:HOST[/ADAPTER]",
                """
                An adapter of another machine, its first one or what `-i` names there: `-i ssh:me@pi/hci1`. `ssh` runs `blectl \
                radio --stdio` there, which has to be installed and needs what it needs on that machine. Packets are carried, \
                and not HCI: a request takes one round trip, and everything works that works there. If nothing comes for 15 s, \
                or `ssh` ends, the command ends with status 75, and the other one with all links that it has.
                """
            ),
        ],
        remarks: [
            """
            Links end with the command, and not two seconds later. `link` tells all properties. `pair`, `l2cap` and the commands \
            about the adapter need the kernel's Bluetooth; a device that wants to pair is told that this host does not. \
            Exit status 69 means that no controller is there, 75 that it has ended the connection, and 76 that it sends what \
            is no HCI.
            """
        ]
    )

    package static let targets = Concept(
        "targets",
        summary: "how characteristics and descriptors are named",
        paragraphs: ["A target is a characteristic of the device, or a descriptor of one. It has one of these forms:"],
        entries: [
            DocumentationEntry("battery-level", "A characteristic, by its assigned name."),
            DocumentationEntry("0x2A19", "A characteristic, by its UUID of 16, 32 or 128 bits."),
            DocumentationEntry("battery/battery-level", "A characteristic in a service, both by name or by UUID."),
            DocumentationEntry(
                "battery-level/cccd",
                """
                A descriptor of a characteristic, by its UUID or its name. Short names are `cep`, `cud`, `cccd`, `sccd`, \
                `cpf` and `caf`, for `0x2900` to `0x2905`.
                """
            ),
            DocumentationEntry("battery/battery-level/0x2901", "A descriptor of a characteristic in a service."),
            DocumentationEntry(
                "handle:0x0018",
                """
                The attribute with this handle, as `inspect` shows it: `handle` in its records, which for a \
                characteristic is the handle of its value.
                """
            ),
        ],
        remarks: [
            """
            Upper and lower case are the same. If several attributes match, the first one is read, and a remark says so.
            """
        ]
    )

    package static let values = Concept(
        "values",
        summary: "how values are typed and printed",
        paragraphs: [
            """
            A value means the same wherever one is typed: for `write`, `encode` and `simulate set`, in scripts and their \
            expectations, in device files, and as the output of the programs of `serve --exec`. Where the format of the \
            characteristic or descriptor is known, it is the value in that format:
            """
        ],
        entries: [
            DocumentationEntry(
                "50",
                "A number in the unit of the format. It may be followed by that unit: `50%`, `21.5C`, `'21.5 C'`. Another unit is refused."
            ),
            DocumentationEntry(
                "high",
                """
                The name of a choice, or its number; names of several flags are separated by commas. A date such as \
                `2026-11-22T10:00:00`. A text.
                """
            ),
            DocumentationEntry(
                "FIELD=VALUE",
                """
                The fields by their keys in the JSON records, with or without the unit: `heart-rate=72 contact=true`. \
                `blectl lookup CHARACTERISTIC` lists them. On a command line, a JSON object is the same: `decoded` in \
                the records of `read`.
                """
            ),
            DocumentationEntry(
                "0x01ff",
                """
                Bytes in hexadecimal, two digits each, with or without signs between them: `0x01:ff`. `0x1` is the \
                byte 01. Bytes that the format cannot have are refused.
                """
            ),
            DocumentationEntry("hex:01ff", "The same bytes, whatever the format is."),
            DocumentationEntry("text:hello", "Text, in UTF-8."),
            DocumentationEntry("u16:500", "A number of a type; several are separated by commas: `u8:1,2,3`."),
            DocumentationEntry("@FILE", "The bytes of a file, for commands."),
            DocumentationEntry("-", "The bytes of standard input, for commands."),
        ],
        remarks: [
            """
            Where no format is known, as for most private characteristics and for handles, what has no mark is bytes in \
            hexadecimal: `01ff`, `01:ff`. `write --raw` takes every value so. The values of `decode` are always bytes.
            """,
            """
            The types of numbers are `u8`, `u16`, `u24`, `u32`, `u48` and `u64` without a sign, `s8` to `s64` with one, \
            `f32` and `f64`, and `medfloat16` and `medfloat32` of medical devices; the names of the specification, such as \
            `uint16` and `sint16`, mean the same. They are little-endian, or big-endian with `be` after them, as in `u16be`.
            """,
            """
            `--as` prints values as numbers of such a type, as text (`utf8`, `utf16`), in hexadecimal (`hex`), or as the \
            bytes that they are (`raw`). Without it, known values are decoded, with their units.
            """,
        ]
    )

    /// How limits work together, and how a command with limits ends: the rule that `StopLimits` follows.
    package static let limits = Concept(
        "time",
        title: "time and count limits",
        summary: "--count, --duration, --timeout and the other limits, and how they end",
        paragraphs: [
            """
            A time is a number of seconds, or a number with a unit, `ns`, `us`, `ms`, `s`, `min` or `m`, `h` or `d`: `5`, `1.5`, \
            `500ms`, `2s`, `'10 min'`. It is the same in scripts, in faults and in files.
            """,
            """
            Limits may be combined: the first one that is reached ends the command. The exit status tells whether \
            everything that was asked for has happened.
            """,
        ],
        entries: [
            DocumentationEntry(
                "--count NUMBER",
                """
                `scan`, `read`, `notify`, `watch`, `link`, `serve`, `advertise`, `bench` and `l2cap` end with status 0 when that \
                many have come: devices, values, measurements, connections that have ended, operations, or units that \
                were received. With `--json`, `--format` or `--duplicates`, `scan` counts reports, unless `--summary` is \
                given. If the command ends earlier, it says how many of how many came, and why. The status is then 1, or \
                that of the error that ended it.
                """
            ),
            DocumentationEntry(
                "--duration TIME",
                """
                The same commands end after that time, from the start of the scan or of serving, from the last \
                subscription, from the connection for `link` and `bench`, or from the open channel for `l2cap`. Without \
                `--count` the status is 0, however little came. With `--count` it is 1 if too few came.
                """
            ),
            DocumentationEntry(
                "--timeout TIME",
                """
                The limit of each step: a search, a discovery, a read, a write or a subscription. A step that takes longer \
                ends the command with status 124. Only a search ends with status 68: it listens for that time, and a device \
                that it has not heard is not there. Of several values to read, each but the last has half of the time, so \
                that one that never comes leaves time for the others. If the next one does not come either, the rest is not \
                tried.
                """
            ),
            DocumentationEntry(
                "--connect-timeout TIME",
                """
                The limit of one attempt to connect. When the last attempt has timed out, the status is 124. If another \
                program of this machine has the device, blectl first waits as long for that, and then ends with status 75.
                """
            ),
            DocumentationEntry(
                "--deadline TIME",
                """
                The limit of the whole command with all its steps. It then cleans up and ends with status 124, whatever came \
                before.
                """
            ),
            DocumentationEntry(
                "--simulate-time virtual",
                """
                The simulated world can end, too: when nothing is due any more, or when an hour of its time has brought \
                nothing and neither `--duration` nor `--deadline` is given. The command then says so and ends as after \
                `--duration`. One whose `--duration` has not begun by then, such as `l2cap listen` without a central, ends \
                with status 124.
                """
            ),
        ]
    )
}
