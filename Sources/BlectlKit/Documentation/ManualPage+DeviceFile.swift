// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices

extension ManualPage {
    /// `blectl-device(5)`: the format of device files and world files, from the table by which they are checked.
    static var deviceFile: ManualPage {
        ManualPage(title: "\(Program.name)-device", section: 5, summary: "device files and world files of blectl") {
            page in
            page.macro("Sh DESCRIPTION")
            describe(DeviceFilePage.discussion, &page)
            page.macro("Sh SYNTAX")
            describe(DeviceFilePage.syntax, &page)
            page.macro("Sh THE DEVICE")
            page.paragraph(
                "A word in capitals is a type that has a section of its own. Members may stand in any order."
            )
            for section in DeviceFileReference.device { describe(section, &page) }
            page.macro("Sh THE WORLD")
            describe([DeviceFilePage.world], &page)
            describe(DeviceFileReference.world, &page)
            page.macro("Sh FAULTS OF FILES")
            describe(DeviceFilePage.faults, &page)
            page.macro("Sh EXAMPLES")
            for (index, example) in DeviceFileExample.all.enumerated() {
                if index > 0 { page.macro("Pp") }
                describe(example, &page)
            }
            refer(to: SharedPage.device.related(), &page)
        }
    }

    static func describe(_ section: DeviceFileReference.Section, _ page: inout Troff) {
        page.macro("Ss \(section.name)")
        describe(section.prose, &page)
        list(section.entries, &page)
    }

    private static func list(_ entries: [DeviceFileReference.Entry], _ page: inout Troff) {
        page.list(entries) { page, entry in
            page.macro("It Li \(Troff.typed(entry.term))")
            page.paragraph(entry.text)
            list(entry.entries, &page)
        }
    }

    static func describe(_ example: DeviceFileExample, _ page: inout Troff) {
        page.macro("Ss \(Troff.typed(example.file))")
        page.paragraph(example.explanation)
        page.macro("Bd -literal -offset indent")
        for line in example.text.split(separator: "\n", omittingEmptySubsequences: false) {
            page.literal(String(line))
        }
        page.macro("Ed")
        page.macro("Pp")
        page.macro("Bd -literal -offset indent -compact")
        for line in example.lines { page.literal(line) }
        page.macro("Ed")
    }
}

/// The prose of `blectl-device(5)`.
enum DeviceFilePage {
    static let discussion = [
        """
        A device file describes a Bluetooth Low Energy device as JSON: what it advertises, what it serves, and how it \
        behaves. The same file is simulated in memory by `--simulate=FILE` and served by a real adapter by `blectl serve \
        FILE`. `blectl device check` tells the faults of a file, and `blectl device show` prints the devices that are \
        part of blectl, which are such files.
        """,
        """
        A world file places several devices in a simulated world. It can be used wherever `--simulate` takes a file.
        """,
    ]

    static let syntax = [
        """
        The text is JSON in UTF-8, at most 16 MiB. As in JSON5, comments, commas after the last element, keys without \
        quotes, single quotes and numbers in hexadecimal are accepted. Unknown keys are faults.
        """,
        """
        A service, a characteristic or a descriptor is a UUID, or its assigned name as on the command line: \
        `"battery-level"`, `"0x2a19"`, `"6e400001-b5a3-f393-e0a9-e50e24dcca9e"`. Where rules refer to a characteristic, \
        its label counts first, then its name or UUID, optionally after that of its service and a slash: \
        `"battery/battery-level"`.
        """,
        """
        A time is a number with a unit, `ns`, `us`, `ms`, `s`, `min`, `h` or `d`: `"211.25 ms"`, `"10 min"`. Octets are \
        an even number of hex digits.
        """,
        """
        A value is a text as `blectl write` takes it (VALUES in `blectl(1)`), or the fields of the characteristic by the keys that the \
        records of `blectl read --json` have. `blectl read` on the simulated device shows whether the value is the \
        intended one. Where the format depends on the model of the device, the services in the file tell the model.
        """,
    ]

    static let world = """
        Labels and addresses of the devices of a world differ. `--simulate` may be given several times, and then all \
        devices are in one world.
        """

    static let faults = [
        """
        Each fault is a line with the file, the line, the path of the value, and what is wrong: `strap.json:14: \
        services[0].uuid: 'batery' is neither a UUID nor the assigned name of a service; did you mean 'battery'?` All \
        faults of a file are told at once; only one in the syntax of JSON hides the others.
        """
    ]
}
