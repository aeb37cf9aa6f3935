// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Records
@testable import Toolkit

@Suite("Manual pages")
struct ManualPageTests {
    /// A page as `make man` writes it.
    struct Page {
        let fileName: String
        let text: String
    }

    static let pages: [Page] = GeneratedFile.all(of: .all).filter { !$0.path.hasSuffix(".json") }.map { file in
        let text = try? GeneratedFileTests.contents(of: file)
        return Page(fileName: String(file.path.dropFirst("man/".count)), text: text ?? "")
    }

    @Test("there is a page for blectl, for each command, and for shared topics")
    func files() {
        let commands = CommandSet.all.table.names.map { "blectl-\($0.rawValue).1" }
        let shared = ["blectl-device.5", "blectl-formats.5", "blectl-script.5", "blectl-captures.7", "blectl-rig.7"]
        #expect(Self.pages.map(\.fileName) == ["blectl.1"] + commands + shared)
    }

    @Test("the pages of files, captures and rigs are referenced, and refer back", arguments: SharedPage.allCases)
    func references(shared: SharedPage) throws {
        let reference = shared.reference
        let page = try #require(Self.pages.first { $0.fileName == reference.fileName })
        #expect(ManualPage.program(.all).text.contains(".Xr \(reference.title) \(reference.section)"))
        #expect(!shared.commands.isEmpty)
        for word in shared.commands {
            let command = try #require(CommandSet.all.table.name(word))
            #expect(ManualPage(of: command.spec, in: .all).text.contains(".Xr \(reference.title) \(reference.section)"))
            #expect(HelpText(command).full(width: 100).contains(reference.text))
            #expect(page.text.contains(".Xr blectl-\(command.rawValue) 1"))
        }
    }

    @Test("a page refers to others in the order of sections and titles, once each")
    func referenceOrder() {
        for page in Self.pages {
            let references = page.text.split(separator: "\n").filter { $0.hasPrefix(".Xr ") }.map { line in
                let words = line.split(separator: " ")
                return ManualReference(String(words[1]), Int(words[2]) ?? 0)
            }
            #expect(!references.isEmpty && references == ManualReference.sorted(references), "\(page.fileName)")
            #expect(Set(references).count == references.count, "\(page.fileName)")
        }
    }

    @Test("typed words and program names keep their case")
    func typedWords() {
        let simulate = ManualPage(of: CommandName.simulate.spec, in: .all).text
        #expect(simulate.contains("\n\\fBon|off\\fP: power all adapters on or off.\n"))
        let program = ManualPage.program(.all).text
        #expect(program.contains("\n\\fBblectl\\fP lacks the capabilities"))
        #expect(program.contains("\n\\fBbluetoothd\\fP manages it"))
        #expect(HelpText(.simulate).full().contains(" on|off: power all adapters on or off"))
        for page in Self.pages {
            #expect(!page.text.contains(/\n(Blectl|Bluetoothd|On\|)/), "\(page.fileName)")
        }
    }

    @Test("blectl(1) names the files that must not be deleted carelessly")
    func keys() throws {
        let entry = try #require(Program.files.first { $0.term == "$XDG_STATE_HOME/blectl" })
        for name in ["devices.json", "bonds", "identity", "history", "simulated"] {
            #expect(entry.text.contains("`\(name)`"), "\(name)")
        }
        #expect(entry.text.contains("Deleting `bonds` forgets every pairing"))
    }

