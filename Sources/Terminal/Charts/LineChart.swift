// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Numbers over time, or over other numbers, as a picture: a panel for each unit, one below the other, with a line for
/// each series.
///
/// To draw one, fill a `SampledSeries` for each line, and write `LineChart(…).svg` to a `ChartFile`.
package struct LineChart: Sendable, Equatable {
    /// The meaning of the positions of points.
    package enum Axis: Sendable, Equatable {
        /// Seconds since the beginning.
        case time
        /// A number with a name and a unit, which may be empty.
        case number(name: String, unit: String)
    }

    package struct Series: Sendable, Equatable {
        package let name: String
        package let values: SampledSeries

        package init(name: String, values: SampledSeries) {
            self.name = name
            self.values = values
        }
    }

    /// The lines of a unit.
    package struct Panel: Sendable, Equatable {
        /// The symbol of the unit; empty if there is none.
        package let unit: String
        /// The lines of this unit, in the order of their colours.
        package var series: [Series]

        package init(unit: String, series: [Series]) {
            self.unit = unit
            self.series = series
        }

        /// The name of the axis: that of the only series, or the unit.
        package var label: String {
            let name = series.count == 1 ? series[0].name : ""
            guard !unit.isEmpty else { return name }
            return name.isEmpty ? unit : "\(name) (\(unit))"
        }
    }

    package let title: String
    /// Where and when it was seen, in a sentence.
    package let caption: String
    package var axis = Axis.time
    /// The panels from top to bottom.
    package var panels: [Panel]
    /// The omissions, in sentences.
    package var remarks: [String] = []

    package init(title: String, caption: String, axis: Axis = Axis.time, panels: [Panel], remarks: [String] = []) {
        self.title = title
        self.caption = caption
        self.axis = axis
        self.panels = panels
        self.remarks = remarks
    }

    /// The notes that a reader needs besides the lines.
    package var notes: [String] {
        let series = panels.flatMap(\.series).map(\.values)
        let merged = series.reduce(0) { $0 + $1.mergedCount }
        let omitted = series.reduce(0) { $0 + $1.omittedCount }
        var notes: [String] = []
        if series.allSatisfy(\.buckets.isEmpty) { notes.append("There are no numbers.") }
        if merged > 0 {
            let total = series.reduce(0) { $0 + $1.count }
            notes.append(
                "\(count: merged, "value") of \(total) merged with neighbours; the least and the greatest are drawn."
            )
        }
        if omitted > 0 { notes.append("\(count: omitted, "value") too large to be drawn.") }
        return notes + remarks
    }
}
