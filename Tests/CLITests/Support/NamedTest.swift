// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

/// A test that a table names: a function of the Swift tests, as `File/function`, or a case of the kernel lab, as
/// `file.py/case`.
enum NamedTest {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The content of each file, by its name.
    private static let texts: [String: String] = {
        var texts: [String: String] = [:]
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard ["swift", "py"].contains(file.pathExtension) else { continue }
            // Files of one name in two folders count as one.
            texts[file.lastPathComponent, default: ""] += (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        }
        return texts
    }()

    /// Fails if the test does not exist.
    static func find(_ name: String) throws {
        let parts = name.split(separator: "/", maxSplits: 1)
        try #require(parts.count == 2, "\(name) is not FILE/FUNCTION")
        let isLabCase = parts[0].hasSuffix(".py")
        let file = isLabCase ? String(parts[0]) : "\(parts[0]).swift"
        let text = try #require(texts[file], "no file \(file)")
        let declarations = isLabCase ? ["def \(parts[1])(", "\n\(parts[1]) = "] : ["func \(parts[1])("]
        #expect(declarations.contains { text.contains($0) }, "\(file) has no \(parts[1])")
    }
}
