// SPDX-License-Identifier: GPL-2.0-or-later

extension Concept {
    /// Keys and private addresses, which concern all commands that connect.
    package static let security = Concept(
        "security",
        summary: "when commands pair, what keys prove, and private addresses",
        paragraphs: [
            """
            ON DEMAND. Commands other than `pair` pair when the device refuses a request for lack of a key (ATT 0x05, \
            0x08, 0x0C or 0x0F), or when `--security` demands a missing one. At a terminal they ask what `blectl pair` \
            asks; `--timeout` stands still meanwhile. Elsewhere, with `--json` or `--format`, in a shell, a script and \
            virtual time, and while a live display or the command's input has the keyboard, they offer neither input \
            nor output: this proves only that the device agrees. They report the pairing, with `--json` also as a \
            record `paired`, keep the bond as `blectl pair` does, and repeat the request once. A device that demands \
            more is status 76, with the line to type; a missing capability 77. If the adapter has to be switched off \
            and on first, the link is made anew, or, while other programs are connected, the status is 75. `--no-pair` \
            forbids all of that. Commands on the link of a session never pair.
            """,
            """
            TRUST. A bonded device proves that it has its key before anything is sent to it. Keys of a bond are never \
            replaced by weaker or unproved ones: if the device has lost its keys, `blectl unpair` comes first. With \
            `--passkey`, a device that shows no digits is refused, unless `--confirm yes` is given too. The name of a \
            bond means only its device, with the address type of the bond. If the kernel does not take the keys, the \
            command sends nothing, and ends with 77 for lack of the capability, or 78 beside a program that manages \
            the adapter.
            """,
            """
            PRIVACY. With `--privacy`, this machine sends from a resolvable private address, a new one every 15 \
            minutes, so that strangers cannot follow it. A device paired with `--privacy` gets the key to recognise \
            such addresses, and the adapter's own address; one paired without knows the machine only without \
            `--privacy`. The key is made once for each adapter, and kept in the file `identity` beside the bonds. \
            `session start` takes the option. Linux changes the privacy only of an adapter that is off: it is \
            switched off and on at the beginning and the end, and other programs must not be connected. Simultaneous \
            commands share it, and the last restores it. If another program manages the adapter, its privacy is used: \
            with bluetoothd, `Privacy = device` in `/etc/bluetooth/main.conf` switches it on; without it, the status \
            is 78.
            """,
        ]
    )
}
