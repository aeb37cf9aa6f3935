// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension DevicesCommand {
    static let spec = CommandSpec(
        commandName,
        [.keptDevices, .forItsOutput],
        summary: "list the devices that blectl knows",
        discussion: [
            """
            Prints each device of which something is kept on this machine: when it was heard and connected to last, whether its \
            attributes are in the cache, whether there are keys of it, and the session that has a link to it. Nothing is sent.
            """,
            """
            Devices to which any program has a link come first, with the adapter of the link: the kernel lists them, for which \
            `CAP_NET_ADMIN` is needed.
            """,
            """
            A device that is known is connected to without a scan, if it is named by its address. Devices whose addresses change \
            with time are not remembered, unless there are keys of them. Of simulated devices, only attributes and keys are kept.
            """,
        ],
        groups: [.global],
        examples: [
            CommandExample("blectl devices", "what is known"),
            CommandExample("blectl devices --format '{device.address}'", "the addresses, for a script"),
        ],
        seeAlso: [.forget, .bonds, .session, .scan]
    )
}
