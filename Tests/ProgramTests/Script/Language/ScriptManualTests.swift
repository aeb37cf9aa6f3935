// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@testable import Scripting

@Suite("The manual of scripts")
struct ScriptManualTests {
    /// The definitions that the examples of the entries refer to.
    private static let prelude = """
        device strap --name 'Pulse *'
        read strap battery-level as level
        notify strap heart-rate-measurement as beats
        scan as ads

        """

    /// A form in the source of the page, and the lines that show it.
    private struct Entry {
        let term: String
        let example: String

        /// The entries of a part of the page.
        static func all(in text: String) -> [Entry] {
            text.components(separatedBy: "\n.It Li ").dropFirst().map { part in
                let display = part.components(separatedBy: "\n.Bd -literal -offset indent\n").dropFirst().first
                let example = display?.components(separatedBy: "\n.Ed")[0]
                return Entry(term: String(part.prefix { $0 != "\n" }), example: example ?? "")
            }
        }
    }

    private static let source = ManualExample.contents(of: "man/pages/blectl-script.5") ?? ""
    private static let entries = Entry.all(in: source)
    private static let streamEntries = Entry.all(
        in: source.components(separatedBy: "\n.Sh ").first { $0.hasPrefix("STREAMS\n") } ?? ""
    )

    @Test("every example of a construct is read", arguments: Self.entries.indices)
    func constructs(_ index: Int) throws {
        let example = Self.entries[index].example
        let isFirst = example.hasPrefix("language")
        let text = isFirst ? "\(example)\npause 1" : Self.prelude + example
        let script = try ScriptText.read(text, with: ["common/login.blectl": "pause 1"])
        #expect(!script.setup.isEmpty || !script.tests.isEmpty)
    }

    /// Also those that look at advertisements behind a link.
    @Test("every example of a stream passes", arguments: Self.streamEntries.indices)
    func streams(_ index: Int) throws {
        let script = try ScriptText.read(Self.prelude + Self.streamEntries[index].example)
        let result = try ScriptBench.run(script)
        #expect(result.verdicts == ["passed"], "\(result.firstLines)")
    }

    @Test("every example is read", arguments: ManualExample.scripts.indices)
    func examples(_ index: Int) throws {
        let example = ManualExample.scripts[index]
        #expect(try !ScriptText.read(example.text).tests.isEmpty)
        #expect(example.lines.count == 1 && example.lines.allSatisfy { $0.utf8.count <= 69 })
    }

    @Test("every keyword has a form that begins with it, and a place in the manual")
    func keywords() {
        let terms = Self.entries.map(\.term)
        #expect(Self.streamEntries.count == 5)
        for keyword in ScriptKeyword.allCases where keyword != .end {
            #expect(keyword.form.hasPrefix(keyword.rawValue))
            #expect(terms.contains(keyword.form))
        }
    }
}
