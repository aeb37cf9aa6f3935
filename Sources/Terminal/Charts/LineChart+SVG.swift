// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

extension LineChart {
    /// The width of the picture in pixels. The height follows from the panels.
    private static let width = 860.0
    /// The left edge of a panel, which leaves room for the labels of its values.
    private static let left = 74.0
    /// The right edge of a panel.
    private static let right = 836.0
    /// The height of a panel without its labels.
    private static let plotHeight = 200.0
    /// The height of a line of the legend and of the notes.
    private static let legendRow = 17.0
    /// The characters of a legend's entry that surely fit into half of the width. A longer one has a row for itself,
    /// with at most `legendWidth`.
    private static let halfLegendWidth = 38
    private static let legendWidth = 100

    /// Colours that colour-blind people can distinguish, on a light and on a dark ground. Lines also differ in their
    /// dashes.
    private static let colors: [(light: String, dark: String, dashes: String)] = [
        ("#0067b1", "#5db4f2", ""), ("#c44500", "#ff9151", "7 3"), ("#00795a", "#3ecfa5", "2 3"),
        ("#a33b80", "#ee9bcb", "9 3 2 3"), ("#8a6100", "#eeb94a", "12 4"), ("#4b4f58", "#c3c8d2", "4 4"),
        ("#5a4fcf", "#b0a8ff", "1 3 5 3"), ("#a32330", "#ff8e96", "14 3 2 3 2 3"),
    ]

    /// The style sheet. Colours follow the scheme of the reader, so that the same file suits a light and a dark
    /// page.
    private static let style: String = {
        let light = "text{fill:#1c2733}.k{fill:#5b6773}.g{stroke:#dde3e8}.a{stroke:#8894a0}.b{fill:#ffffff}"
        let dark = "text{fill:#e4e9ee}.k{fill:#9aa7b4}.g{stroke:#313b46}.a{stroke:#6d7986}.b{fill:#14191f}"
        let lightLines = colors.enumerated().map {
            ".s\($0){stroke:\($1.light)\($1.dashes.isEmpty ? "" : ";stroke-dasharray:\($1.dashes)")}"
        }.joined()
        let darkLines = colors.enumerated().map { ".s\($0){stroke:\($1.dark)}" }.joined()
        return "path{fill:none;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}.g,.a{stroke-width:1}"
            + ".h{font-size:16px;font-weight:bold}.u{font-weight:bold}.e{text-anchor:end}.m{text-anchor:middle}"
            + light + lightLines + "@media(prefers-color-scheme:dark){" + dark + darkLines + "}"
    }()

