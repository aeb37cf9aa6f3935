// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Terminal
import Toolkit

/// The columns of the live scan: which of them a terminal has room for, and how wide they are.
struct LiveScanTable {
    enum Column: CaseIterable {
        case name
        case address
        case kind
        case connectable
        case rssi
        case bar
        case adapter
        case txPower
        case interval
        case age
        /// Services, beacons and manufacturers together, if there is no room for a separate column of each.
        case contents
        case services
        case manufacturer
        case beacon
    }

    /// The columns in the order in which they get room, with the least number of columns that they need. The first
    /// ones are there in any case.
    private static let priorities: [(column: Column, width: Int)] = [
        (.name, 9), (.address, 17), (.rssi, 4), (.adapter, 7), (.age, 6), (.contents, 12), (.bar, 6), (.connectable, 4),
        (.kind, 10),
        (.interval, 7), (.services, 16), (.manufacturer, 14), (.beacon, 16), (.txPower, 4),
    ]
    /// The minimum width of a table with the contents in three readable columns.
    private static let widthOfThree = 150
    /// Names get this width before other columns are widened.
    private static let nameWidth = 20

    private let columns: [(column: Column, width: Int)]
    private let style: TextStyle

    /// Chooses columns for rows.
    ///
    /// - Parameter room: The columns of the terminal.
    init(_ rows: [LiveScan.Row], room: Int, _ style: TextStyle) {
        self.style = style
        var chosen: [Column: Int] = [:]
        // Room for the mark of the selected row.
        var used = 2
        for (column, width) in Self.priorities {
            let isPart = [.services, .manufacturer, .beacon].contains(column)
            if column == .contents && room >= Self.widthOfThree || isPart && room < Self.widthOfThree { continue }
            // A column that would be empty.
            if column == .beacon, !rows.contains(where: { !$0.device.beacons.isEmpty }) { continue }
            if column == .adapter, !rows.contains(where: { $0.track?.adapters.best != nil }) { continue }
            if column == .txPower, !rows.contains(where: { $0.device.txPower != nil }) { continue }
            // Kinds and intervals get room when the contents can be read.
            let contents = chosen[.contents] != nil && [.kind, .interval, .txPower].contains(column) ? 18 : 0
            guard chosen.count < 3 || used + width + 2 + contents <= room else { continue }
            chosen[column] = width
            used += width + 2
        }
        // There is no gap after the last column.
        Self.widen(&chosen, by: max(0, room - used + 2), rows, style)
        columns = Column.allCases.compactMap { column in chosen[column].map { (column, $0) } }
    }

    /// Shares the rest of the line between the columns whose texts are longer.
    private static func widen(_ chosen: inout [Column: Int], by rest: Int, _ rows: [LiveScan.Row], _ style: TextStyle) {
        var rest = rest
        let flexible = [Column.name, .services, .contents, .manufacturer, .beacon].filter { chosen[$0] != nil }
        var wanted: [Column: Int] = [:]
        for column in flexible {
            wanted[column] = rows.map { TerminalText.width(of: text($0, column, style, now: .zero)) }.max() ?? 0
        }
        // A name is more informative than the end of a list of services.
        let name = min(rest, max(0, min(nameWidth, wanted[.name, default: 0]) - chosen[.name, default: 0]))
        chosen[.name, default: 0] += name
        rest -= name
        var open = flexible.filter { wanted[$0, default: 0] > chosen[$0, default: 0] }
        while rest > 0, !open.isEmpty {
            let part = max(1, rest / open.count)
            for column in open where rest > 0 {
                let width = chosen[column, default: 0]
                let more = min(part, rest, wanted[column, default: 0] - width)
                chosen[column] = width + more
                rest -= more
            }
            open = open.filter { wanted[$0, default: 0] > chosen[$0, default: 0] }
        }
    }

    /// The headings; that of the order is marked.
    func heading(_ order: ScanOrder) -> StyledLine {
        var line = StyledLine("  ")
        for (index, (column, width)) in columns.enumerated() {
            let end = line.width + width
            let isOrder =
                switch (order, column) {
                case (.rssi, .rssi), (.name, .name), (.address, .address): true
                default: false
                }
            let text = Self.title(column) + (isOrder ? style.glyphs.down : "")
            // RSSI is as wide as its column, so that the mark of the order stands in the gap after it.
            line.append(TerminalText.fitted(text, columns: width + (column == .rssi ? 1 : 0)), .bold)
            if index < columns.count - 1 { line.pad(to: end + 2) }
        }
        return line
    }

