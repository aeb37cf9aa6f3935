// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Numbers over time, or over other numbers, as a picture: a panel for each unit, one below the other, with a line for
/// each series.
///
/// To draw one, fill a `SampledSeries` for each line, and write `LineChart(…).svg` to a `ChartFile`.
struct LineChart: Sendable, Equatable {
    /// The meaning of the positions of points.
    enum Axis: Sendable, Equatable {
        /// Seconds since the beginning.
        case time
        /// A number with a name and a unit, which may be empty.
        case number(name: String, unit: String)
    }

    struct Series: Sendable, Equatable {
        /// The name in the legend.
        let name: String
        let values: SampledSeries
    }

    /// The lines of a unit.
    struct Panel: Sendable, Equatable {
        /// The symbol of the unit; empty if there is none.
        let unit: String
        /// The lines of this unit, in the order of their colours.
        var series: [Series]

        /// The name of the axis: that of the only series, or the unit.
        var label: String {
            let name = series.count == 1 ? series[0].name : ""
            guard !unit.isEmpty else { return name }
            return name.isEmpty ? unit : "\(name) (\(unit))"
        }
    }

    let title: String
    /// Where and when it was seen, in a sentence.
    let caption: String
    /// The common horizontal axis.
    var axis = Axis.time
    /// The panels from top to bottom.
    var panels: [Panel]
    /// The omissions, in sentences.
    var remarks: [String] = []

    /// The notes that a reader needs besides the lines.
    var notes: [String] {
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
