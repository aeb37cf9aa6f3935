// SPDX-License-Identifier: GPL-2.0-or-later

import BlectlKit
import Foundation
import Testing

@Suite("README")
struct ReadmeTests {
    private let text: String

    init() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        text = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
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
