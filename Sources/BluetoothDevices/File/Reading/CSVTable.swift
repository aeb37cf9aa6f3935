// SPDX-License-Identifier: MIT

/// A table of values that are separated by commas, semicolons or tabs. A cell may stand in double quotes, in which two
/// of them mean one.
struct CSVTable: Sendable {
    /// The rows with content, each with its line, counted from 1.
    let rows: [(line: Int, cells: [String])]

    /// `nil` if the octets are not text in UTF-8.
    init?(_ bytes: [UInt8]) {
        // A byte order mark, which spreadsheets write, is no part of the first cell.
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard let text = String(validating: bytes.dropFirst(start), as: UTF8.self) else { return nil }
        let lines = text.utf8.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "\n") }
        let head = lines.first ?? ""[...].utf8
        // Spreadsheets write semicolons where the comma is the decimal separator.
        let separator = [UInt8(ascii: "\t"), UInt8(ascii: ";")].first { head.contains($0) } ?? UInt8(ascii: ",")
        var rows: [(line: Int, cells: [String])] = []
        for (index, line) in lines.enumerated() {
            let cells = Self.cells(line, separator)
            if cells.contains(where: { !$0.isEmpty }) { rows.append((index + 1, cells)) }
        }
        self.rows = rows
    }

    /// The cells of a line. A separator in quotes belongs to its cell.
    private static func cells(_ line: Substring.UTF8View, _ separator: UInt8) -> [String] {
        var cells: [String] = []
        var cell: [UInt8] = []
        var isQuoted = false
        var wasQuote = false
        for octet in line {
            let isQuote = octet == UInt8(ascii: "\"")
            if isQuote {
                // The second one of two inside of quotes is a quote.
                if wasQuote, !isQuoted { cell.append(octet) }
                isQuoted.toggle()
            } else if octet == separator, !isQuoted {
                cells.append(trimmed(cell))
                cell = []
            } else {
                cell.append(octet)
            }
            wasQuote = isQuote
        }
        return cells + [trimmed(cell)]
    }

    private static func trimmed(_ octets: [UInt8]) -> String {
        // Lines of Windows end with a carriage return before the line feed.
        let isBlank = { (octet: UInt8) in octet == 0x20 || octet == 0x0D || octet == 0x09 }
        guard let first = octets.firstIndex(where: { !isBlank($0) }),
            let last = octets.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: octets[first...last], as: UTF8.self)
    }
}
