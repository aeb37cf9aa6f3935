// SPDX-License-Identifier: GPL-2.0-or-later

/// The documentation of blectl as a whole.
package enum Program {
    package static let name = "blectl"
    package static let version = "0.1.0"
    /// The library that the program is linked with, and its use. `--version` prints both.
    package static let library = "libbluetooth"
    package static let libraryUse = "finds, describes and opens the adapters of the machine"
    /// The first line of every generated file, without the comment sign, which depends on the language.
    package static let notice = "Made by 'make man' from the command table and from man/pages; changes belong there."
    package static let versionText = "\(name) \(version)\nwith \(library) (BlueZ), which \(libraryUse)\n"
    /// The date of the manual pages, in the form that `mdoc(7)` requires.
    package static let manualDate = "November 20, 2026"
    /// The purpose of the program, as one line in lower case without a full stop.
    package static let summary = "scan, inspect, read, write and watch Bluetooth Low Energy devices"

    package static let discussion = [
        """
        Talks to Bluetooth Low Energy devices from a shell or a script. It speaks to the kernel itself and needs no \
        daemon. With `--simulate` the same commands run against devices in memory, without a radio.
        """,
        """
        Results go to standard output, everything else to standard error. With `--json` every result and every \
        failure is one JSON object on a line of its own, with `--format` a line by a template.
        """,
        """
        At a terminal, a line on standard error shows what a command does that takes time: which device it looks for or \
        connects to, which step of a script runs, how far `bench` has come. The line is erased before anything else is \
        printed. It is left out with `--quiet` and `--redact`, and where standard error is no terminal.
        """,
        """
        An error may be followed by a hint. The commands in hints do not repeat `--simulate`, `--radio` and `-i`: give \
        them again when you type one.
        """,
        """
        Options may stand before or after the command, and before, between or after its arguments. If an option is \
        given twice, the last one counts, unless it may be given several times. `--` ends the options; a value that \
        begins with a dash is written after an equals sign, as in `--name=-x`, except a negative number and a single `-`.
        """,
    ]

    /// How `--format` reads its template.
    package static let templates = [
        """
        With `--format` a record is a line of text instead. A key in braces stands for its value: \
        `'{address}\\t{name}'`. A dot leads into an object and a number into an array: `{device.name}`, `{services.0}`. \
        A key may lack the unit at its end: `{rssi}` is `{rssi_dbm}`.
        """,
        """
        A null is empty, or what stands after a bar: `{name|unknown}`. The elements of an array are separated by \
        commas, and an object is JSON. Control characters in a value are escaped, so that it cannot end the line.
        """,
        """
        A kind of record that lacks one of the keys has no line: `{value}` prints the values of `notify`, and nothing \
        when the connection is lost. With a bar after it a key is not required: `{type} {value|}` prints a line for \
        every record. A key that no record of the command has is refused. Below `decoded` the keys are the fields of the \
        value: they are checked before where the formats of all values are known; elsewhere a value that lacks one has no \
        line, and if none has it, the command ends with status 1.
        """,
        """
        `\\t`, `\\n`, `\\r` and `\\\\` are a tab, a line feed, a carriage return and a backslash; `{{` and `}}` are braces.
        """,
    ]

    package static let environment = [
        DocumentationEntry(
            "BLECTL_DEVICE",
            "The device that commands connect to where neither `--device` nor a search is given."
        ),
        DocumentationEntry(
            "BLECTL_RADIO",
            """
            The adapter to use where none of `--adapter`, `--radio` and `--simulate` is given: a value of `--adapter`, such as \
            `unix:/tmp/radio` for a controller that `blectl radio` lends.
            """
        ),
        DocumentationEntry(
            "BLECTL_SIMULATE",
            """
            The simulated world to use where neither `--simulate` nor `--radio` is given: a value of `--simulate`. \
            Empty, it has no effect. The world of `--simulate` without a value has no name, so that only the option \
            chooses it.
            """
        ),
        DocumentationEntry("NO_COLOR", "If set and not empty, colour is not used unless `--color always` is given."),
        DocumentationEntry("XDG_CACHE_HOME", "Where blectl keeps discovered attributes; by default `~/.cache`."),
        DocumentationEntry(
            "XDG_CONFIG_HOME",
            "Where blectl looks for the user's formats and keys; by default `~/.config`."
        ),
        DocumentationEntry("XDG_RUNTIME_DIR", "Where the sockets of sessions are; without it, in `/tmp/blectl-UID`."),
        DocumentationEntry(
            "XDG_STATE_HOME",
            "Where blectl keeps devices, keys and the lines of shells; by default `~/.local/state`."
        ),
    ]

    package static let files = [
        DocumentationEntry(
            "$XDG_CACHE_HOME/blectl/gatt",
            """
            The attributes that were discovered on devices, one file each, and which devices take no exchange of the MTU: \
            the latest, at most 500 files and 16 MiB. Attributes are used only after the device has confirmed them by its \
            Database Hash, which proves as much as an unencrypted link can: an attacker who impersonated the device may \
            have left false ones. The files may be deleted. See `--no-cache`.
            """
        ),
        DocumentationEntry(
            "$XDG_CONFIG_HOME/blectl/formats.json",
            "The formats of private characteristics that are used without `--formats`; `blectl-formats(5)` describes it."
        ),
        DocumentationEntry(
            "$XDG_CONFIG_HOME/blectl/keys.json",
            "The keys of encrypted advertisements that are used without `--keys`; `blectl-scan(1)` describes it."
        ),
        DocumentationEntry(
            "$XDG_RUNTIME_DIR/blectl",
            "The sockets of sessions, one each, which end with them: see `blectl-session(1)`."
        ),
        DocumentationEntry(
            "$XDG_STATE_HOME/blectl",
            """
            What is kept between runs: in `devices.json` the names and address types of a thousand devices that were \
            connected to or seen; in `bonds` the keys of paired devices; in `identity` the keys of the private addresses \
            of `--privacy`; in `history` the lines of shells; and in `simulated` the keys for simulated devices. \
            Deleting `bonds` forgets every pairing, and deleting `identity` those with `--privacy`: devices have to be \
            paired with again. The rest may be deleted. Files and folders of blectl belong to the user and are private \
            (0600, 0700). Others, and links, are not used, and `-v` reports them.
            """
        ),
    ]

    package static let examples = [
        CommandExample("blectl --simulate watch heart-rate --count 5", "try it without a radio"),
        CommandExample("blectl scan --duration 10", "list the devices that advertise nearby"),
        CommandExample("blectl inspect --name 'Thermo*'", "show the services of a device"),
        CommandExample("blectl read battery-level -d C8:4B:1D:3A:90:5E", "read a value"),
        CommandExample("blectl notify heart-rate-measurement --json", "print values as they arrive, for a script"),
    ]
}
