// SPDX-License-Identifier: GPL-2.0-or-later

extension Concept {
    /// The files that `--capture` writes.
    package static let captures = Concept(
        "captures",
        summary: "packets as files, as lines and as diagrams, and what --redact hides",
        paragraphs: [
            """
            `--capture FILE` writes every packet of the run to a file, which Wireshark and tshark read: in the format pcapng \
            if the name ends with `.pcapng`, in pcap if it ends with `.pcap`, and otherwise in btsnoop, which btmon reads, too. \
            It works with adapters, sockets and simulated devices, whose captures have the times of their clock.
            """,
            """
            `blectl trace` reads these formats and PacketLogger's (`.pklg`, of macOS and iOS), with the link types 187, 201 and \
            254 in pcap and pcapng; captures one behind the other in a file; each of these compressed with gzip; and zip \
            archives, such as the bug report of Android, of which it reads the Bluetooth logs, the oldest first. Comments \
            and the names of archived logs are lines of the kind `note`. Compressed captures need zlib. A file of another \
            kind is named as what it is, with a way to a capture, if there is one.
            """,
            """
            `blectl-captures(7)` takes apart a device that only the application of a phone talks to: from the capture on the \
            phone to a device file and a script.
            """,
            """
            HCI packets are in a capture of blectl as they are, with zeros in place of keys. ATT packets, which blectl exchanges \
            through a socket, are wrapped as the data of a connection. Where no controller has announced that connection, LE \
            Connection Complete and Disconnection Complete are added, with a handle from 0x0E00 if the handle is not known. \
            Packets of the management interface are left out, because they may have keys.
            """,
            """
            The file is created before anything is sent; if it cannot be, the status is 73. Each packet is written at once and \
            as a whole, so that the file is complete after Ctrl-C, too. If the disk is full, blectl says so and goes on; the \
            status is 74 if the command has succeeded otherwise.
            """,
            """
            A named pipe shows the packets while they come: `mkfifo live; wireshark -k -i live & blectl --capture live scan`. \
            Its reader has to be there before. It is not waited for: packets for which it has no room are left out, and \
            counted in the file and on standard error.
            """,
            """
            A pcapng file has an interface for each adapter, and the command line as its comment, or the name of the command \
            with `--redact`. A pcap file has one adapter. The btsnoop capture of one adapter has H4 packets. From the first packet of a second adapter on, it is one of the Linux \
            monitor, as btmon writes them, whose packets have the adapter: the part before is written anew. A pipe has to be told \
            at the beginning, with `-i hci0,hci1` or `-i all`. The lines of `-v` and of `trace` then name the adapter, and it is \
            a participant of the diagram.
            """,
            """
            `--redact` is for logs that leave the lab: the lines of `-v` and `trace`, captures and diagrams tell which packet \
            passed, about which handle, how long it was and how it ended, and nothing of values, advertising data, names and keys. \
            A capture has zeros in their place. What `trace --redact` prints of another capture has no octets either. Addresses \
            stay, and so do results. An error and its record do not name the device, and those of the command line itself have an \
            ellipsis in place of the values and names that were typed there. In the reports of `run`, steps and unexpected \
            values stay; remarks and errors name no device. For one line of a shell, the option holds while the line runs, for \
            the capture of the shell, too. A command on the link of a session redacts what it writes itself; \
            `session start --redact` is for what the process of the session writes.
            """,
            """
            `--diagram FILE` draws the links and the ATT packets of the run between this host and its devices. Runs that do the \
            same have the same diagram except for the times, simulated or not. `blectl trace CAPTURE --diagram FILE` \
            draws a capture. After 5,000 packets the rest is only counted.
            """,
        ]
    )
}
