// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension UnpairCommand {
    static let device = Argument(
        optional: .device("DEVICE"),
        excludes: ["all"],
        summary: "the address or the name of the device"
    )

    static let all = Option(
        flag: "all",
        summary: "all devices that blectl has the keys of",
        details: """
            Those of the adapter that is used and, without `--adapter`, of adapters that the machine has no more. Those of \
            its other adapters are named, and stay.
            """
    )

    static let spec = CommandSpec(
        commandName,
        [.radio, .oneAdapter, .namesDevices, .endsLinks],
        summary: "forget the keys of a device",
        discussion: [
            """
            Takes the keys from the kernel, ends the link, and removes them from the file of bonds. Nothing is sent to the \
            device: it has to forget the pairing, too, before it pairs again.
            """,
            """
            A bond with an adapter that is gone is only in the file, and is removed there; `--adapter` takes its address. \
            If some of several bonds cannot be removed, the others are, and the error names those that are left.
            """,
            """
            It needs the capability `CAP_NET_ADMIN`. If another program keeps the keys, such as bluetoothd, the kernel \
            tells it, and it forgets them as well.
            """,
        ],
        arguments: [device.spec],
        options: [all.spec],
        groups: [.global],
        examples: [
            CommandExample("sudo blectl unpair --all", "forget all pairings")
        ],
        seeAlso: [.bonds, .pair]
    )
}
