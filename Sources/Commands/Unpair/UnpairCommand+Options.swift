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
            Of the used adapter and, without `--adapter`, of adapters that are gone. Those of other adapters are \
            named, and stay.
            """
    )

    static let spec = CommandSpec(
        commandName,
        [.radio, .oneAdapter, .namesDevices, .endsLinks],
        summary: "forget the keys of a device",
        discussion: [
            """
            Takes the keys from the kernel, ends the link, and removes them from the file of bonds. Nothing is sent: \
            the device has to forget the pairing, too, before it pairs again.
            """,
            """
            A bond with a missing adapter, whose address `--adapter` takes, is removed from the file. If some bonds \
            cannot be removed, the others are, and the error names those that are left.
            """,
            """
            Needs `CAP_NET_ADMIN`. Another program that keeps the keys, such as bluetoothd, is told by the kernel, and \
            forgets them as well.
            """,
        ],
        arguments: [device.spec],
        options: [all.spec],
        groups: [.global],
        examples: [
            "sudo blectl unpair --all": "forget all pairings"
        ],
        seeAlso: [.bonds, .pair]
    )
}
