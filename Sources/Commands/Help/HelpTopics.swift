// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
package import CommandLineInterface
package import Toolkit

extension HelpTopic {
    /// What `blectl help` explains besides commands: sections of the manual, made from the same texts.
    package static func all(of commands: CommandSet) -> [HelpTopic] {
        Concept.all.map { HelpTopic($0) } + [
            HelpTopic("json", title: "json records", summary: "the records of --json, and the lines of --format") {
                RecordDocumentation(commands).ofAll
            },
            page(.formats, Concept.formats, parts(DeviceFileReference.formats)),
            page(.rig, Concept.rig, []),
            HelpTopic("environment", summary: "the variables of the environment") { [.entries(Program.environment)] },
            HelpTopic("files", summary: "what blectl keeps, and where") { [.entries(Program.files)] },
            HelpTopic("status", title: "exit status", summary: "the exit statuses") {
                [.entries(ExitStatus.documentation)]
            },
        ] + commands.table.groups.map { HelpTopic($0) }
    }

    /// A part of a page that belongs to no single command.
    private static func page(
        _ page: SharedPage,
        _ concept: Concept,
        _ parts: @autoclosure @escaping @Sendable () -> [DocumentationPart]
    ) -> HelpTopic {
        HelpTopic(concept.word, title: concept.title, summary: concept.summary, place: page.reference.text) {
            concept.parts + parts()
        }
    }

    private static func parts(_ sections: [DeviceFileReference.Section]) -> [DocumentationPart] {
        sections.flatMap { section in
            [
                .heading(section.name), .paragraphs(section.prose),
                .entries(section.entries.map { DocumentationEntry($0) }),
            ]
        }
    }
}

extension DocumentationEntry {
    /// A member, a form or a word of a file.
    init(_ entry: DeviceFileReference.Entry) {
        let isTyped = entry.type.first.map { !$0.isLowercase } ?? false
        let type = isTyped ? "`\(entry.type)`" : entry.type.prefix(1).uppercased() + entry.type.dropFirst()
        let text = [type.isEmpty ? "" : "\(type).", entry.text].filter { !$0.isEmpty }.joined(separator: " ")
        self.init(entry.term, text, entry.entries.map { DocumentationEntry($0) })
    }
}

extension Concept {
    static let formats = Concept(
        "formats",
        summary: "files with the formats of private characteristics",
        paragraphs: [
            """
            A format file names private services and characteristics, and describes their values in the terms of the \
            Bluetooth SIG. `read`, `notify`, `watch`, `inspect --values`, `write`, `decode`, `encode` and `lookup` \
            then treat them as assigned ones: names stand for UUIDs, values are decoded with their units, and fields \
            can be written. `scan` and `diff` show the names, too.
            """,
            """
            `--formats FILE` names the file. Without it, `$XDG_CONFIG_HOME/blectl/formats.json` (default `~/.config`) \
            is read if it exists. A faulty file is status 65 if `--formats` names it, otherwise 78, and `blectl \
            doctor` names the line. If this user may not enter the folder, such as the home of another user, the \
            command says so and runs without.
            """,
        ]
    )

    /// What tests are written with.
    static let rig = Concept(
        "rig",
        summary: "tests of devices, by scripts, bats and pytest",
        paragraphs: [
            """
            `blectl run` has a language for tests, with reports for CI servers: `blectl-script(5)`. In tests for bats \
            or pytest, blectl is a command with records and exit statuses, and `blectl session` holds the connection \
            between its calls. Against simulated devices, `$BLECTL_SIMULATE` has a device file, or the socket of \
            `blectl simulate serve`.
            """
        ]
    )
}
