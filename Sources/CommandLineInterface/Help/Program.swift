// SPDX-License-Identifier: GPL-2.0-or-later

/// The documentation of blectl as a whole.
package enum Program {
    package static let name = "blectl"
    package static let version = "0.1.0"
    /// The library that the program is linked with, and its use. `--version` prints both.
    package static let library = "libbluetooth"
    package static let libraryUse = "opens and describes the adapters of the machine"
    /// The first line of every generated file, without the comment sign, which depends on the language.
    package static let notice = "Made by 'make man' from the command table and from man/pages; changes belong there."
    package static let versionText = "\(name) \(version)\nwith \(library) (BlueZ), which \(libraryUse)\n"
    /// The date of the manual pages, in the form that `mdoc(7)` requires.
    package static let manualDate = "November 20, 2026"
    /// The purpose of the program, as one line in lower case without a full stop.
    package static let summary = "scan, inspect, read, write and watch Bluetooth Low Energy devices"

    package static let discussion = [
        """
        Talks to Bluetooth Low Energy devices from a shell or a script, through the kernel and without a daemon. With \
        `--simulate` the same commands run against devices in memory.
        """,
        """
        Results go to standard output, all else to standard error. With `--json` each result and failure is a JSON \
        object on a line, with `--format` a line by a template.
        """,
        """
        If standard error is a terminal, a line there shows what takes time: the device that is looked for or \
        connected to, the step of a script, the progress of `bench`. It is erased before other output, and left out \
        with `--quiet` and `--redact`.
        """,
        """
        Commands in the hints of errors leave out `--simulate`, `--radio` and `-i`: add them when you type one.
        """,
        """
        Options may stand anywhere before or after the command and its arguments. Of an option that is given twice, \
        the last counts, unless it is repeatable. `--` ends the options; a value that begins with a dash is written \
        after an equals sign, as in `--name=-x`, except a negative number and a single `-`.
        """,
    ]

    /// How `--format` reads its template.
    package static let templates = [
        """
        With `--format` a record is a line of text. A key in braces stands for its value: `'{address}\\t{name}'`. A \
        dot leads into an object, a number into an array: `{device.name}`, `{services.0}`. The unit at the end of a \
        key may be left out: `{rssi}` is `{rssi_dbm}`.
        """,
        """
        A null is empty, or the text after a bar: `{name|unknown}`. Elements of an array are separated by commas; an \
        object is JSON. Control characters in values are escaped.
        """,
        """
        A kind of record that lacks a key has no line: `{value}` prints only values of `notify`. A key with a bar is \
        not required: `{type} {value|}` prints every record. A key that no record of the command has is refused. Below \
        `decoded` are the fields of the value, checked before where all formats are known; elsewhere a value without \
        the field has no line, and if none has it, the status is 1.
        """,
        """
        `\\t`, `\\n`, `\\r` and `\\\\` are a tab, a line feed, a carriage return and a backslash; `{{` and `}}` are braces.
        """,
    ]

    package static let environment = DocumentationEntry.list([
        "BLECTL_DEVICE": "See `--device`.",
        "BLECTL_RADIO": """
        The value of `--adapter`, such as `unix:/tmp/radio` for a controller of `blectl radio`, where none of \
        `--adapter`, `--radio` and `--simulate` is given.
        """,
        "BLECTL_SIMULATE": """
        See `--simulate`. Empty, it has no effect: only the option itself chooses the world of `--simulate` \
        without a value.
        """,
        "NO_COLOR": "If not empty, no colour is used without `--color always`.",
        "XDG_CACHE_HOME": "For discovered attributes; default `~/.cache`.",
        "XDG_CONFIG_HOME": "For the user's formats and keys; default `~/.config`.",
        "XDG_RUNTIME_DIR": "For the sockets of sessions; default `/tmp/blectl-UID`.",
        "XDG_STATE_HOME": "For devices, keys and the lines of shells; default `~/.local/state`.",
    ])

    package static let files = DocumentationEntry.list([
        "$XDG_CACHE_HOME/blectl/gatt": """
        The discovered attributes of devices, one file each, and which devices take no exchange of the MTU: the \
        latest, at most 500 files and 16 MiB. Attributes are used only if the device's Database Hash confirms \
        them, which proves as much as an unencrypted link can: an impostor may have left false ones. May be \
        deleted. See `--no-cache`.
        """,
        "$XDG_CONFIG_HOME/blectl/formats.json":
            "Formats of private characteristics, without `--formats`: see `blectl-formats(5)`.",
        "$XDG_CONFIG_HOME/blectl/keys.json":
            "Keys of encrypted advertisements, without `--keys`: see `blectl-scan(1)`.",
        "$XDG_RUNTIME_DIR/blectl": "The sockets of sessions: see `blectl-session(1)`.",
        "$XDG_STATE_HOME/blectl": """
        Kept between runs: in `devices.json` names and address types of a thousand seen or connected devices; in \
        `bonds` the keys of paired devices; in `identity` those of the private addresses of `--privacy`; in \
        `history` the lines of shells; in `simulated` the keys for simulated devices. Deleting `bonds` forgets \
        every pairing, deleting `identity` those with `--privacy`: these devices have to be paired again. The rest \
        may be deleted. Files and folders of blectl belong to the user and are private (0600, 0700). Others, and \
        links, are not used, and `-v` reports them.
        """,
    ])

    package static let examples = CommandExample.list([
        "blectl --simulate watch heart-rate --count 5": "try it without a radio",
        "blectl scan --duration 10": "list the devices that advertise nearby",
        "blectl inspect --name 'Thermo*'": "show the services of a device",
        "blectl read battery-level -d C8:4B:1D:3A:90:5E": "read a value",
        "blectl notify heart-rate-measurement --json": "print values as they arrive, for a script",
    ])
}
