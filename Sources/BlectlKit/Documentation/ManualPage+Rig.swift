// SPDX-License-Identifier: GPL-2.0-or-later

extension ManualPage {
    /// `blectl-rig(7)`: several machines, and CI servers.
    static var rig: ManualPage {
        ManualPage(
            title: "\(Program.name)-rig",
            section: 7,
            summary: "several machines with Bluetooth, and tests on them"
        ) { page in
            page.macro("Sh DESCRIPTION")
            describe(RigPage.discussion, &page)
            page.macro("Sh TOPICS")
            describe(RigPage.topics, &page)
            page.list(RigPage.layout) { page, entry in
                page.macro("It Li \(Troff.typed(entry.term))")
                page.paragraph(entry.text)
            }
            page.macro("Sh THE BROKER AND THE RIGS")
            show(RigExample.publishing, &page)
            page.macro("Pp")
            page.paragraph(RigPage.setup)
            show(RigPage.commands, &page)
            page.macro("Sh THE COLLECTOR")
            describe(RigPage.collector, &page)
            show(RigPage.collecting, &page)
            page.macro("Sh WHAT CAN BE LOST")
            describe(RigPage.losses, &page)
            page.macro("Sh TESTS")
            describe(RigPage.tests, &page)
            show(RigExample.tests, &page)
            page.macro("Sh FILES")
            page.macro("Bl -tag -width Ds")
            page.macro("It Pa /usr/share/doc/blectl/examples")
            page.paragraph("The files of this page. `make install` puts them below `/usr/local/share` instead.")
            page.macro("El")
            refer(to: SharedPage.rig.related([SharedPage.script.reference] + RigPage.tools), &page)
        }
    }

    private static func show(_ examples: [RigExample], _ page: inout Troff) {
        for example in examples {
            page.macro("Ss \(Troff.typed(example.file))")
            page.paragraph(example.explanation)
            show(example.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init), &page)
        }
    }

    private static func show(_ lines: [String], _ page: inout Troff) {
        page.macro("Bd -literal -offset indent")
        for line in lines { page.literal(line) }
        page.macro("Ed")
    }
}

/// The prose of `blectl-rig(7)`.
enum RigPage {
    /// The pages of the other programs.
    static let tools = [
        ManualReference("bats", 1), ManualReference("mosquitto_pub", 1), ManualReference("mosquitto_sub", 1),
        ManualReference("mosquitto.conf", 5), ManualReference("systemd.service", 5),
    ]

    static let discussion = [
        """
        Where one machine is not enough, because devices are in several rooms or because several adapters are to be apart, each \
        machine runs blectl and publishes its records to one MQTT broker. blectl has no server for that: its records are lines, \
        and the stock clients of mosquitto publish lines.
        """,
        "The second part of this page is for tests that a CI server runs on such a machine.",
    ]

    static let topics = [
        """
        A rig is a machine, and the name of a rig is that of its user at the broker. A stream is one command on it. Each has a \
        name without `/`, `+` and `#`.
        """
    ]

    static let layout = [
        DocumentationEntry("blectl/RIG/STREAM/records", "One record each message, with quality of service 1."),
        DocumentationEntry(
            "blectl/RIG/STREAM/status",
            """
            A retained text: `online`; `ended STATUS` with the exit status of the command; or `lost`, which is the last will, if \
            the machine, its network or the publisher went away without a word.
            """
        ),
    ]

    static let setup = """
        On the broker, once, and for each rig a user. Then on the rig, where `strap` is the name of a stream:
        """

    /// The setup. A test types it.
    static let commands = [
        "cd /usr/share/doc/blectl/examples",
        "sudo install -m 644 broker.conf /etc/mosquitto/conf.d/rigs.conf",
        "sudo install -m 644 rigs.acl /etc/mosquitto/rigs.acl",
        "sudo mosquitto_passwd -b -c /etc/mosquitto/rigs.passwords collector SECRET",
        "sudo mosquitto_passwd -b /etc/mosquitto/rigs.passwords rig-1 SECRET",
        "sudo systemctl restart mosquitto",
        "",
        "cd /usr/share/doc/blectl/examples",
        "sudo install -m 755 blectl-publish /usr/local/bin/blectl-publish",
        "sudo install -m 644 blectl-rig@.service /etc/systemd/system/",
        "sudo install -d /etc/blectl-rig",
        "printf '%s\\n' '-h broker' '-u rig-1' '-P SECRET' |",
        "    sudo install -m 600 /dev/stdin /etc/blectl-rig/mosquitto_pub",
        "echo \"blectl watch heart-rate -d 'Pulse HR' --reconnect --json\" |",
        "    sudo install -m 644 /dev/stdin /etc/blectl-rig/strap",
        "sudo systemctl enable --now blectl-rig@strap",
    ]

    static let collector = [
        """
        A collector with a name of its own, `-i`, and a lasting session, `-c`, gets what came while it was away. Here it is \
        registered once, then it prints each topic and record. The last line asks for the states of all rigs:
        """
    ]

    /// The commands of a collector. A test types them.
    static let collecting = [
        "mosquitto_sub -i collector -c -q 1 -t 'blectl/+/+/records' -E",
        "mosquitto_sub -i collector -c -q 1 -t 'blectl/+/+/records' -F '%t %p'",
        "mosquitto_sub -t 'blectl/+/+/status' --retained-only -F '%t %p' -W 2",
    ]

    static let losses = [
        """
        What the broker has acknowledged reaches each registered collector, also if the rig dies, the collector is away, or the \
        broker is stopped and started again. Records that a rig had not sent when its publisher died are lost, as are the last \
        ones that a broker had when it was killed. While the broker is away, a publisher keeps the records, and sends them when \
        it is back.
        """,
        """
        A message can come twice, after a broken connection. Its record is the same, octet for octet: `monotonic_ns` tells. A rig \
        whose user may not write the topic gets an error for each record, and the publisher says so on standard error; that is \
        why it speaks MQTT 5.
        """,
    ]

    static let tests = [
        """
        `blectl run` has a language for tests, with reports for CI servers: `blectl-script(5)`. Where tests are written for bats \
        or pytest already, blectl is a command with records and exit statuses as any other, and `blectl session` holds the \
        connection between its calls. All of it runs against simulated devices, too: with a device file, or the socket of a \
        world that `blectl simulate serve` serves, in `$BLECTL_SIMULATE`.
        """
    ]
}
