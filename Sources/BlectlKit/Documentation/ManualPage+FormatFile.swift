// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices

extension ManualPage {
    /// `blectl-formats(5)`: the format of format files, from the table by which they are checked.
    static var formatFile: ManualPage {
        ManualPage(
            title: "\(Program.name)-formats",
            section: 5,
            summary: "formats of private characteristics for blectl"
        ) { page in
            page.macro("Sh DESCRIPTION")
            describe(FormatFilePage.discussion, &page)
            page.macro("Sh SYNTAX")
            describe(FormatFilePage.syntax, &page)
            page.macro("Sh THE FILE")
            page.paragraph(
                "A word in capitals is a type that has a section of its own. Members may stand in any order."
            )
            for section in DeviceFileReference.formats { describe(section, &page) }
            page.macro("Sh FILES")
            describe(FormatFilePage.files, &page)
            page.macro("Sh EXAMPLES")
            for (index, example) in DeviceFileExample.formats.enumerated() {
                if index > 0 { page.macro("Pp") }
                describe(example, &page)
            }
            refer(to: SharedPage.formats.related([SharedPage.device.reference]), &page)
        }
    }
}

/// The prose of `blectl-formats(5)`.
enum FormatFilePage {
    static let discussion = [
        """
        A format file gives names to private services and characteristics, and describes the values of these in the terms in which \
        the Bluetooth SIG describes those of the assigned ones. With it, `read`, `notify`, `watch`, `inspect --values`, `write`, \
        `decode`, `encode` and `lookup` treat them as they treat assigned ones: the names stand for the UUIDs, values are decoded \
        with their units, and fields can be written. `scan` and `diff` show the names, too.
        """
    ]

    static let syntax = [
        """
        The text is JSON in UTF-8, at most 16 MiB. As in JSON5, comments, commas after the last element, keys without \
        quotes, single quotes and numbers in hexadecimal are accepted. Unknown keys are faults, and all faults of a \
        file are reported at once, each with its line and its path.
        """
    ]

    static let files = [
        """
        `--formats FILE` names the file. Without it, `$XDG_CONFIG_HOME/blectl/formats.json` is read if it exists, by default \
        `~/.config/blectl/formats.json`. A faulty file ends the command: with status 65 if `--formats` names it, otherwise with \
        status 78, and `blectl doctor` names the line. A folder that this user may not enter, such as the home of another \
        user, has no formats: the command says so, and runs.
        """
    ]
}
