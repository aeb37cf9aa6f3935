// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension InspectCommand {
    static let values = Option(
        flag: "values",
        summary: "read every value that can be read",
        details: "A value that the device refuses is shown with its error; that is not a failure of the command."
    )

    static let spec = CommandSpec(
        commandName,
        [.deviceCommand, .common, .forItsOutput, .formats],
        summary: "show the services and characteristics of a device",
        discussion: [
            """
            Connects, discovers everything, and prints the tree of services, included services, characteristics \
            and descriptors, with their names, handles and properties.
            """,
            """
            With `--values`, `=` is followed by a value, and `!` by the reason why there is none. On a terminal a \
            value that is longer than the line is cut, with its length; elsewhere, and with `--json`, it is complete.
            """,
        ],
        arguments: [DeviceSpec.operand.spec],
        options: [values.spec],
        groups: [.device, .link, .global],
        examples: [
            CommandExample("blectl inspect C8:4B:1D:3A:90:5E", "the tree of one device"),
            CommandExample("blectl inspect --name 'Thermo*' --values", "the tree with values, of a device by name"),
        ],
        seeAlso: [.scan, .read]
    )
}
