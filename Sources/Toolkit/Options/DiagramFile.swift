// SPDX-License-Identifier: GPL-2.0-or-later

package struct DiagramFile: Sendable, Equatable {
    package let path: String
    package let format: DiagramFormat

    /// The file with that name; `nil` if its end names no form.
    init?(_ path: String) {
        guard let format = DiagramFormat(path: path) else { return nil }
        self.path = path
        self.format = format
    }
}

/// A form of a sequence diagram, by the end of its file's name.
package enum DiagramFormat: String, CaseIterable, Sendable {
    /// Text for a terminal or a log.
    case text = "txt"
    /// Mermaid, which wikis and forges draw.
    case mermaid = "mmd"
    case picture = "svg"

    /// The form of a file; `nil` if its name has another end.
    init?(path: String) {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        self.init(rawValue: String(path[path.index(after: dot)...]))
    }
}
