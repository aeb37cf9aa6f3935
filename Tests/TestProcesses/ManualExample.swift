// SPDX-License-Identifier: GPL-2.0-or-later

package import Foundation

/// An example of a manual page: a file of `man/examples`, and the lines to type beside it.
package struct ManualExample: Sendable {
    /// The name of the file.
    package let file: String
    /// The content of the file, without a line feed at the end.
    package let text: String
    /// The lines that the page shows after it.
    package let lines: [String]

    package static let devices = examples(of: "blectl-device.5")
    package static let formats = examples(of: "blectl-formats.5")
    package static let scripts = examples(of: "blectl-script.5")

    /// The root of the repository.
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    /// The examples in the source of a page, in its order; none if a file is missing.
    private static func examples(of page: String) -> [ManualExample] {
        let source = contents(of: "man/pages/\(page)") ?? ""
        var examples: [ManualExample] = []
        for part in source.components(separatedBy: "\n@file ").dropFirst() {
            let path = String(part.prefix { $0 != "\n" })
            guard let text = contents(of: path) else { return [] }
            let displays = part.components(separatedBy: "\n.Bd -literal").dropFirst()
            let lines = displays.first?.components(separatedBy: "\n.Ed")[0].split(separator: "\n").dropFirst() ?? []
            let name = URL(filePath: path).lastPathComponent
            examples.append(ManualExample(file: name, text: String(text.dropLast()), lines: lines.map(String.init)))
        }
        return examples
    }

    /// The text of a file of the repository; `nil` if it cannot be read.
    package static func contents(of path: String) -> String? {
        try? String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
