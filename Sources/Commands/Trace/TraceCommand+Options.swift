// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Toolkit

extension TraceCommand {
    static let file = Argument(
        required: .text("CAPTURE", completion: .file),
        summary: "a btsnoop file, such as --capture writes it",
        details: "`-` is standard input."
    )

    /// `--device`, as elsewhere, because it may stand before the command.
    static let device = Option(
        repeated: "device",
        short: "d",
        .device("ADDRESS|NAME"),
        summary: "only packets of the device with this address",
        details: "A name is refused, because a capture has addresses only. May be given several times."
    )

    static let att = Option(
        flag: "att",
        summary: "only ATT packets"
    )

    static let hci = Option(
        flag: "hci",
        summary: "only HCI commands and events"
    )

    static let handles = Option(
        repeated: "handle",
        .attributeHandle,
        summary: "only ATT packets about the attribute with this handle",
        details: "And the answers to them. May be given several times."
    )

    static let spec = CommandSpec(
        commandName,
        [.forItsOutput, .drawsPackets],
        summary: "print the packets of a capture",
        discussion: [
            """
            Prints each packet of a btsnoop file on one line, decoded as `-v` has it: the time of day, the seconds since the \
            first packet, the direction, and what it is. The file may come from `--capture`, from `btmon -w`, or from a phone: \
            the file `btsnoop_hci.log` in the bug report of Android.
            """,
            """
            The fragments of a frame are put together, and the packets of a connection have the address of its device. \
            An answer is followed by the time that it took. The JSON records also have the number of the packet that \
            it answers, and the private address that the device uses on a connection, if the capture contains both \
            addresses.
            """,
            """
            A file that is damaged or ends in the middle of a packet is printed up to there; the place is reported, and the exit \
            status is 65.
            """,
        ],
        arguments: [file.spec],
        options: [device.spec, handles.spec, att.spec, hci.spec],
        groups: [.global],
        examples: [
            CommandExample("blectl trace run.btsnoop", "every packet of a capture"),
            CommandExample("blectl trace btsnoop_hci.log -d F0:F1:F2:F3:F4:F5 --att", "what a phone said to a device"),
            CommandExample("blectl trace run.btsnoop --handle 0x0012 --json", "an attribute, for a program"),
        ],
        seeAlso: [.decode]
    )
}
