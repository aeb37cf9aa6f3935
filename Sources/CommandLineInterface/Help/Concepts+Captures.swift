// SPDX-License-Identifier: GPL-2.0-or-later

extension Concept {
    /// The files that `--capture` writes.
    package static let captures = Concept(
        "captures",
        summary: "packets as files, as lines and as diagrams, and what --redact hides",
        paragraphs: [
            """
            `--capture FILE` writes every packet of the run to a file for Wireshark and tshark: pcapng if the name \
            ends with `.pcapng`, pcap if with `.pcap`, otherwise btsnoop, which btmon reads, too. Captures of \
            simulated devices have the times of their clock. With `--no-cache`, a capture has the discovery of the \
            attributes, by which `trace` and `clone --from` know what handles are.
            """,
            """
            `blectl trace` reads these formats and PacketLogger's (`.pklg`, of macOS and iOS), with the link types \
            187, 201 and 254 in pcap and pcapng; captures one behind the other in a file; each of these compressed \
            with gzip (needs zlib); and zip archives, such as the bug report of Android, of which it reads the \
            Bluetooth logs, the oldest first. Comments and the names of archived logs are lines of the kind `note`. \
            Errors for other files name their kind, and a way to a capture, if any.
            """,
            """
            `blectl-captures(7)` leads from the capture of a phone to a device file and a script.
            """,
            """
            Captures of blectl have HCI packets as they are, with zeros in place of keys. ATT packets of a socket are \
            wrapped as data of a connection. Where no controller announced it, LE Connection Complete and \
            Disconnection Complete are added, with a handle from 0x0E00 if it is not known. Packets of the management \
            interface are left out, because they may have keys.
            """,
            """
            A file that cannot be created is status 73, before anything is sent. Each packet is written at once and \
            whole, so that the file is complete also after Ctrl-C. If the disk is full, blectl says so and goes on, \
            with status 74 instead of 0.
            """,
            """
            A named pipe shows the packets while they come: `mkfifo live; wireshark -k -i live & blectl --capture live \
            scan`. Its reader has to be there before. blectl does not wait for it: packets without room are left out, \
            and counted in the file and on standard error.
            """,
            """
            A pcapng file has an interface for each adapter, and as its comment the command line, or with `--redact` \
            the command's name. A pcap file has one adapter. A btsnoop capture of one adapter has H4 packets; from the \
            first packet of a second adapter on, it is one of the Linux monitor, as btmon writes them, with the \
            adapter of each packet, and the part before is written anew. A pipe needs `-i hci0,hci1` or `-i all` at \
            the beginning. The lines of `-v` and `trace` then name the adapter, and it is a participant of the \
            diagram.
            """,
            """
            `--redact` is for logs that leave the lab: the lines of `-v` and `trace`, captures and diagrams tell each \
            packet's kind, handle, length and outcome, but no values, advertising data, names and keys; a capture has \
            zeros in their place, and `trace --redact` of any capture prints no octets. Addresses and results stay. \
            Errors and their records do not name the device; those of the command line have an ellipsis for typed \
            values and names. Reports of `run` keep steps and unexpected values; their remarks name no device. In a \
            line of a shell, it holds while that runs, also for the shell's capture. A command on the link of a \
            session redacts what it writes itself, `session start --redact` what the session's process writes.
            """,
            """
            `--diagram FILE` draws the links and ATT packets between this host and its devices; `blectl trace CAPTURE \
            --diagram FILE` draws a capture. Runs that do the same, simulated or not, differ only in the times. After \
            5,000 packets the rest is only counted.
            """,
        ]
    )
}
