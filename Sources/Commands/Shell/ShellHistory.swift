// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Toolkit

/// The lines that were typed, from one run of the shell to the next: a file of lines in the state folder.
///
/// Several shells may add to it at a time. A line that begins with a blank, and one like the line before it, is not
/// kept.
struct ShellHistory {
    static let limit = 1_000
    /// The longest line that is kept, in octets.
    private static let lineLimit = 4_096
    private static let name = "history"
    private static let sizeLimit = limit * 1_024

    let folder: StateFolder
    let time: any TimeSource

    /// The lines, the oldest first.
    func lines() -> [String] { Self.lines(folder.contents(of: Self.name, limit: Self.sizeLimit).bytes ?? []) }

    /// Adds a line to the file at once, so that other shells see it and a killed shell loses nothing.
    func add(_ line: String) async {
        guard Self.isKept(line) else { return }
        await folder.update(Self.name, limit: Self.sizeLimit, time: time) { old in
            Self.adding(line, to: old.bytes ?? [])
        }
    }

    static func isKept(_ line: String) -> Bool {
        line.first != " " && !line.isEmpty && line.utf8.count <= lineLimit && !line.utf8.contains(UInt8(ascii: "\n"))
    }

    static func lines(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { String(validating: $0, as: UTF8.self) }
            .filter(isKept).suffix(limit)
    }

    /// The content of the file with one line more; `nil` if it stays as it is.
    ///
    /// The file is not read line by line, because this runs for each line that is typed. It may have more lines than
    /// are shown, within its size.
    static func adding(_ line: String, to bytes: [UInt8]) -> [UInt8]? {
        let newline = UInt8(ascii: "\n")
        var all = bytes
        // A file that was cut off ends in the middle of a line.
        if let last = all.last, last != newline { all.append(newline) }
        let entry = Array(line.utf8) + [newline]
        if all.suffix(entry.count).elementsEqual(entry), all.dropLast(entry.count).last ?? newline == newline {
            return nil
        }
        all += entry
        guard all.count > sizeLimit else { return all }
        // The oldest lines make room, an eighth of the file at once so that this is rare.
        let kept = all.suffix(sizeLimit / 8 * 7)
        return kept.firstIndex(of: newline).map { Array(kept[($0 + 1)...]) } ?? entry
    }
}
