// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation

/// The test functions of the package, found in its sources.
enum TestFunctions {
    /// Every function with `@Test`, as `Suite.function`.
    static func all() throws -> Set<String> {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        var found: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path()) where path.hasSuffix(".swift") {
            found.formUnion(functions(in: try String(contentsOf: tests.appending(path: path), encoding: .utf8)))
        }
        return found
    }

    /// The test functions of a source. A suite's declaration begins in the first column; the text between `@Test` and
    /// `func` is its trait.
    static func functions(in source: String) -> [String] {
        var suite = ""
        var isTest = false
        var found: [String] = []
        // Compiled when they are evaluated, so that they stand before the loop.
        let declaration = /^(?:@?\w+(?:\([^)]*\))? )*(?:struct|class|enum|actor|extension) (\w+)/
        let function = /\bfunc (\w+)\s*[(<]/
        for line in source.split(separator: "\n") {
            // Regular expressions are slow, so they see only the lines where they may match.
            let isIndented = line.utf8.first == UInt8(ascii: " ")
            if !isIndented, let match = line.firstMatch(of: declaration) { suite = String(match.1) }
            if line.drop(while: { $0 == " " }).hasPrefix("@Test") { isTest = true }
            if isTest, let match = line.firstMatch(of: function) {
                found.append("\(suite).\(match.1)")
                isTest = false
            }
        }
        return found
    }
}
