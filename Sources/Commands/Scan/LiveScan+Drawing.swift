// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Terminal

extension LiveScan: LiveView {
    mutating func lines(_ size: ScreenSize, _ style: TextStyle, message: String?) -> [StyledLine] {
        switch page {
        case .table: tableLines(size, style, message)
        case .details(let key, let first): detailLines(key, first, size, style, message)
        case .help: helpLines(size, style)
        }
    }

    // MARK: - Table

    /// The table and its footer, filled up to the height of the screen.
    private mutating func tableLines(_ size: ScreenSize, _ style: TextStyle, _ message: String?) -> [StyledLine] {
        let footer = footerLines(size, style, message)
        let room = max(1, size.rows - footer.count - 1)
        let table = LiveScanTable(rows, room: size.lineColumns, style)
        var lines = [table.heading(order)]
        if rows.isEmpty {
            lines += emptyLines(style).prefix(room)
        } else {
            let window = window(room)
            lines += window.map { table.line($0, isSelected: $0.key == selected, now: status.now) }
        }
        // The footer is at the bottom, so that it does not move.
        while lines.count < size.rows - footer.count { lines.append(StyledLine()) }
        return Array(lines.prefix(max(1, size.rows - footer.count))) + footer
    }

    /// Why there is nothing in the table.
    private func emptyLines(_ style: TextStyle) -> [StyledLine] {
        let lines: [String]
        if deviceCount > 0 {
            lines = [
                "  none of \(count: deviceCount, "device") contains '\(TerminalText.escaped(search))'",
                "  Esc shows all of them",
            ]
        } else if status.devices > 0 {
            lines = ["  \(EmptyScan.hidden(status.devices, by: filterWords))"]
        } else if status.reports == 0, elapsed >= EmptyScan.patience {
            lines = [
                "  \(EmptyScan.silence(elapsed))",
                "  is a device near and switched on? phones advertise only while their Bluetooth settings are open",
            ]
        } else {
            lines = ["  listening\(style.usesUnicode ? "…" : "...")"]
        }
        return lines.map { StyledLine($0, .faint) }
    }

    /// The figures, and the keys where there is room for them.
    private func footerLines(_ size: ScreenSize, _ style: TextStyle, _ message: String?) -> [StyledLine] {
        guard size.rows >= 4 else { return [] }
        let separator = style.glyphs.separator
        var figures = StyledLine()
        if isPaused { figures.append("PAUSED", .yellow) }
        if isTyping || !search.isEmpty {
            if figures.width > 0 { figures.append(separator) }
            figures.append("/\(TerminalText.escaped(search))", .cyan)
            if isTyping { figures.append("_", .cyan) }
        }
        var parts = [
            NumberText.age(elapsed),
            rows.count == deviceCount
                ? "\(count: deviceCount, "device")" : "\(rows.count) of \(count: deviceCount, "device")",
            "\(NumberText.decimal(rate, places: rate < 100 ? 1 : 0)) reports/s", "\(status.dropped) dropped",
        ]
        if !filterWords.isEmpty { parts.append(filterWords) }
        if let message { parts.append(message) }
        figures.append((figures.width > 0 ? separator : "") + parts.joined(separator: separator), .faint)
        guard hasKeys, size.rows >= 6 else { return [figures] }
        return [figures, StyledLine.keys(keys(style), size.lineColumns, style)]
    }

    private func keys(_ style: TextStyle) -> [(key: String, meaning: String)] {
        if isTyping { return [("Enter", "keep"), ("Esc", "show all")] }
        return [
            ("q", "quit"), ("?", "help"), ("s", "sort"), ("/", "filter"), ("space", isPaused ? "go on" : "pause"),
            (style.glyphs.arrows, "select"), ("Enter", "details"),
        ]
    }

    // MARK: - Help

    private func helpLines(_ size: ScreenSize, _ style: TextStyle) -> [StyledLine] {
        let entries: [(String, String)] = [
            ("q, Ctrl-C", "end the scan, and print the table"),
            ("s", "sort by another column"),
            ("1 2 3 4", "sort by first report, signal, name, address"),
            ("/", "show only devices that contain what is typed"),
            ("Esc", "show all devices again"),
            ("space", "hold the table still; the scan goes on"),
            ("\(style.glyphs.arrows), j, k", "select a device"),
            ("Enter", "show all that is known of it"),
            ("?", "this help; any key goes back"),
        ]
        var lines = [StyledLine("Keys", .bold)]
        for (key, meaning) in entries {
            var line = StyledLine("  ")
            line.append(key, .cyan)
            line.pad(to: 14)
            line.append(meaning)
            lines.append(line)
        }
        lines += [
            StyledLine(),
            StyledLine("RSSI is smoothed. EVERY is the estimated advertising interval, CONN marks what", .faint),
            StyledLine("accepts a connection, and AGE is the time since the last report.", .faint),
        ]
        return Array(lines.prefix(size.rows))
    }

    // MARK: - Details

    /// The details of a device, scrolled to a line. The scroll position is limited here, because only the drawing
    /// knows how many lines there are.
    private mutating func detailLines(
        _ key: Key,
        _ first: Int,
        _ size: ScreenSize,
        _ style: TextStyle,
        _ message: String?
    ) -> [StyledLine] {
        guard let row = rows.first(where: { $0.key == key }) else {
            return [StyledLine("The device is no longer in the table.", .faint)]
        }
        // Even while the table is held still, the details are those of the last report.
        let details = LiveScanDetails(row.device, track(key) ?? row.track, row.formats, now: status.now)
        let all = details.lines(columns: size.lineColumns, style)
        let room = max(1, size.rows - 1)
        limitDetails(to: all.count - room)
        let start = min(first, max(0, all.count - room))
        var lines = Array(all.dropFirst(start).prefix(room))
        while lines.count < room { lines.append(StyledLine()) }
        if size.rows > 1 {
            var footer = StyledLine.keys(
                [("Esc", "back"), (style.glyphs.arrows, "scroll"), ("q", "quit")],
                size.lineColumns,
                style
            )
            if let message { footer.append("  \(message)", .faint) }
            lines.append(footer)
        }
        return lines
    }
}
