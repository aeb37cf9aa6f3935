// SPDX-License-Identifier: GPL-2.0-or-later

extension Concept {
    /// Keys and private addresses, which concern all commands that connect.
    package static let security = Concept(
        "security",
        summary: "when commands pair, what keys prove, and private addresses",
        paragraphs: [
            """
            ON DEMAND. Commands other than `pair` pair when the device refuses a request for lack of a key (ATT \
            0x05, 0x08, 0x0C or 0x0F), or when `--security` demands one and there is none. At a terminal they ask \
            what `blectl pair` asks, and `--timeout` does not pass meanwhile. Elsewhere, with `--json` or \
            `--format`, in a shell, in a script and in virtual time, and while a live display or the input of the \
            command has the keyboard, they offer neither input nor output, so that nothing is proved but that the \
            device agrees. They say that they have paired, with `--json` also in a record `paired`, keep the bond as \
            `blectl pair` does, and repeat the request once. A device that demands more than they can do is an error \
            with status 76 and the line to type. Without the capability the status is 77. If the adapter has to be \
            switched off and on first, the link is made anew; while other programs are connected, the status is 75. \
            `--no-pair` forbids all of that. Commands on the link of a session pair with nobody.
            """,
            """
            TRUST. A bonded device proves that it has its key before anything is sent to it, and the keys of a bond \
            are never replaced by weaker ones, nor by ones without proof: if the device has lost its keys, `blectl \
            unpair` comes first. With `--passkey`, a device that shows no digits is refused, unless `--confirm yes` \
            is given as well. The name of a bond means its device and no other one with the name, and its address \
            has the type that the bond has. If the keys cannot be given to the kernel, the command ends with 77 for \
            lack of the capability, or with 78 beside a program that manages the adapter, and sends nothing.
            """,
            """
            PRIVACY. With `--privacy`, this machine has a resolvable private address on the air, and another one \
            every 15 minutes: strangers who listen cannot follow it. A device that is paired with `--privacy` gets \
            the key by which it knows such addresses, and the adapter's own address; a device that was paired \
            without knows the machine only without `--privacy`. The key is made once for each adapter, and kept in \
            the file `identity` beside the bonds. All commands that scan, connect, serve or advertise have the \
            option; of `session` it belongs to `start`. Linux changes the privacy of an adapter only while that is \
            off: so it is switched off and on at the beginning and at the end, and other programs must not be \
            connected. Commands that run at the same time share it, and the last one restores it. If another program \
            manages the adapter, its privacy is used as it is: with bluetoothd, `Privacy = device` in \
            `/etc/bluetooth/main.conf` switches it on, and without it the command ends with status 78.
            """,
        ]
    )
}
