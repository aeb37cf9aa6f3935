// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

/// Text that is checked in, in `Tests/CLITests/Golden`; `make golden` writes it anew.
enum Golden {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    /// The content of all files.
    static func texts() throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            at: tests.appendingPathComponent("Golden"),
            includingPropertiesForKeys: nil
        )
        .map { try String(contentsOf: $0, encoding: .utf8) }
    }

    /// Compares with the file of that name, or writes it where `BLECTL_GOLDEN=write` is set.
    static func expect(
        _ actual: String,
        equals name: String,
        in folderName: String = "Golden",
        target: String = "make golden",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let folder = tests.appendingPathComponent(folderName)
        let file = folder.appendingPathComponent(name)
        if ProcessInfo.processInfo.environment["BLECTL_GOLDEN"] == "write" {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(actual.utf8).write(to: file)
            return
        }
        let expected = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        guard expected != actual else { return }
        Issue.record(
            "\(folderName)/\(name) says otherwise (\(target) writes it anew)\n\(difference(expected, actual))",
            sourceLocation: sourceLocation
        )
    }

    /// The missing and the additional lines, with `-` and `+` before them.
    private static func difference(_ expected: String, _ actual: String) -> String {
        let old = expected.split(separator: "\n", omittingEmptySubsequences: false)
        let new = actual.split(separator: "\n", omittingEmptySubsequences: false)
        var lines: [(position: Int, text: String)] = []
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, let line, _): lines.append((offset, "- \(line)"))
            case .insert(let offset, let line, _): lines.append((offset, "+ \(line)"))
            }
        }
        return lines.sorted { $0.position < $1.position }.prefix(40).map(\.text).joined(separator: "\n")
    }
}
