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
            Prints each device of which something is kept on this machine: when it was last heard and connected to, \
            whether its attributes and keys are kept, and the session that has a link to it. Nothing is sent.
            """,
            """
            Devices with a link of any program come first, with the link's adapter: the kernel's list needs \
            `CAP_NET_ADMIN`.
            """,
            """
            A known device that is named by its address is connected to without a scan. Devices with changing \
            addresses are remembered only with keys. Of simulated devices, only attributes and keys are kept.
            """,
        ],
        groups: [.global],
        examples: [
            "blectl devices": "what is known",
            "blectl devices --format '{device.address}'": "the addresses, for a script",
        ],
        seeAlso: [.forget, .bonds, .session, .scan]
    )
}
