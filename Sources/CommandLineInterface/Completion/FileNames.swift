// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Terminal

/// The names of files, as far as they can be typed.
package enum FileNames {
    /// The maximum number of names of a folder that are looked at.
    private static let limit = 10_000

    /// The files whose names begin with a text; folders end with a slash.
    @Sendable package static func beginning(with begun: String) -> [String] {
        let slash = begun.lastIndex(of: "/")
        let folder = slash.map { String(begun[...$0]) } ?? ""
        let name = slash.map { String(begun[begun.index(after: $0)...]) } ?? begun
        guard let list = opendir(folder.isEmpty ? "." : folder) else { return [] }
        defer { closedir(list) }
        var found: [String] = []
        for _ in 0..<limit {
            guard let entry = readdir(list) else { break }
            let file = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let file, file.hasPrefix(name), !file.hasPrefix(".") || name.hasPrefix(".") else { continue }
            // A name with control characters would change how the terminal shows the line.
            guard file != ".", file != "..", file == TerminalText.escaped(file) else { continue }
            found.append(folder + file + (entry.pointee.d_type == UInt8(DT_DIR) ? "/" : ""))
        }
        return found
    }
}
