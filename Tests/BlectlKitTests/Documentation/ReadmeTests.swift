// SPDX-License-Identifier: GPL-2.0-or-later

import BlectlKit
import Foundation
import Testing

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

    @Test("shows Swift that the app in Tests/Outsider compiles, and tests")
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

    @Test("has every exit status with its meaning", arguments: BlectlKit.ExitStatus.allCases)
    func exitStatus(status: BlectlKit.ExitStatus) {
        #expect(text.contains("| \(status.rawValue) | \(status.name) | \(status.meaning) |"))
    }

    @Test("has every command with its summary", arguments: CommandName.allCases)
    func command(command: CommandName) {
        #expect(text.contains("| `\(command.rawValue)` | \(command.spec.summary) |"))
    }
}
