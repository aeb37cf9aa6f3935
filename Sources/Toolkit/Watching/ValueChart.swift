// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Records
import Synchronization
import Terminal

/// Draws the numbers of a device's values over time, for `--chart`.
final class ValueChart: ChartSource {
    private struct State {
        /// The device in words; empty before the first value.
        var device = ""
        /// When the first value came.
        var begin: Timestamp?
        /// When the last value came.
        var end: Timestamp?
        /// The numbers in the order of their first appearance.
        var series: [(key: NumberKey, values: SampledSeries)] = []
        /// The names of those that are not drawn, because there are too many.
        var left: Set<NumberKey> = []
        /// The number of values, with those that have no number in them.
        var valueCount = 0
        /// The number of gaps, for the remark below the chart.
        var gapCount = 0

        /// Adds the numbers of a value. Positions are seconds since the first value.
        mutating func received(
            _ presentation: ValuePresentation,
            _ device: DeviceReference,
            _ label: String?,
            _ timestamp: Timestamp
        ) {
            self.device = device.text
            let begin = begin ?? timestamp
            self.begin = begin
            end = timestamp
            valueCount += 1
            guard let content = presentation.decoded?.content else { return }
            let position = (timestamp.monotonic - begin.monotonic) / .seconds(1)
            for (key, number) in NumberKey.numbers(in: content, label: label) {
                if let index = series.firstIndex(where: { $0.key == key }) {
                    series[index].values.add(number, at: position)
                } else if series.count < ValueChart.limit {
                    let place = series.place(of: key)
                    series.insert((key, SampledSeries()), at: place)
                    series[place].values.add(number, at: position)
                } else if left.count < ValueChart.limit {
                    left.insert(key)
                }
            }
        }

        /// Interrupts every line, because a gap concerns all characteristics of the link.
        mutating func interrupted() {
            gapCount += 1
            for index in series.indices { series[index].values.interrupt() }
        }
    }

    /// The maximum number of numbers that are drawn.
    private static let limit = 16

    /// The name of the observation, for the title.
    private let subject: String
    /// The collected values. Results come from the operation, and the chart is read after it.
    private let state = Mutex(State())

    init(_ subject: String) { self.subject = subject }

    package func add(_ result: OperationResult) {
        state.withLock { state in
            switch result {
            case .measurement(let result):
                state.received(result.presentation, result.attribute.device, result.label, result.timestamp)
            case .value(let result):
                let label = result.isLabelled ? result.attribute.target : nil
                state.received(result.presentation, result.attribute.device, label, result.timestamp)
            case .interruption(let result):
                switch result.kind {
                // A restored link needs nothing more, because its loss has interrupted the lines.
                case .lost, .dropped: state.interrupted()
                case .restored, .databaseChanged: break
                }
            case .failed, .device, .other: break
            }
        }
    }

    /// The chart, with a panel for each unit.
    package var chart: LineChart {
        state.withLock { state in
            var panels: [LineChart.Panel] = []
            for (key, values) in state.series {
                let line = LineChart.Series(name: key.name, values: values)
                if let index = panels.firstIndex(where: { $0.unit == key.unit }) {
                    panels[index].series.append(line)
                } else {
                    panels.append(LineChart.Panel(unit: key.unit, series: [line]))
                }
            }
            var caption = "\(count: state.valueCount, "value")"
            if let begin = state.begin { caption += " from \(begin.wall.description)" }
            if let end = state.end { caption += " to \(end.wall.description)" }
            var remarks: [String] = []
            if state.gapCount > 0 { remarks.append("\(count: state.gapCount, "gap"), where values are missing.") }
            if !state.left.isEmpty {
                let isAll = state.left.count < Self.limit
                let names = state.left.map(\.name).sorted()
                remarks.append(
                    "Not drawn, because there are too many: \(Prose.list(names, "and"))\(isAll ? "" : ", and more")."
                )
            }
            let title = state.device.isEmpty ? subject : "\(state.device)  \(subject)"
            return LineChart(title: title, caption: caption + ".", panels: panels, remarks: remarks)
        }
    }
}

/// Passes results on, and gives them to a chart.
struct ChartedSink: ResultSink {
    /// The chart that sees each result first.
    package let chart: ValueChart
    /// The sink that shows it.
    package let next: any ResultSink

    /// Gives a result to the chart and to the sink. The chart never fails.
    package func emit(_ result: OperationResult) async throws {
        chart.add(result)
        try await next.emit(result)
    }
}
