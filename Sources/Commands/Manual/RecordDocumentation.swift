// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Terminal
import Toolkit

/// The documentation of the JSON records: that of all commands, which `blectl(1)` and `blectl help json` have, and that of
/// one, for its page.
///
/// Each thing is described once: a kind of record that several commands print, and an object that many records have, in
/// `blectl(1)`.
struct RecordDocumentation {
    private let commands: CommandSet
    /// The objects that many records have, by their names.
    private let shared: [(name: String, keys: [RecordKey])]

    /// An object in the records of so many commands is described once.
    private static let many = 3

    init(_ commands: CommandSet) {
        self.commands = commands
        var found: [(object: RecordKey, commands: Set<String>)] = []
        for record in commands.records {
            let names = commands.commands(printing: record).map(\.rawValue)
            for key in record.keys.flatMap(\.withNested) where !key.type.keys.isEmpty {
                if let index = found.firstIndex(where: { $0.object.isSameObject(as: key) }) {
                    found[index].commands.formUnion(names)
                } else {
                    found.append((key, Set(names)))
                }
            }
        }
        shared = found.filter { $0.commands.count >= Self.many }.map { ($0.object.name, $0.object.type.keys) }
    }

    /// The section of `blectl(1)`.
    var ofAll: [DocumentationPart] {
        let records = commands.records.filter { !$0.isCommon }
        let several = records.filter { commands.commands(printing: $0).count > 1 }
        return [
            .paragraphs([
                """
                With `--json` each line of standard output is one object. Its keys are sorted, and every record of a \
                kind has all of its keys, with null for those that are unknown or do not apply. Every record has these:
                """
            ]),
            .entries(entries(RecordSchema.commonKeys)),
            .paragraphs([
                """
                With `--timing` the records of the commands that scan or connect have one more member. It counts from the \
                beginning of the command until the record; in `script-step` it counts what passes from the beginning of the step to \
                its end, and in a line of `shell` what passes meanwhile on the link that the line uses:
                """
            ]),
            .entries(entries([RecordSchema.timing])),
            .paragraphs([
                """
                `blectl help --json-schema` prints the JSON Schema of all records, with its version; `blectl version \
                --json` has the version as `record_schema`.
                """,
                """
                The other keys depend on the kind. The page of the command that prints it describes them; where several do, \
                they are below. A key of an object has that before a dot, as `--format` and scripts write it, and `[]` \
                stands for each element of an array:
                """,
            ]),
            .entries(
                records.map { record in
                    let pages = commands.commands(printing: record).map { "`\(Program.name)-\($0.rawValue)(1)`" }
                    let all =
                        pages.count > Self.listedPages
                        ? "the pages of all commands that connect" : Prose.list(pages, "and")
                    return DocumentationEntry(record.type, "\(Markup.sentence(record.summary)) See \(all).")
                }
            ),
            .paragraphs([
                """
                Every command can fail, and then prints one more kind, beside the text on standard error: one record for \
                each failure. A failure of the whole command is its last record. A command that a signal has ended prints \
                none.
                """
            ]),
        ] + parts(.error) + [.heading("Objects of many records")]
            + [.entries(shared.flatMap { entries($0.keys, in: "\($0.name).") })]
            + several.flatMap(parts)
            + [.heading("Lines by a template"), .paragraphs(Program.templates)]
    }

    /// More commands than these are not listed behind a kind of record.
    private static let listedPages = 4

    /// The section of the page of a command.
    func parts(of command: CommandName) -> [DocumentationPart] {
        let records = commands.records(of: command).filter { !$0.isCommon }
        let own = records.filter { commands.commands(printing: $0).count == 1 }
        let others = records.filter { commands.commands(printing: $0).count > 1 }.map { "`\($0.type)`" }
        let reference =
            others.isEmpty
            ? "" : " It also describes \(others.count == 1 ? "the kind" : "the kinds") \(Prose.list(others, "and"))."
        let common = "The keys of every record, and the record of a failure, are in JSON RECORDS in `blectl(1)`."
        return [.paragraphs([common + reference])] + own.flatMap(parts)
    }

    private func parts(_ record: RecordSchema) -> [DocumentationPart] {
        [.heading(record.type), .paragraphs([Markup.sentence(record.summary)]), .entries(entries(record.keys))]
    }

    // MARK: - Keys

    /// The keys with those of their objects, each by its path.
    private func entries(_ keys: [RecordKey], in path: String = "") -> [DocumentationEntry] {
        keys.flatMap { key in
            let isShared = shared.contains { $0.name == key.name && key.hasKeys($0.keys) }
            let name = path + key.name
            let type = "(\(key.type.description)\(key.isNullable ? " or null" : ""))"
            let reference = isShared && path.isEmpty ? " `blectl(1)` has its keys." : ""
            let entry = DocumentationEntry(name, "\(type) \(Markup.sentence(key.meaning))\(reference)")
            return [entry] + (isShared ? [] : entries(key.type.keys, in: name + (key.type.isArray ? "[]." : ".")))
        }
    }
}

extension RecordKey {
    /// The key, and those of its object.
    fileprivate var withNested: [RecordKey] { [self] + type.keys.flatMap(\.withNested) }

    fileprivate func isSameObject(as other: RecordKey) -> Bool { name == other.name && hasKeys(other.type.keys) }

    fileprivate func hasKeys(_ keys: [RecordKey]) -> Bool {
        type.keys.map { "\($0.name) \($0.meaning)" } == keys.map { "\($0.name) \($0.meaning)" }
    }
}

extension RecordType {
    fileprivate var isArray: Bool {
        switch self {
        case .array: true
        case .optional(let type): type.isArray
        default: false
        }
    }
}