    package var svg: String {
        let span = positions
        let ticks = xTicks(span)
        var body: [String] = []
        var y = 80.0
        for (index, panel) in panels.enumerated() {
            body += draw(panel, top: y, span, ticks, isLast: index == panels.count - 1)
            y += Self.plotHeight + 58 + Self.legendHeight(panel)
        }
        y += 14
        for note in notes {
            body.append(Self.text(note, "k", Self.left, y))
            y += Self.legendRow
        }
        let height = SVGText.coordinate(y + 8)
        let width = SVGText.coordinate(Self.width)
        let head = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(width) \#(height)" width="\#(width)" "#
                + #"role="img" aria-labelledby="title desc" font-family="sans-serif" font-size="12">"#,
            #"<title id="title">\#(SVGText.escaped(title))</title>"#,
            #"<desc id="desc">\#(SVGText.escaped(description))</desc>"#,
            "<style>\(Self.style)</style>",
            #"<rect class="b" width="100%" height="100%"/>"#,
            Self.text(SVGText.fitted(title, columns: 84), "h", 16, 26),
            Self.text(SVGText.fitted(caption, columns: 120), "k", 16, 46),
        ]
        return (head + body + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    /// The chart in words, for screen readers.
    private var description: String {
        let lines = panels.flatMap { panel in panel.series.map { Self.words($0, panel.unit) + "." } }
        return ([caption] + lines + notes).joined(separator: " ")
    }

    /// A line in words: its name, how many values it has, their range, and the last one.
    private static func words(_ series: Series, _ unit: String) -> String {
        guard let range = range(of: series.values, unit), let last = series.values.last?.value else {
            return "\(series.name): no number"
        }
        return "\(series.name): \(count: series.values.count, "value"), \(range), last \(number(last))"
    }

    /// The least and the greatest value with the unit; `nil` without values.
    private static func range(of values: SampledSeries, _ unit: String) -> String? {
        guard let least = values.buckets.map(\.least.value).min(),
            let greatest = values.buckets.map(\.greatest.value).max()
        else { return nil }
        return "\(number(least)) to \(number(greatest))\(unit.isEmpty ? "" : " \(unit)")"
    }

    /// A value with two digits after the point, or in few digits if it is tiny.
    private static func number(_ value: Double) -> String {
        let rounded = (value * 100).rounded() / 100
        return abs(value) >= 0.01 || value == 0
            ? AxisTicks.decimal(rounded, step: 0.01).trimmingZeros : AxisTicks.brief(value)
    }

    // MARK: - Axes

    /// The range of positions of all panels, which share one axis.
    private var positions: ClosedRange<Double> {
        let buckets = panels.flatMap(\.series).flatMap(\.values.buckets)
        let all = buckets.flatMap { [$0.least.position, $0.greatest.position] }
        guard let least = all.min(), let greatest = all.max() else { return 0...1 }
        return least...greatest
    }

    /// The ticks of the common axis. Times count from the first point.
    private func xTicks(_ span: ClosedRange<Double>) -> AxisTicks {
        switch axis {
        case .time: AxisTicks(seconds: span.upperBound - span.lowerBound, count: 8)
        case .number: AxisTicks(from: span.lowerBound, to: span.upperBound, count: 8)
        }
    }

    private func name(of ticks: AxisTicks) -> String {
        switch axis {
        case .time: "time (\(ticks.unit))"
        case .number(let name, let unit): unit.isEmpty ? name : "\(name) (\(unit))"
        }
    }

    // MARK: - Panels

    /// A panel: its heading, the grid with labels, the lines, and the legend. Only the last panel names the
    /// axis.
    private func draw(
        _ panel: Panel,
        top: Double,
        _ span: ClosedRange<Double>,
        _ ticks: AxisTicks,
        isLast: Bool
    ) -> [String] {
        let bottom = top + Self.plotHeight
        let buckets = panel.series.flatMap(\.values.buckets)
        let least = buckets.map(\.least.value).min() ?? 0
        let values = AxisTicks(from: least, to: buckets.map(\.greatest.value).max() ?? 1, count: 5)
        // The axis of time begins at the first value.
        let origin = axis == .time ? span.lowerBound : 0
        func x(_ position: Double) -> Double {
            Self.left + Self.share(position - origin, ticks.range) * (Self.right - Self.left)
        }
        func y(_ value: Double) -> Double { bottom - Self.share(value, values.range) * Self.plotHeight }

        var lines = [Self.text(SVGText.fitted(panel.label, columns: 100), "u", Self.left, top - 8)]
        for (value, label) in zip(values.values, values.labels) {
            lines.append(Self.line("g", Self.left, y(value), Self.right, y(value)))
            lines.append(Self.text(label, "k e", Self.left - 8, y(value) + 4))
        }
        for (value, label) in zip(ticks.values, ticks.labels) {
            lines.append(Self.line("g", x(value + origin), top, x(value + origin), bottom))
            lines.append(Self.text(label, "k m", x(value + origin), bottom + 16))
        }
        lines.append(Self.line("a", Self.left, bottom, Self.right, bottom))
        if isLast { lines.append(Self.text(name(of: ticks), "k e", Self.right, bottom + 33)) }
        for (index, series) in panel.series.enumerated() {
            let path = Self.path(series.values, x, y)
            if !path.isEmpty { lines.append(#"<path class="\#(Self.color(index))" d="\#(path)"/>"#) }
        }
        return lines + legend(panel, top: bottom + (isLast ? 50 : 36))
    }

    /// The path of a line. It is interrupted at gaps, and a single point between two gaps gets a length,
    /// because a path of no length is invisible.
    private static func path(
        _ values: SampledSeries,
        _ x: (Double) -> Double,
        _ y: (Double) -> Double
    ) -> String {
        var path = ""
        var isOpen = false
        for (index, bucket) in values.buckets.enumerated() {
            if bucket.followsGap { isOpen = false }
            let isAlone =
                !isOpen && bucket.points.count == 1
                && (index + 1 == values.buckets.count || values.buckets[index + 1].followsGap)
            for point in bucket.points {
                path +=
                    "\(isOpen ? "L" : "M")\(SVGText.coordinate(x(point.position))) \(SVGText.coordinate(y(point.value)))"
                isOpen = true
            }
            // A round end makes a dot of it.
            if isAlone { path += "h0.1" }
        }
        return path
    }

    private static func legendHeight(_ panel: Panel) -> Double {
        let columns = legendColumns(panel)
        return Double((panel.series.count + columns - 1) / columns) * legendRow
    }

    /// The entry of a line in the legend: its name and its range.
    private static func legendWords(_ series: Series, _ unit: String) -> String {
        SVGText.fitted("\(series.name): \(range(of: series.values, unit) ?? "no number")", columns: legendWidth)
    }

    /// Two columns, unless an entry is too long for one of them.
    private static func legendColumns(_ panel: Panel) -> Int {
        panel.series.allSatisfy { TerminalText.width(of: legendWords($0, panel.unit)) <= halfLegendWidth } ? 2 : 1
    }

    /// The legend: for each line a sample of its stroke, its name and its range.
    private func legend(_ panel: Panel, top: Double) -> [String] {
        let columns = Self.legendColumns(panel)
        return panel.series.enumerated().flatMap { index, series in
            let column = Double(index % columns)
            let x = Self.left + column * (Self.right - Self.left) / Double(columns)
            let y = top + Double(index / columns) * Self.legendRow
            let words = Self.legendWords(series, panel.unit)
            let (from, to) = (SVGText.coordinate(x), SVGText.coordinate(y))
            return [
                #"<path class="\#(Self.color(index))" d="M\#(from) \#(to)h24"/>"#, Self.text(words, "k", x + 30, y + 4),
            ]
        }
    }

    // MARK: - Elements

    /// The class of a line's colour. Colours repeat when there are more lines than colours.
    private static func color(_ index: Int) -> String { "s\(index % colors.count)" }

    /// The position in a range, from 0 to 1.
    private static func share(_ value: Double, _ range: ClosedRange<Double>) -> Double {
        // Ticks cover at least one step, so that the range is never empty.
        (value - range.lowerBound) / (range.upperBound - range.lowerBound)
    }

    /// A text element. `kind` lists the classes of the style sheet.
    private static func text(_ text: String, _ kind: String, _ x: Double, _ y: Double) -> String {
        let (x, y) = (SVGText.coordinate(x), SVGText.coordinate(y))
        return #"<text class="\#(kind)" x="\#(x)" y="\#(y)">\#(SVGText.escaped(text))</text>"#
    }

    /// A straight line. `kind` is its class in the style sheet.
    private static func line(_ kind: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        let numbers = [x1, y1, x2, y2].map(SVGText.coordinate)
        return #"<path class="\#(kind)" d="M\#(numbers[0]) \#(numbers[1])L\#(numbers[2]) \#(numbers[3])"/>"#
    }
}

extension String {
    /// A decimal number without zeros after the last digit.
    fileprivate var trimmingZeros: String {
        guard contains(".") else { return self }
        var text = self
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }
}
