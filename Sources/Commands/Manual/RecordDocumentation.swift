// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// The documentation of the JSON records: that of all commands, which `blectl(1)` and `blectl help json` have, and that of
/// one, for its page.
///
/// Each thing is described once: in `blectl(1)` a kind of record that several commands print, and a key or an object that
/// many records have; and on a page a key that several of its records have.
struct RecordDocumentation {
    private let commands: CommandSet
    /// The objects that many records have, by their names.
    private let shared: [(name: String, keys: [RecordKey])]
    /// The keys that the records of many pages have, the same in each.
    private let sharedKeys: [RecordKey]

    /// An object in the records of so many commands, or a key on so many pages, is described once.
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
        // An error has its keys in `blectl(1)`, each with a meaning of its own.
        var keys: [(key: RecordKey, pages: Set<String>)] = []
        for record in commands.records where !record.isCommon {
            let names = commands.commands(printing: record).map(\.rawValue)
            let page = names.count == 1 ? names[0] : Program.name
            for key in record.keys {
                if let index = keys.firstIndex(where: { $0.key.isSame(as: key) }) {
                    keys[index].pages.insert(page)
                } else {
                    keys.append((key, [page]))
                }
            }
        }
        // Of several meanings of a name, one can be named by the name alone.
        sharedKeys = keys.filter { found in
            found.pages.count >= Self.many
                && !keys.contains { $0.key.name == found.key.name && $0.pages.count > found.pages.count }
        }.map(\.key)
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
                The other keys depend on the kind, which the page of its command describes. A key of an object has that \
                before a dot, as `--format` and scripts write it, and `[]` stands for each element of an array.
                """,
            ]),
            .entries(pages(of: records)),
            .paragraphs([
                """
                Every command can fail, and prints a record of the kind `error` for each failure, beside the text on standard \
                error. A failure of the whole command is its last record. A command that a signal has ended prints none.
                """
            ]),
        ] + parts(.error) + [.heading("Keys of many records"), .entries(entries(sharedKeys))]
            + [.entries(shared.flatMap { entries($0.keys, in: "\($0.name).") })]
            + parts(several, on: "above")
            + [.heading("Lines by a template"), .paragraphs(Program.templates)]
    }

    /// The pages of commands with the kinds of records that they print, and the kinds that are described in `blectl(1)`.
    private func pages(of records: [RecordSchema]) -> [DocumentationEntry] {
        let several = records.filter { commands.commands(printing: $0).count > 1 }
        let own = commands.table.names.compactMap { name -> DocumentationEntry? in
            let kinds = commands.records(of: name).filter { !$0.isCommon && commands.commands(printing: $0).count == 1 }
            guard !kinds.isEmpty else { return nil }
            return DocumentationEntry("\(Program.name)-\(name.rawValue)(1)", Self.list(kinds.map(\.type)) + ".")
        }
        return own + [DocumentationEntry("below", Self.list(several.map(\.type)) + ".")]
    }

    private static func list(_ words: [String]) -> String { words.map { "`\($0)`" }.joined(separator: ", ") }

    /// The section of the page of a command.
    func parts(of command: CommandName) -> [DocumentationPart] {
        let records = commands.records(of: command).filter { !$0.isCommon }
        let own = records.filter { commands.commands(printing: $0).count == 1 }
        let others = records.filter { commands.commands(printing: $0).count > 1 }.map(\.type)
        let reference = others.isEmpty ? [] : ["`blectl(1)` describes \(Self.list(others))."]
        return [.paragraphs(reference)] + parts(own)
    }

    /// Kinds of records, each with what the ones before it have not described.
    ///
    /// - Parameter sharedPlace: Where the keys of many records are, as in "as in `blectl(1)`".
    private func parts(_ records: [RecordSchema], on sharedPlace: String = "in `blectl(1)`") -> [DocumentationPart] {
        records.indices.flatMap { parts(records[$0], after: records[..<$0], sharedPlace) }
    }

    private func parts(_ record: RecordSchema, after others: ArraySlice<RecordSchema> = [], _ sharedPlace: String = "")
        -> [DocumentationPart]
    {
        var places: [(place: String, keys: [String])] = []
        var own: [RecordKey] = []
        for key in record.keys {
            let place =
                sharedKeys.contains { $0.isSame(as: key) } && !record.isCommon
                ? sharedPlace : others.first { $0.keys.contains { $0.isSame(as: key) } }.map { "in `\($0.type)`" }
            guard let place else {
                own.append(key)
                continue
            }
            if let index = places.firstIndex(where: { $0.place == place }) {
                places[index].keys.append(key.name)
            } else {
                places.append((place, [key.name]))
            }
        }
        let references = places.map { "As \($0.place): \(Self.list($0.keys))." }
        return [
            .heading(record.type),
            .paragraphs([([Markup.sentence(record.summary)] + references).joined(separator: " ")]),
            .entries(entries(own)),
        ]
    }

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

    /// Whether both have the same documentation, with all keys of their objects.
    fileprivate func isSame(as other: RecordKey) -> Bool {
        name == other.name && isNullable == other.isNullable && meaning == other.meaning
            && type.description == other.type.description
            && type.keys.elementsEqual(other.type.keys) { $0.isSame(as: $1) }
    }

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
