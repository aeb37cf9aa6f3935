// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import CommandLineInterface
import Scripting
import Terminal
import Toolkit

/// A manual page whose prose is in a file and not in the program, because no text of the program needs it:
/// `man/pages/blectl-rig.7`.
///
/// The file is `mdoc(7)` whose text has the markup of the command table, in which an empty line is `.Pp`, and the terms of
/// `.It Li` and the titles of `.Ss` are typed text. In a text, `@{NAME}` is a value of the program. A line that begins with
/// `@` is replaced:
/// - `@file PATH`: the lines of a file of the repository, without that of its licence;
/// - `@table NAME`: a part of the page that the program knows;
/// - `@paragraph TOPIC NUMBER`: a paragraph of what `blectl help` has of a topic;
/// - `@see PAGE...`: the section with the related pages, and these.
struct ManualSource {
    let page: SharedPage
    let commands: CommandTable
    let read: GeneratedFile.Read

    func text() throws(BlectlError) -> String {
        let reference = page.reference
        var troff = Troff()
        ManualPage.begin(reference, &troff)
        var paragraph: [Substring] = []
        var isLiteral = false
        for line in try lines("man/pages/\(reference.fileName)") {
            let isPlace = line.hasPrefix("@") && !line.hasPrefix("@{")
            if isLiteral, !isPlace, line != ".Ed" {
                troff.literal(String(line))
            } else if line.hasPrefix(".") || line.isEmpty || isPlace {
                if !paragraph.isEmpty { troff.paragraph(try withValues(paragraph.joined(separator: " "))) }
                paragraph = []
                if isPlace {
                    try replace(line.split(separator: " "), &troff)
                } else if !line.hasPrefix(".\\\"") {
                    add(String(line.dropFirst()), &troff)
                    isLiteral = line.hasPrefix(".Bd")
                }
            } else {
                paragraph.append(line)
            }
        }
        return troff.text
    }

    /// Writes a line with a macro, or an empty one.
    private func add(_ line: String, _ troff: inout Troff) {
        let macro = ["It Li ", "Ss "].first { line.hasPrefix($0) }
        guard let macro else { return troff.macro(line.isEmpty ? "Pp" : line) }
        troff.macro(macro + Troff.term(String(line.dropFirst(macro.count))))
    }

    private func lines(_ path: String) throws(BlectlError) -> [Substring] {
        try read(path).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }

    private func replace(_ words: [Substring], _ troff: inout Troff) throws(BlectlError) {
        switch words[0] {
        case "@file":
            let licences = ["# SPDX-License-Identifier: ", "// SPDX-License-Identifier: "]
            for line in try lines(words.dropFirst().joined(separator: " "))
            where !licences.contains(where: line.hasPrefix) {
                troff.literal(String(line))
            }
        case "@see":
            let pages = words.dropFirst().map { word in
                let parts = word.dropLast().split(separator: "(")
                return ManualReference(String(parts[0]), parts.count > 1 ? Int(parts[1]) ?? 1 : 1)
            }
            ManualPage.refer(to: page.related(pages), &troff)
        case "@table" where words.count == 2: try table(words[1], &troff)
        case "@paragraph" where words.count == 3:
            let concept = [Concept.formats, .rig].first { $0.word == words[1] }
            guard let concept, let number = Int(words[2]), concept.paragraphs.indices.contains(number - 1) else {
                throw unknown(words.joined(separator: " "))
            }
            troff.paragraph(concept.paragraphs[number - 1])
        default: throw unknown(words.joined(separator: " "))
        }
    }

    private func table(_ name: Substring, _ troff: inout Troff) throws(BlectlError) {
        switch name {
        case "device": for section in DeviceFileReference.device { describe(section, &troff) }
        case "world": describe(DeviceFileReference.world, &troff)
        case "formats": for section in DeviceFileReference.formats { describe(section, &troff) }
        default: throw unknown("@table \(name)")
        }
    }

    private func withValues(_ text: String) throws(BlectlError) -> String {
        let parts = text.split(at: "@{", omittingEmptySubsequences: false)
        var result = String(parts[0])
        for part in parts.dropFirst() {
            let ends = part.split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
            guard ends.count == 2, let value = value(ends[0]) else { throw unknown("@{\(ends[0])}") }
            result += value + ends[1]
        }
        return result
    }

    private func value(_ name: Substring) -> String? {
        switch name {
        case "commands": Prose.list(ScriptCommand.all(of: commands).map { "`\($0.rawValue)`" }, "and")
        case "fileMiB": "\(ScriptLimits.fileSize >> 20)"
        case "totalMiB": "\(ScriptLimits.totalSize >> 20)"
        case "statements": "\(ScriptLimits.statements)"
        case "octets": "\(ScriptLimits.lineLength)"
        case "words": "\(ScriptLimits.words)"
        case "nesting": "\(ScriptLimits.nesting)"
        case "steps": "\(ScriptLimits.runs)"
        case "problems": "\(ScriptLimits.problems)"
        case "results": "\(ScriptStream.limit)"
        default: nil
        }
    }

    private func unknown(_ place: String) -> BlectlError {
        BlectlError(.badData, "\(page.reference.fileName) has '\(place)', which has no meaning")
    }

    private func describe(_ section: DeviceFileReference.Section, _ troff: inout Troff) {
        troff.macro("Ss \(section.name)")
        ManualPage.describe(section.prose, &troff)
        if !section.entries.isEmpty { troff.macro("Pp") }
        list(section.entries.map { DocumentationEntry($0) }, &troff)
    }

    private func list(_ entries: [DocumentationEntry], _ troff: inout Troff) {
        troff.list(entries, width: "16n", compact: true) { troff, entry in
            troff.macro("It Li \(Troff.term(entry.term))")
            troff.paragraph(entry.text)
            list(entry.entries, &troff)
        }
    }
}
