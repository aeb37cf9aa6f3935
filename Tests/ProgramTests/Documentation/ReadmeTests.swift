// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import CommandLineInterface
import Foundation
import Testing

@testable import Commands
@testable import Toolkit

@Suite("README")
struct ReadmeTests {
    private let text: String
    private let root: URL

    init() throws {
        root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        text = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    }

    @Test("shows Swift code that the app in Tests/Outsider compiles and tests")
    func swift() throws {
        let blocks = text.components(separatedBy: "```swift\n").dropFirst().map { block in
            block.components(separatedBy: "```")[0].split(separator: "\n").map(String.init)
        }
        #expect(blocks.count == 3)
        let file = root.appendingPathComponent("Tests/Outsider/Sources/Wearable/FirstSteps.swift")
        let source = try String(contentsOf: file, encoding: .utf8)
        for block in blocks {
            // The source is indented by one level, because it is in a function.
            #expect(source.contains(block.map { "    \($0)\n" }.joined()), "\(block.joined(separator: "\n"))")
        }
    }

    @Test("names the modules that its Swift imports")
    func imports() throws {
        let section = try #require(text.components(separatedBy: "## As a library\n").last)
        let introduction = section.components(separatedBy: "```")[0]
        let file = root.appendingPathComponent("Tests/Outsider/Sources/Wearable/FirstSteps.swift")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let modules = lines.filter { $0.hasPrefix("import ") }.map { $0.dropFirst("import ".count) }
        #expect(!modules.isEmpty)
        for module in modules { #expect(introduction.contains("`\(module)`"), "\(module)") }
    }

    @Test("has every device of blectl", arguments: (BuiltInDevice.all + BuiltInDevice.apart).map(\.label))
    func device(label: String) throws {
        let table = try #require(text.components(separatedBy: "| device, in `--simulate` or to `serve` |").last)
        let rows = table.components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst(2)
        let first = rows.map { $0.split(separator: "|")[0] }
        #expect(first.contains { $0.contains("`\(label)`") })
    }

    @Test("has every exit status with its meaning", arguments: CommandLineInterface.ExitStatus.allCases)
    func exitStatus(status: CommandLineInterface.ExitStatus) {
        #expect(text.contains("| \(status.rawValue) | \(status.name) | \(status.meaning) |"))
    }

    @Test("has every command with its summary", arguments: CommandSet.all.table.names)
    func command(command: CommandName) {
        #expect(text.contains("| `\(command.rawValue)` | \(command.spec.summary) |"))
    }
}