    func line(_ row: LiveScan.Row, isSelected: Bool, now: Instant) -> StyledLine {
        var line = StyledLine(isSelected ? "\(style.glyphs.pointer) " : "  ")
        line.isSelected = isSelected
        for (index, (column, width)) in columns.enumerated() {
            let end = line.width + width
            var text = Self.text(row, column, style, now: now)
            if column == .rssi {
                text = String(repeating: " ", count: max(0, width - text.utf8.count)) + text
            } else if column == .bar {
                text = row.track?.signal.map { Chart(style.glyphs).bar($0.share, columns: width) } ?? ""
            }
            text = TerminalText.fitted(text, columns: width, ellipsis: style.glyphs.ellipsis)
            line.append(text, attribute(row, column))
            if index < columns.count - 1 { line.pad(to: end + 2) }
        }
        return line
    }

    private func attribute(_ row: LiveScan.Row, _ column: Column) -> TextStyle.Attribute? {
        switch column {
        case .name: row.device.name == nil ? .faint : .cyan
        case .rssi, .bar: row.track?.signal?.attribute(style)
        case .kind, .age, .interval, .txPower: .faint
        case .connectable: .green
        case .address, .adapter, .contents, .services, .manufacturer, .beacon: nil
        }
    }

    private static func title(_ column: Column) -> String {
        switch column {
        case .name: "NAME"
        case .address: "ADDRESS"
        case .kind: "KIND"
        case .connectable: "CONN"
        case .rssi: "RSSI"
        case .bar: ""
        case .adapter: "ADAPTER"
        case .txPower: "TX"
        case .interval: "EVERY"
        case .age: "AGE"
        case .contents: "ADVERTISES"
        case .services: "SERVICES"
        case .manufacturer: "MANUFACTURER"
        case .beacon: "BEACON"
        }
    }

    private static func text(_ row: LiveScan.Row, _ column: Column, _ style: TextStyle, now: Instant) -> String {
        let texts = row.texts
        switch column {
        case .name: return texts.name.isEmpty ? "(no name)" : texts.name
        case .address: return texts.address
        case .kind: return texts.kind
        case .connectable: return row.device.isConnectable ? " \(style.glyphs.dot)" : ""
        case .rssi: return row.track?.signal.map { NumberText.decimal($0.smoothed, places: 0) } ?? "?"
        case .bar: return ""
        case .adapter: return TerminalText.escaped(row.track?.adapters.best ?? "")
        case .txPower: return texts.txPower
        case .interval: return row.track?.interval.map(NumberText.interval) ?? ""
        case .age: return NumberText.age(now - row.device.lastSeen)
        case .contents: return texts.everything(style.glyphs.separator)
        case .services: return [texts.services, texts.otherData].filter { !$0.isEmpty }.joined(separator: ", ")
        case .manufacturer: return texts.manufacturers
        case .beacon: return texts.beacons(style.glyphs.separator)
        }
    }

    /// All rows with all texts, as lines to be copied: nothing is cut, and columns without content are left out.
    static func complete(_ rows: [LiveScan.Row], _ style: TextStyle) -> [String] {
        let columns: [Column] = [
            .name, .address, .kind, .connectable, .rssi, .adapter, .txPower, .interval, .services, .manufacturer,
            .beacon,
        ]
        let cells = rows.map { row in
            columns.map { column in
                column == .connectable
                    ? (row.device.isConnectable ? "yes" : "no") : text(row, column, style, now: row.device.lastSeen)
            }
        }
        let used = columns.indices.filter { index in cells.contains { !$0[index].isEmpty } }
        let table = TextTable(
            used.map { title(columns[$0]) },
            cells.map { row in used.map { row[$0] } }
        )
        return table.lines(style).map { line in
            // Trailing blanks would be copied with the lines.
            let end = line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex
            return style.usesUnicode ? String(line[..<end]) : TerminalText.ascii(String(line[..<end]))
        }
    }
}
