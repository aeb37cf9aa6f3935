// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Terminal

/// The values of a device on a terminal, as a value: the last lines, and a chart and statistics for each number. One
/// function for each event.
struct LiveValues: Sendable {
    package struct Line: Sendable, Equatable {
        /// The local time of day.
        package let time: String
        /// The target, if there are several.
        package let label: String?
        /// The value or the event in words, safe to print.
        package let text: String
        /// Whether it is an event between values, which is drawn in another colour.
        let isInterruption: Bool
    }

    /// The maximum number of lines that are kept for the end.
    private static let lineLimit = 1_000
    /// The maximum number of numbers that have a chart. A device can send ever new ones.
    private static let seriesLimit = 32

    /// The device, safe to print; empty before it is known.
    private(set) var device = ""
    /// The observed characteristics or profiles; safe to print.
    package let subject: String
    package let hasKeys: Bool
    /// The lines from the oldest that is kept to the newest.
    private(set) var lines: [Line] = []
    /// The number of dropped older lines.
    private(set) var forgotten = 0
    /// The numbers in the order of their first appearance.
    private(set) var series: [(key: NumberKey, values: ValueSeries)] = []
    /// The number of values that have come, without those that were dropped.
    private(set) var valueCount = 0
    private(set) var dropped = 0
    /// The number of links that were lost.
    private(set) var lossCount = 0

    /// The time of the last tick, against which the age of the last value is measured.
    private var now = Instant.zero
    private var first: Instant?
    private var last: Instant?
    /// The lines when the pause began, because old lines are removed during the pause, too; `nil` without a pause.
    private var pausedLines: [Line]?

    init(subject: String, hasKeys: Bool = true) {
        self.subject = TerminalText.escaped(subject)
        self.hasKeys = hasKeys
    }

    /// Whether the screen keeps its lines.
    package var isPaused: Bool { pausedLines != nil }

    // MARK: - Events

    /// A value.
    ///
    /// - Parameter label: The target, if there are several.
    package mutating func received(
        _ presentation: ValuePresentation,
        from device: DeviceReference,
        label: String?,
        at instant: Instant,
        local time: String
    ) {
        self.device = device.text
        valueCount += 1
        first = first ?? instant
        last = instant
        append(Line(time: time, label: label.map(TerminalText.escaped), text: presentation.text, isInterruption: false))
        guard let content = presentation.decoded?.content else { return }
        for (key, number) in NumberKey.numbers(in: content, label: label) {
            if let index = series.firstIndex(where: { $0.key == key }) {
                series[index].values.received(number)
            } else if series.count < Self.seriesLimit {
                let place = series.place(of: key)
                series.insert((key, ValueSeries()), at: place)
                series[place].values.received(number)
            }
        }
    }

    /// A gap, or a changed database.
    package mutating func interrupted(_ result: InterruptionResult, local time: String) {
        device = result.device.text
        switch result.kind {
        case .lost: lossCount += 1
        case .dropped(let count, _): dropped += count
        case .restored, .databaseChanged: break
        }
        for index in series.indices { series[index].values.interrupted() }
        append(Line(time: time, label: nil, text: TerminalText.escaped(result.words), isInterruption: true))
    }

    mutating func ticked(_ now: Instant) { self.now = now }

    /// Adds a line. The oldest are removed in groups of 100, because removing from the front of an array moves
    /// all the others.
    private mutating func append(_ line: Line) {
        lines.append(line)
        guard lines.count > Self.lineLimit + 100 else { return }
        let count = lines.count - Self.lineLimit
        lines.removeFirst(count)
        forgotten += count
    }

    /// The values in a second, from the first to the last. A silence that is longer than the time between two values
    /// counts, too.
    package var rate: Double? {
        guard let first, let last, valueCount > 1, last > first else { return nil }
        // N values have N - 1 intervals between them.
        let interval = (last - first) / (valueCount - 1)
        let observed = max(last - first, now - first - interval)
        return Double(valueCount - 1) / (observed / .seconds(1))
    }

    // MARK: - Text

    package func summary(_ separator: String) -> String {
        var parts = ["\(count: valueCount, "value")"]
        if let rate { parts.append("\(NumberText.decimal(rate, places: rate < 100 ? 2 : 0))/s") }
        parts.append(dropped > 0 ? "\(dropped) dropped" : "no drops")
        parts.append(lossCount > 0 ? "link lost \(lossCount == 1 ? "once" : "\(lossCount) times")" : "link never lost")
        return parts.joined(separator: separator)
    }

    /// A number for the screen: whole, or with one digit after the point.
    private static func number(_ value: Double) -> String {
        value == value.rounded() ? NumberText.decimal(value, places: 0) : NumberText.decimal(value, places: 1)
    }

