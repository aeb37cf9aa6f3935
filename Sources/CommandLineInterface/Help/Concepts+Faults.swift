// SPDX-License-Identifier: GPL-2.0-or-later

extension Concept {
    /// The sentences of `--fault`, which `FaultParser` reads.
    package static let faults = Concept(
        "faults",
        summary: "the sentences of --fault",
        paragraphs: [
            """
            A fault is an event, a colon, and what happens: `--fault 'read battery-level: error 0x0e after 2s once'`. \
            `device 'Pulse HR':` before it limits it to one device, by name, label or address. Conditions may stand \
            before the colon and at the end.
            """,
            """
            Events at a device are `read`, `write`, `subscribe`, `discover-services`, `discover-characteristics`, \
            `mtu`, or `request` for any of them, and `notify`, `indicate`, or `update` for both. `read`, `write`, \
            `subscribe`, `request` and updates take a characteristic: its assigned name, its UUID, its label in a \
            device file, or its name in the file of `--formats`. Events of the radio are `scan` (an advertisement), \
            `connect`, `disconnect` and `rssi`: for simulated devices only, but `serve` can refuse connections.
            """,
            """
            Devices of a shared world have the `faults` of its files: such sentences, or objects (`blectl-device(5)`).
            """,
        ],
        entries: [
            "delay TIME": "The event happens later: `scan`, `connect`, `disconnect`, `rssi`, requests, updates.",
            "error [CODE] [after TIME]": """
            A request is refused with an ATT error, by number or name (`insufficient-encryption`). `connect: \
            refuse` fails with the status of a controller; `disconnect` and `rssi` can have an error, too.
            """,
            "no answer": "The request is carried out, but not answered; a connection is never made.",
            "lose": "The request does not reach the device, the update or the advertisement not blectl.",
            "wrong opcode CODE": "The answer or the update has another opcode.",
            "truncate to NUMBER": "The answer, update or advertising data have at most that many octets.",
            "oversize to NUMBER": """
            The answer or update is filled with zeros up to that many octets. blectl drops an update that is too \
            long or malformed: it reports the first, and their number at the end.
            """,
            "drop [WHEN] [TIME] [with REASON]": """
            The link ends in place of the event (`before`), or `after` it. With `connection-timeout` the device \
            falls silent, otherwise it hangs up. `connect: drop after 20s` lets each link last 20 s.
            """,
            "duplicate": "The answer, the update or the advertisement comes twice.",
            "reorder": "The answer or the update comes after the next one.",
            "pause [for TIME]": """
            Answers, updates and connections are held for a time, or until they are released, and then come \
            together.
            """,
            "report NUMBER": "An advertisement, or `rssi`, has that signal strength; 127 is unknown.",
            "#3, #3-5, #3-": "Condition: the third event, the third to fifth, from the third on.",
            "every 3rd": "Condition: every third event.",
            "once, twice, 5 times": "Condition: not more often.",
            "10%": "Condition: with this probability. The same `--simulate-seed` gives the same run.",
            "from TIME, until TIME": "Condition: in this time after the start; other events are not counted.",
            "per connection": "Events are counted anew on each connection.",
        ],
        remarks: [
            """
            Each fault counts events for itself. If an event meets several faults, the first that is due acts. Only \
            `delay`, `duplicate`, `lose`, `error` and `drop` act on a write without response. A fault that never acted \
            is reported at the end.
            """
        ]
    )
}
