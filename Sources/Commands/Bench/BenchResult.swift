// SPDX-License-Identifier: GPL-2.0-or-later

import Records
import Terminal
import Toolkit

struct BenchResult: RecordedResult {
    private static let barWidth = 40
    /// The shortest connection interval. What is queued in less may not have been sent at all.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 4.5.1
    private static let shortestInterval = Duration.microseconds(7_500)

    let device: DeviceReference
    /// `read`, `write`, `notify` or `l2cap`.
    let action: String
    /// The attribute or the service, as it was named.
    let target: String
    /// The number of operations within `elapsed`.
    let count: Int
    /// The octets of all operations, without those of protocol headers.
    let octets: Int
    /// The operations and the octets to which `elapsed` belongs: of notifications, those after the first one.
    let measured: (count: Int, octets: Int)
    /// The time of the whole measurement. It includes the wait after the last operation.
    let elapsed: Duration
    /// Whether an operation ends when it is queued, and not when the device has it.
    let isQueued: Bool
    /// `nil` if nothing was waited for.
    let latency: LatencySummary?
    let timestamp: Timestamp

    private var seconds: Double { elapsed / .seconds(1) }
    /// Whether there is a rate: operations in a time that they have taken. In virtual time they may take none.
    private var isMeasured: Bool {
        measured.count > 0 && elapsed > .zero && (!isQueued || elapsed >= Self.shortestInterval)
    }
    /// The throughput of the payload in kbit/s, with 1,000 bits to the kbit; `nil` if nothing was measured.
    private var kilobits: Double? { isMeasured ? Double(measured.octets) * 8 / 1_000 / seconds : nil }
    /// The operations per second; `nil` if nothing was measured.
    private var rate: Double? { isMeasured ? Double(measured.count) / seconds : nil }

    /// A duration in milliseconds, precise to a nanosecond.
    private static func milliseconds(_ duration: Duration) -> Double { duration / .microseconds(1) / 1_000 }

    /// All times are in milliseconds. The bins of the histogram have equal widths and cover everything from the
    /// shortest to the longest latency.
    static let record = RecordKind<Self>("bench", "what a measurement has shown") {
        RecordField.device { $0.device }
        RecordField("action", .string, "`read`, `write`, `notify` or `l2cap`") { $0.action }
        RecordField("target", .string, "characteristic or service") { $0.target }
        RecordField("count", .integer, "number of operations") { $0.count }
        RecordField("octets", .integer("bytes"), "what they have carried") { $0.octets }
        RecordField("duration_ms", .number, "time of all of them; of notifications, from the first one on") {
            milliseconds($0.elapsed)
        }
        RecordField(
            "rate_per_s",
            orNull: .number,
            "the number of operations in a second; of notifications, of those after the first one; null if they "
                + "took no time, or if all of them were only queued"
        ) { $0.rate }
        RecordField(
            "throughput_kbps",
            orNull: .number,
            "thousands of bits in a second, in one direction; null as `rate_per_s`, and for a single notification"
        ) { $0.kilobits }
        RecordField(
            "latency",
            orNull: .object {
                RecordField("min_ms", .number, "least") { milliseconds($0.least) }
                RecordField("mean_ms", .number, "mean") { milliseconds($0.mean) }
                RecordField("p50_ms", .number, "half took no longer") { milliseconds($0.percentile(50)) }
                RecordField("p90_ms", .number, "nine in ten took no longer") { milliseconds($0.percentile(90)) }
                RecordField("p99_ms", .number, "99 in a hundred took no longer") { milliseconds($0.percentile(99)) }
                RecordField("max_ms", .number, "greatest") { milliseconds($0.greatest) }
            },
            "time of an operation; null if nothing was waited for"
        ) { $0.latency }
        RecordField(
            "histogram",
            .array(
                of: .object {
                    RecordField("from_ms", .number, "its beginning") { milliseconds($0.lower) }
                    RecordField("to_ms", .number, "its end") { milliseconds($0.upper) }
                    RecordField("count", .integer, "operations in it") { $0.count }
                }
            ),
            "parts of the histogram; empty if nothing was waited for"
        ) { $0.latency?.bins ?? [] }
    }

    /// The summary in one line, the percentiles in a second one, and a bar for each bin below. The longest bar
    /// has 40 columns, and a bin with any operation has at least one.
    func text(_ style: TextStyle) -> String? {
        let what = "\(action) \(target) of \(device.text): \(count)"
        guard let rate, let kilobits else { return "\(what), too few for a rate" }
        var lines = [
            "\(what) in \(Self.number(seconds)) s, \(Self.number(rate)) per second, \(Self.number(kilobits)) kbit/s"
        ]
        guard let latency else { return lines[0] }
        let parts = [
            ("min", latency.least), ("p50", latency.percentile(50)), ("p90", latency.percentile(90)),
            ("p99", latency.percentile(99)), ("max", latency.greatest), ("mean", latency.mean),
        ]
        lines.append(parts.map { "\($0) \(Self.number(Self.milliseconds($1)))" }.joined(separator: "  ") + "  ms")
        let most = latency.bins.map(\.count).max() ?? 1
        let labels = latency.bins.map { Self.number(Self.milliseconds($0.lower)) }
        let width = labels.map(\.count).max() ?? 0
        for (bin, label) in zip(latency.bins, labels) {
            let bar = String(repeating: "█", count: (bin.count * Self.barWidth + most - 1) / most)
            let margin = String(repeating: " ", count: width - label.count)
            lines.append("  \(margin)\(label) ms  \(bar.isEmpty ? "" : "\(bar) ")\(bin.count)")
        }
        return lines.joined(separator: "\n")
    }

    /// A number with three digits after the point at most.
    private static func number(_ value: Double) -> String {
        let thousandths = Int64((value * 1_000).rounded())
        let fraction = thousandths % 1_000
        guard fraction != 0 else { return "\(thousandths / 1_000)" }
        var digits = String(fraction + 1_000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(thousandths / 1_000).\(digits)"
    }
}
