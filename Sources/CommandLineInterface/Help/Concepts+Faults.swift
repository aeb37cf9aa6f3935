// SPDX-License-Identifier: GPL-2.0-or-later

extension Concept {
    /// The sentences of `--fault`, which `FaultParser` reads.
    package static let faults = Concept(
        "faults",
        summary: "the sentences of --fault",
        paragraphs: [
            """
            A fault is a sentence that names an event, a colon, and what happens: `--fault 'read battery-level: error 0x0e \
            after 2s once'`. `device 'Pulse HR':` before it names the device by its name, its label or its address; without \
            it, every device has the fault. Conditions may stand before the colon and at the end.
            """,
            """
            The events at a device are `read`, `write`, `subscribe`, `discover-services`, `discover-characteristics` and \
            `mtu`, or `request` for any of them, and `notify` and `indicate`, or `update` for both. `read`, `write`, \
            `subscribe`, `request` and the updates take a characteristic: its assigned name, its UUID, its label in a \
            device file, or its name in the file of `--formats`. The events of the radio are `scan`, which is an advertisement, `connect`, `disconnect` and `rssi`; \
            only simulated devices have them, except that `serve` can refuse connections.
            """,
            """
            The devices of a world that processes share have the faults of its files: `faults` of a device file, or of a \
            place in a world file (`blectl-device(5)`).
            """,
        ],
        entries: [
            DocumentationEntry(
                "delay TIME",
                "The event happens later: `scan`, `connect`, `disconnect`, `rssi`, requests, updates."
            ),
            DocumentationEntry(
                "error [CODE] [after TIME]",
                """
                A request is refused with an ATT error, given by its number or its name (`insufficient-encryption`). \
                `connect: refuse` fails with the status of a controller; `disconnect` and `rssi` can have an error, too.
                """
            ),
            DocumentationEntry(
                "no answer",
                "The request is carried out, and not answered. A connection is never made."
            ),
            DocumentationEntry(
                "lose",
                "The request does not reach the device, the update or the advertisement not blectl."
            ),
            DocumentationEntry("wrong opcode CODE", "The answer or the update has another opcode."),
            DocumentationEntry(
                "truncate to NUMBER",
                "The answer, the update or the advertising data have that many octets at most."
            ),
            DocumentationEntry(
                "oversize to NUMBER",
                """
                The answer or the update is filled with zeros up to that many octets. blectl drops an update that is too long or \
                malformed: it tells the first one, and their number at the end.
                """
            ),
            DocumentationEntry(
                "drop [WHEN] [TIME] [with REASON]",
                """
                The link ends in place of the event (`before`), or `after` it. With `connection-timeout` the device falls \
                silent; otherwise it hangs up. `connect: drop after 20s` lets each link last 20 s.
                """
            ),
            DocumentationEntry("duplicate", "The answer, the update or the advertisement comes twice."),
            DocumentationEntry("reorder", "The answer or the update comes after the next one."),
            DocumentationEntry(
                "pause [for TIME]",
                """
                Answers, updates and connections are held for a time, and then come together; without a time, until they are \
                released.
                """
            ),
            DocumentationEntry(
                "report NUMBER",
                "The signal of an advertisement, or of `rssi`, has that strength; 127 is unknown."
            ),
            DocumentationEntry(
                "#3, #3-5, #3-",
                "Condition: only the third event, the third to the fifth, the third and later ones."
            ),
            DocumentationEntry("every 3rd", "Condition: only every third event."),
            DocumentationEntry("once, twice, 5 times", "Condition: not more often."),
            DocumentationEntry(
                "10%",
                "Condition: with this probability. The same `--simulate-seed` gives the same run."
            ),
            DocumentationEntry(
                "from TIME, until TIME",
                "Condition: in this time after the start. Other events are not counted."
            ),
            DocumentationEntry("per connection", "Events are counted anew on each connection, and not in all."),
        ],
        remarks: [
            """
            Events are counted by each fault for itself. If an event meets several faults, the first one that is due acts. A \
            write without response has no answer, so that only `delay`, `duplicate`, `lose`, `error` and `drop` act on it. A \
            fault that never acted is told at the end.
            """
        ]
    )
}
