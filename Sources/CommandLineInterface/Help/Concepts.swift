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
        entries: KeyValuePairs<String, String> = [:],
        remarks: [String] = []
    ) {
        self.word = word
        self.title = title ?? word
        self.summary = summary
        self.paragraphs = paragraphs
        self.entries = DocumentationEntry.list(entries)
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
            `-d`, or `$BLECTL_DEVICE` for all commands that connect, names the device by its address, with colons, \
            dashes, underscores or nothing between the octets, or by the whole name that it advertises, in upper or \
            lower case.
            """,
            """
            `--name` takes a pattern: `*` stands for any text, `?` for one character, `[a-f]` for one of some \
            characters. `--service`, once or several times, looks for a device that advertises all these services.
            """,
            """
            Without these, blectl looks for the service of the target or the profile: `blectl watch heart-rate` finds \
            a heart rate sensor. Few devices advertise GAP, GATT, Battery or Device Information: if none does, the \
            only device that accepts a connection is taken.
            """,
            """
            A session (`blectl session start`) comes first: the device of one that fits is used on its link. `-d` also \
            takes the name of a session; `--no-session` ignores sessions.
            """,
            """
            The first match is used, and named on a terminal. `write` lists several matches, and writes nothing.
            """,
            """
            Devices seen before, and those with `--address-type`, need no scan. A device that is connected to this \
            machine is found although it does not advertise. One that advertises but accepts no connection, such as a \
            beacon, is status 76.
            """,
            """
            A search listens to LE 1M. If four seconds have found nothing and the adapter has LE Coded (long range), \
            that PHY gets one second in three of the rest. Linux connects on LE Coded from 6.4 on, before that only if \
            `btmgmt phy` lists `LECODEDTX` and `LECODEDRX` as selected.
            """,
        ]
    )

    static let severalAdapters = Concept(
        "adapters",
        title: "several adapters",
        summary: "-i with several adapters, and which one a command takes",
        paragraphs: [
            """
            `-i hci0,hci1` takes several adapters, `-i all` every usable one of the kernel; controllers elsewhere stand \
            among them: `-i hci0,ssh:rack1/hci0,serial:/dev/ttyACM0,flow`. One that is missing, off, blocked or \
            pulled out is left out with a remark while others work. If none works, the error is that of the first.
            """,
            """
            The kernel may number the adapters differently after each start. `-i 00:1A:7D:DA:71:13` is the adapter \
            with that address.
            """,
            """
            `scan` listens with all at once. Each record names the adapter that heard it, and an advertisement may \
            come once from each; lines and tables name the one that hears the device best.
            """,
            """
            Commands that connect choose one: the adapter that has a link to the device; one that has its keys; or the \
            one that hears it best. Among signals within 3 dB, the one with the fewest links is taken, then the first. \
            If the address type is given, blectl does not listen, and takes the one with the fewest links. `-v` shows \
            the choice with its figures. In a script, each `device` may have its own `-i`.
            """,
            """
            A session keeps its adapter; commands find it if their `-i` has that adapter or is missing. `serve`, \
            `advertise`, `adapter`, `unpair` and `l2cap listen` use one adapter, `adapters` and `doctor` each of `-i`.
            """,
            """
            `--simulate-adapter second` adds `hci1` to the simulated machine: see `second_rssi` in `blectl-device(5)`.
            """,
        ]
    )

    static let controllers = Concept(
        "controllers",
        summary: "-i with a controller that is not the kernel's",
        paragraphs: [
            """
            `-i` also takes a controller on USB, or at a stream socket or serial port that carries H4. `blectl` is its \
            host: it resets it, brings it up, and has it alone until the command ends. This needs no Bluetooth of the kernel \
            and no capability, and works in a container.
            """
        ],
        entries: [
            "unix:PATH": """
            A Unix socket: of BlueZ's `btvirt -s` (`-i unix:/tmp/bt-server-le`), which has one link at a time and \
            reports an advertiser once, or of `blectl radio`, which lends a controller to many commands.
            """,
            "tcp:HOST:PORT": """
            A port, such as that of rootcanal or of Bumble's `bumble-controllers tcp-server:_:6402`: `-i \
            tcp:localhost:6402`. IPv6 addresses are in brackets.
            """,
            "serial:PORT[,SPEED][,flow]": """
            A serial port, such as that of Zephyr's `hci_uart`: `-i serial:/dev/ttyACM0,1000000,flow`. The default \
            speed is 1000000 bit/s; `flow` is flow control by RTS and CTS.
            """,
            "usb, usb:VENDOR:PRODUCT, usb:BUS-PORT": """
            A controller on USB, such as a dongle or a board with Zephyr's `hci_usb`: the first one, the first of a \
            product (`-i usb:0a12:0001`), or the one at a port (`-i usb:1-1.4`). The kernel's driver has it back \
            afterwards. Needs `libusb-1.0-0`, and permission for its file in `/dev/bus/usb`: the error shows the rule \
            for udev. Those of Intel, MediaTek and Realtek need firmware that only the kernel's driver loads.
            """,
            "ssh:HOST[:PORT][/ADAPTER]": """
            An adapter of another machine, its first one or what `-i` names there: `-i ssh:me@pi/hci1`. `ssh` runs `blectl \
            radio --stdio` there, which has to be installed and needs what it needs on that machine. Packets are carried, \
            and not HCI: a request takes one round trip, and everything works that works there. If nothing comes for 15 s, \
            or `ssh` ends, the command ends with status 75, and the other one with all links that it has.
            """,
            "user:hciN": """
            The controller of an adapter of the kernel, which has nothing to do with it meanwhile: the links of all \
            programs end. It is switched on again afterwards if it was on; after a kill (`SIGKILL`), \
            `blectl adapter power on` does that. Needs `CAP_NET_ADMIN`.
            """,
        ],
        remarks: [
            """
            Links end with the command, not two seconds later. `link` tells all properties. Bonds are kept as those of \
            adapters are, and belong to the controller's address, which is kept in `$XDG_STATE_HOME/blectl/addresses`; one \
            without a public address gets a random one. `adapter` and `--privacy` need the kernel's \
            Bluetooth. Status 69: no controller is there; 75: it ended the connection; 76: it sends no HCI.
            """
        ]
    )

    package static let targets = Concept(
        "targets",
        summary: "how characteristics and descriptors are named",
        paragraphs: ["A target is a characteristic or a descriptor of the device:"],
        entries: [
            "battery-level": "A characteristic, by its assigned name.",
            "0x2A19": "A characteristic, by its UUID of 16, 32 or 128 bits.",
            "battery/battery-level": "A characteristic in a service, each by name or UUID.",
            "battery-level/cccd": """
            A descriptor of a characteristic, by UUID or name. Short names are `cep`, `cud`, `cccd`, `sccd`, `cpf` \
            and `caf`, for `0x2900` to `0x2905`.
            """,
            "battery/battery-level/0x2901": "A descriptor of a characteristic in a service.",
            "handle:0x0018": """
            The attribute with this handle: `handle` in the records of `inspect`, for a characteristic that of its \
            value.
            """,
        ],
        remarks: [
            """
            Case does not count. If several attributes match, the first is read, with a remark.
            """
        ]
    )

    package static let values = Concept(
        "values",
        summary: "how values are typed and printed",
        paragraphs: [
            """
            Values are typed alike for `write`, `encode` and `simulate set`, in scripts and their expectations, in \
            device files, and as output of the programs of `serve --exec`. Where the format of the characteristic or \
            descriptor is known, a value is in that format:
            """
        ],
        entries: [
            "50":
                "A number in the unit of the format, which may follow: `50%`, `21.5C`, `'21.5 C'`. Other units are refused.",
            "high": """
            The name or number of a choice, or names of flags separated by commas. A date such as \
            `2026-11-22T10:00:00`. A text.
            """,
            "FIELD=VALUE": """
            The fields by their JSON keys, with or without the unit: `heart-rate=72 contact=true`. `blectl lookup \
            CHARACTERISTIC` lists them. On a command line also a JSON object, as `decoded` in the records of \
            `read`.
            """,
            "0x01ff": """
            Bytes in hexadecimal, two digits each, optionally with signs between them: `0x01:ff`. `0x1` is the \
            byte 01. Bytes that do not fit the format are refused.
            """,
            "hex:01ff": "These bytes, whatever the format is.",
            "text:hello": "Text, in UTF-8.",
            "u16:500": "A number of a type, or several: `u8:1,2,3`.",
            "@FILE": "The bytes of a file, for commands.",
            "-": "The bytes of standard input, for commands.",
        ],
        remarks: [
            """
            Where no format is known, as for most private characteristics and for handles, an unmarked value is bytes \
            in hexadecimal: `01ff`, `01:ff`. `write --raw` takes every value so, and `decode` takes only bytes.
            """,
            """
            Types of numbers are `u8`, `u16`, `u24`, `u32`, `u48` and `u64` (unsigned), `s8` to `s64` (signed), `f32`, \
            `f64`, and `medfloat16` and `medfloat32` of medical devices; the specification's names, such as `uint16` \
            and `sint16`, mean the same. They are little-endian, or big-endian with `be` at the end: `u16be`.
            """,
            """
            `--as` prints values as such numbers, as text (`utf8`, `utf16`), in hexadecimal (`hex`), or as the bytes \
            themselves (`raw`). Without it, known values are decoded, with units, and others printed as `0x` and hex \
            digits, which `write` takes.
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
            A time is a number of seconds, or a number with a unit, `ns`, `us`, `ms`, `s`, `min` or `m`, `h` or `d`: \
            `1.5`, `500ms`, `'10 min'`; also in scripts, faults and files.
            """,
            """
            The first limit that is reached ends the command. The exit status tells whether all that was asked for has \
            happened.
            """,
        ],
        entries: [
            "--count NUMBER": """
            `scan`, `read`, `notify`, `watch`, `link`, `serve`, `advertise`, `bench` and `l2cap` end with status 0 \
            after that many devices, values, measurements, ended connections, operations, or received units. With \
            `--json`, `--format` or `--duplicates`, `scan` counts reports, unless `--summary` is given. A command \
            that ends earlier says how many of how many came, and why; its status is 1, or that of the error that \
            ended it.
            """,
            "--duration TIME": """
            The same commands end after that time, counted from the start of the scan or of serving, from the last \
            subscription, from the connection (`link`, `bench`), or from the open channel (`l2cap`). The status is \
            0, but 1 if fewer than `--count` came.
            """,
            "--timeout TIME": """
            The limit of each step: a search, a discovery, a read, a write or a subscription. A longer step ends \
            the command with status 124; a search that has not heard the device in that time, with 68. Of several \
            values to read, each but the last has half of the time; if the next one does not come either, the rest \
            is not tried.
            """,
            "--connect-timeout TIME": """
            The limit of one attempt to connect; if the last one times out, the status is 124, or 75 if another \
            program of this machine kept the device.
            """,
            "--deadline TIME": """
            The limit of the whole command, which then cleans up and ends with status 124, whatever came before.
            """,
            "--simulate-time virtual": """
            The simulated world also ends: when nothing is due any more, or when an hour of its time has brought \
            nothing and neither `--duration` nor `--deadline` is given. The command says so and ends as after \
            `--duration`; one whose `--duration` has not begun, such as `l2cap listen` without a central, with \
            status 124.
            """,
        ]
    )
}
