// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation

/// The manual pages that are checked in, as a reader copies from them.
enum ManualText {
    /// The root of the repository.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

    /// The lines of each literal display of a page, without the escapes of troff and without empty lines.
    static func displays(of name: String) throws -> [[String]] {
        let text = try String(contentsOf: root.appending(path: "man/\(name)"), encoding: .utf8)
        return text.components(separatedBy: ".Bd -literal").dropFirst().map { part in
            let display = part.components(separatedBy: "\n.Ed")[0]
            return display.split(separator: "\n").dropFirst().map { line in
                String(line).replacing("\\(aq", with: "'").replacing("\\(dq", with: "\"").replacing("\\(ti", with: "~")
                    .replacing("\\(ha", with: "^").replacing("\\-", with: "-").replacing("\\&", with: "")
                    .replacing("\\e", with: "\\")
            }
        }
    }
}
