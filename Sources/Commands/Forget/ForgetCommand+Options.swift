// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension ForgetCommand {
    static let device = Argument(
        optional: .device("DEVICE"),
        excludes: ["all"],
        summary: "the address or the name of the device"
    )

    static let all = Option(
        flag: "all",
        summary: "all devices that 'blectl devices' lists"
    )

    static let spec = CommandSpec(
        commandName,
        [.keptDevices, .namesDevices, .endsLinks],
        summary: "forget what was found out about a device",
        discussion: [
            """
            Removes the cached attributes of the device, the note that it takes no exchange of the MTU, and its name, \
            address type and times from the list of devices. The next command scans for it, and discovers its \
            attributes.
            """,
            """
            Keys are kept, because the device has its half of them; `blectl unpair` removes them. A session goes on; \
            `blectl session stop` ends it.
            """,
        ],
        arguments: [device.spec],
        options: [all.spec],
        groups: [.global],
        examples: [
            "blectl forget --all": "begin anew"
        ],
        seeAlso: [.devices, .unpair, .session]
    )
}