    private func styled(_ line: Line) -> StyledLine {
        var styled = StyledLine(line.time, .faint)
        styled.append("  ")
        if let label = line.label { styled.append("\(label): ", .cyan) }
        styled.append(line.text, line.isInterruption ? .yellow : nil)
        return styled
    }

    /// A number with its chart and its statistics, on one line, or on two where one is too short; `isBrief` leaves the
    /// statistics out there.
    private func seriesLines(_ index: Int, _ columns: Int, _ style: TextStyle, isBrief: Bool = false) -> [StyledLine] {
        let (key, values) = series[index]
        let nameWidth = min(24, series.map { TerminalText.width(of: $0.key.name) }.max() ?? 0)
        var line = StyledLine(TerminalText.fitted(key.name, columns: nameWidth, ellipsis: style.glyphs.ellipsis), .cyan)
        line.pad(to: nameWidth + 2)
        line.append(Self.number(values.last) + (key.unit.isEmpty ? "" : " \(key.unit)"), .bold)
        line.pad(to: nameWidth + 14)
        let statistics =
            "min \(Self.number(values.least))  mean \(NumberText.decimal(values.mean, places: 1))"
            + "  max \(Self.number(values.greatest))"
        let chart = Chart(style.glyphs)
        let width = columns - line.width
        if width >= 60 {
            var text = StyledLine(TerminalText.padded(statistics, columns: 34), .faint)
            text.append("  ")
            line.append(text.text, .faint)
            line.append(chart.sparkline(values.values, columns: columns - line.width), .green)
            return [line]
        }
        line.append(chart.sparkline(values.values, columns: max(0, width)), .green)
        return isBrief ? [line] : [line, StyledLine("  \(statistics)", .faint)]
    }

    /// The charts in so many rows: without their statistics where there is no room for these, and with the number of
    /// those that are left out.
    private func charts(_ rows: Int, _ columns: Int, _ style: TextStyle) -> [StyledLine] {
        let whole = series.indices.flatMap { seriesLines($0, columns, style) }
        guard whole.count > rows else { return whole }
        let brief = series.indices.flatMap { seriesLines($0, columns, style, isBrief: true) }
        guard brief.count > rows else { return brief }
        guard rows > 0 else { return [] }
        let left = StyledLine("+\(brief.count - rows + 1) more in a taller window", .faint)
        return brief.prefix(rows - 1) + [left]
    }

    /// The lines that stay on the terminal after the end: the device, the values, and the statistics.
    package func report(_ style: TextStyle, columns: Int) -> [String] {
        guard valueCount > 0 || !lines.isEmpty else { return [] }
        var title = StyledLine(device, .bold)
        title.append("  \(subject)")
        var report = [title]
        if forgotten > 0 { report.append(StyledLine("(\(count: forgotten, "older line") left out)", .faint)) }
        report += lines.map { styled($0) }
        if valueCount > 1 {
            for index in series.indices { report += seriesLines(index, columns, style) }
            report.append(StyledLine(summary(style.glyphs.separator), .faint))
        }
        // Values are not cut: they may be copied.
        return report.map { $0.rendered(style, columns: max(columns, $0.width)) }
    }
}

extension LiveValues: LiveView {
    /// Draws the screen: heading and curves on top, the newest values below, filled up to the height of the screen.
    package mutating func lines(_ size: ScreenSize, _ style: TextStyle, message: String?) -> [StyledLine] {
        let columns = size.lineColumns
        let separator = style.glyphs.separator
        var title = StyledLine(device.isEmpty ? subject : device, .bold)
        if !device.isEmpty { title.append("  \(subject)") }
        var figures = StyledLine()
        if isPaused { figures.append("PAUSED\(separator)", .yellow) }
        var parts = [summary(separator)]
        if let last { parts.insert("last \(NumberText.age(now - last)) ago", at: 1) }
        if let message { parts.insert(message, at: 0) }
        figures.append(parts.joined(separator: separator), .faint)
        let keys = StyledLine.keys([("q", "quit"), ("space", isPaused ? "go on" : "pause")], columns, style)
        let foot = hasKeys && size.rows >= 6 ? [figures, keys] : size.rows >= 3 ? [figures] : []
        let shown = pausedLines ?? lines
        let rows = size.rows - foot.count
        // The last values have half of the screen, or as much of it as they need.
        let head = [title] + charts(rows - 1 - min(rows / 2, shown.count), columns, style)
        let room = max(0, rows - head.count)
        var body = shown.suffix(room).map { styled($0) }
        while body.count < room { body.append(StyledLine()) }
        return Array((head + body + foot).prefix(size.rows))
    }

    /// Obeys a key. A pause keeps the lines of the moment, while values are still counted.
    package mutating func pressed(_ key: TerminalKey) -> KeyEffect {
        switch key {
        case .character("q"), .character("Q"): return .quit
        case .character(" "):
            pausedLines = isPaused ? nil : lines
            return .redraw
        default: return .nothing
        }
    }
}
