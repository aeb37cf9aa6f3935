// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Terminal

/// The times and the throughput of a measurement over its time, for `--chart`.
struct BenchChart: Sendable {
    /// The time over which the throughput is taken.
    private static let window = Duration.milliseconds(100)

    /// The latency of each operation, in milliseconds, by the seconds since the start.
    private var latencies = SampledSeries()
    /// The throughput of each window, in kbit/s.
    private var throughput = SampledSeries()
    /// When the first operation began; `nil` before it. The origin of the axis of time.
    private var start: Instant?
    private var windowStart: Instant?
    /// The octets of the operations that have ended in the current window.
    private var windowOctets = 0
    /// The number of operations, for the caption.
    private var count = 0

    mutating func begin(_ now: Instant) {
        start = start ?? now
        windowStart = windowStart ?? now
    }

    /// An operation has ended.
    mutating func add(octets: Int, latency: Duration?, now: Instant) {
        count += 1
        guard let start, let windowStart else {
            // The first notification: there was nothing to wait for.
            return begin(now)
        }
        let position = (now - start) / .seconds(1)
        if let latency { latencies.add(latency / .milliseconds(1), at: position) }
        windowOctets += octets
        let span = now - windowStart
        // A window ends with an operation, so that the rate is that of its real length.
        guard span >= Self.window else { return }
        throughput.add(Double(windowOctets) * 8 / 1_000 / (span / .seconds(1)), at: position)
        self.windowStart = now
        windowOctets = 0
    }

    /// The chart.
    ///
    /// - Parameters:
    ///   - title: The measured action.
    ///   - words: The name of the latency.
    func chart(_ title: String, latency words: String) -> LineChart {
        var panels: [LineChart.Panel] = []
        if latencies.count > 0 {
            panels.append(LineChart.Panel(unit: "ms", series: [.init(name: words, values: latencies)]))
        }
        if throughput.count > 0 {
            panels.append(LineChart.Panel(unit: "kbit/s", series: [.init(name: "throughput", values: throughput)]))
        }
        let remarks = throughput.count == 0 ? ["It was too short for a throughput over time."] : []
        return LineChart(
            title: title,
            caption: "\(count: count, "operation"), and the throughput in each 100 ms.",
            panels: panels,
            remarks: remarks
        )
    }
}