    @Test("blectl(1) has every variable that sets a folder")
    func folders() {
        let variables = Set(Program.environment.map(\.term))
        for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"] {
            #expect(variables.contains(variable))
            #expect(Program.files.contains { $0.term.hasPrefix("$\(variable)/blectl") }, "\(variable)")
        }
        // A default without its variable would be wrong for those who have set it.
        for page in Self.pages {
            for folder in ["\\(ti/.config/blectl", "\\(ti/.local/state/blectl", "\\(ti/.cache/blectl"] {
                let isNamed = page.text.contains("$XDG_")
                #expect(!page.text.contains(folder) || isNamed, "\(page.fileName)")
            }
        }
    }

    @Test("a variable is ignored beside an option that excludes it")
    func variables() {
        let device = DeviceSpec.device.spec.description
        #expect(device.hasSuffix(" `$BLECTL_DEVICE` is used if neither it nor `--name` nor `--service` is given."))
        let world = GlobalSpec.simulate.spec.description
        #expect(world.hasSuffix(" `$BLECTL_SIMULATE` is used if neither it nor `--radio` is given."))
    }

    @Test(
        "TIME AND COUNT LIMITS names every command that has a number and a time",
        arguments: CommandSet.all.table.names
    )
    func limits(command: CommandName) throws {
        let options = Set(command.spec.options.map(\.long))
        guard options.isSuperset(of: ["count", "duration"]) else { return }
        let entry = try #require(Concept.limits.entries.first { $0.term == "--count NUMBER" })
        #expect(entry.text.contains("`\(command.rawValue)`"))
    }

    @Test("blectl-device(5) has every type, every member and every word of the schema")
    func deviceFile() throws {
        let text = try #require(Self.pages.first { $0.fileName == "blectl-device.5" }).text
        func check(_ entries: [DeviceFileReference.Entry]) {
            for entry in entries {
                #expect(text.contains(".It Li \(Troff.term(entry.term))\n"), "\(entry.term)")
                check(entry.entries)
            }
        }
        for section in DeviceFileReference.device + [DeviceFileReference.world] {
            #expect(text.contains(".Ss \(section.name)\n"))
            #expect(!section.entries.isEmpty || section.name == "ACTIONS", "\(section.name)")
            // What several types have is described once.
            let terms = section.entries.map(\.term)
            #expect(section.name == "GENERATOR" || !terms.contains("{\"ramp\": ...}"), "\(section.name)")
            check(section.entries)
        }
    }

    @Test("blectl(1) has every exit status, variable, file and global option")
    func program() {
        let text = ManualPage.program(.all).text
        for status in ExitStatus.allCases { #expect(text.contains(".It Li \(status.rawValue)\n")) }
        for concept in Concept.all { #expect(text.contains(".Sh \(concept.title.uppercased())\n")) }
        for entry in Program.environment { #expect(text.contains(".It Ev \(entry.term)\n")) }
        for entry in Program.files { #expect(text.contains(".It Pa \(entry.term)\n")) }
        for option in CommandSet.all.table.groups.flatMap(\.options) {
            #expect(text.contains("Fl \(Troff.typed("-\(option.long)"))"))
        }
        for record in CommandSet.all.records {
            #expect(text.contains(record.isCommon ? ".Ss \(record.type)\n" : "\\fB\(Troff.typed(record.type))\\fP"))
        }
        for key in RecordSchema.error.allKeys { #expect(text.contains(".It Cm \(key.name)\n")) }
        for record in CommandSet.all.records where CommandSet.all.commands(printing: record).count > 1 {
            #expect(text.contains(".Ss \(record.type)\n"))
            for key in record.keys { #expect(Self.has(key, in: text)) }
        }
    }

    /// Whether a page describes a key, or says where it is described.
    private static func has(_ key: RecordKey, in text: String) -> Bool {
        text.contains(".It Cm \(key.name)\n") || text.contains("\\fB\(Troff.typed(key.name))\\fP")
    }

    @Test("the page of a command has its arguments, its options and the keys of its records")
    func commands() {
        for command in CommandSet.all.table.commands {
            let text = ManualPage(of: command, in: .all).text
            for argument in command.arguments { #expect(text.contains(".It Ar \(argument.name)\n")) }
            for option in command.options {
                #expect(text.contains("Fl \(Troff.typed("-\(option.long)"))") == !option.isHidden)
            }
            for record in CommandSet.all.records(of: command.name) where !record.isCommon {
                let isOwn = CommandSet.all.commands(printing: record).count == 1
                #expect(text.contains(isOwn ? ".Ss \(record.type)\n" : "\\fB\(Troff.typed(record.type))\\fP"))
                for key in record.keys where isOwn { #expect(Self.has(key, in: text), "\(record.type).\(key.name)") }
            }
            // A title can be at the end of a line.
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            for group in command.groups { #expect(words.contains(group.title.uppercased())) }
        }
    }

    @Test("the first screen of a page has a line to run and says where to look next")
    func firstScreen() {
        for page in Self.pages {
            let parts = page.text.split(separator: "\n.Sh DESCRIPTION\n")
            let lines = (parts.last ?? "").split(separator: "\n").prefix(22)
            #expect(parts.count == 2 && lines.contains { $0.hasPrefix(".Bd -literal") }, "\(page.fileName)")
            #expect(
                lines.contains { $0.contains("EXAMPLES") || $0.contains(" below") || $0.hasPrefix(".Sh") },
                "\(page.fileName)"
            )
        }
    }

    @Test("mandoc reports nothing", .enabled(if: Tool.mandoc.isInstalled))
    func lint() async throws {
        for page in Self.pages {
            let result = try await Tool.mandoc.run(["-T", "lint", "-W", "style"], input: page.text)
            // mandoc looks for other pages among the installed ones.
            let complaints = result.output.split(separator: "\n").filter { !$0.contains("referenced manual not found") }
            #expect(complaints.isEmpty, "\(page.fileName): \(complaints)")
        }
    }

    @Test("groff formats them without a warning", .enabled(if: Tool.groff.isInstalled))
    func groff() async throws {
        for page in Self.pages {
            let result = try await Tool.groff.run(["-mdoc", "-Tascii", "-ww", "-z"], input: page.text)
            #expect(result.errorOutput == "" && result.status == 0, "\(page.fileName)")
        }
    }
}
