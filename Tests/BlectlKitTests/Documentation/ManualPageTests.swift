// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import Testing

@testable import BlectlKit

@Suite("Manual pages")
struct ManualPageTests {
    static let pages = [ManualPage.program] + CommandTable.commands.map(ManualPage.init(of:)) + [ManualPage.deviceFile]

    @Test("there is one for blectl, one for each command, and one for device files")
    func files() {
        let commands = CommandName.allCases.map { "blectl-\($0.rawValue).1" }
        #expect(Self.pages.map(\.fileName) == ["blectl.1"] + commands + ["blectl-device.5"])
    }

    @Test("blectl-device(5) has every type, every member and every word of the schema")
    func deviceFile() {
        let text = ManualPage.deviceFile.text
        func check(_ entries: [DeviceFileReference.Entry]) {
            for entry in entries {
                #expect(text.contains(".It Li \(Troff.typed(entry.term))\n"), "\(entry.term)")
                check(entry.entries)
            }
        }
        for section in DeviceFileReference.device + [DeviceFileReference.world] {
            #expect(text.contains(".Ss \(section.name)\n"))
            #expect(!section.entries.isEmpty || section.name == "ACTIONS", "\(section.name)")
            check(section.entries)
        }
    }

    @Test("blectl(1) has every exit status, variable, file and global option")
    func program() {
        let text = ManualPage.program.text
        for status in ExitStatus.allCases { #expect(text.contains(".It Li \(status.rawValue)\n")) }
        for concept in Concept.all { #expect(text.contains(".Sh \(concept.title.uppercased())\n")) }
        for entry in Program.environment { #expect(text.contains(".It Ev \(entry.term)\n")) }
        for entry in Program.files { #expect(text.contains(".It Pa \(entry.term)\n")) }
        for option in OptionGroup.allCases.flatMap(\.options) {
            #expect(text.contains("Fl \(Troff.typed("-\(option.long)"))"))
        }
        for record in RecordSchema.all {
            #expect(text.contains(record.isCommon ? ".Ss \(record.type)\n" : ".It Cm \(record.type)\n"))
        }
        for key in RecordSchema.error.allKeys { #expect(text.contains(".It Cm \(key.name) No")) }
    }

    @Test("the page of a command has its arguments, its options and the keys of its records")
    func commands() {
        for command in CommandTable.commands {
            let text = ManualPage(of: command).text
            for argument in command.arguments { #expect(text.contains(".It Ar \(argument.name)\n")) }
            for option in command.options {
                #expect(text.contains("Fl \(Troff.typed("-\(option.long)"))") == !option.isHidden)
            }
            for key in RecordSchema.records(of: command.name).filter({ !$0.isCommon }).flatMap(\.keys) {
                #expect(text.contains(".It Cm \(key.name) No"))
            }
        }
    }

    @Test("mandoc has nothing to say about them", .enabled(if: Tool.mandoc.isInstalled))
    func lint() async throws {
        for page in Self.pages {
            let result = try await Tool.mandoc.run(["-T", "lint", "-W", "style"], input: page.text)
            // mandoc looks for other pages among the installed ones.
            let complaints = result.output.split(separator: "\n").filter { !$0.contains("referenced manual not found") }
            #expect(complaints.isEmpty, "\(page.fileName): \(complaints)")
        }
    }

    @Test("groff sets them without a warning", .enabled(if: Tool.groff.isInstalled))
    func groff() async throws {
        for page in Self.pages {
            let result = try await Tool.groff.run(["-mdoc", "-Tascii", "-ww", "-z"], input: page.text)
            #expect(result.errorOutput == "" && result.status == 0, "\(page.fileName)")
        }
    }
}
