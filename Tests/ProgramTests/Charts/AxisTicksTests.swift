// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Terminal

@Suite("Axes of charts")
struct AxisTicksTests {
    @Test(
        "numbers have round ticks with as many digits as they need",
        arguments: [
            (61.0, 93.0, ["60", "70", "80", "90", "100"]),
            (0.0, 1.0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
            (-82.0, -41.0, ["-90", "-80", "-70", "-60", "-50", "-40"]),
            (-0.02, 0.03, ["-0.02", "-0.01", "0.00", "0.01", "0.02", "0.03"]),
            (20.75, 20.86, ["20.75", "20.80", "20.85", "20.90"]),
            (87.0, 87.0, ["82", "84", "86", "88", "90", "92"]),
        ]
    )
    func numbers(lowest: Double, highest: Double, labels: [String]) {
        let ticks = AxisTicks(from: lowest, to: highest, count: 5)
        #expect(ticks.labels == labels)
        #expect(ticks.range.contains(lowest) && ticks.range.contains(highest))
        #expect(ticks.values.first == ticks.range.lowerBound && ticks.values.last == ticks.range.upperBound)
    }

    @Test(
        "seconds have ticks at round times",
        arguments: [
            (0.0, "s", ["0.0000", "0.0002", "0.0004", "0.0006", "0.0008", "0.0010"]),
            (4.2, "s", ["0", "1", "2", "3", "4", "5"]),
            (90.0, "s", ["0", "15", "30", "45", "60", "75", "90"]),
            (600.0, "min:s", ["0:00", "2:00", "4:00", "6:00", "8:00", "10:00"]),
            (40_000.0, "h:min", ["0:00", "2:00", "4:00", "6:00", "8:00", "10:00", "12:00"]),
        ]
    )
    func seconds(span: Double, unit: String, labels: [String]) {
        let ticks = AxisTicks(seconds: span, count: 6)
        #expect(ticks.labels == labels && ticks.unit == unit)
        #expect(ticks.range.contains(span))
    }

    @Test(
        "every range that a device can cause has some ticks, and not too many",
        arguments: [(-1e150, 1e150), (1e150, 1e150), (0, 1e-300), (-1e-300, 1e-300), (1e17, 1e17 + 16), (1e9, 1e9 + 1)]
    )
    func extremes(lowest: Double, highest: Double) {
        let ticks = AxisTicks(from: lowest, to: highest, count: 5)
        #expect((2...101).contains(ticks.values.count) && ticks.labels.count == ticks.values.count)
        #expect(ticks.values.allSatisfy(\.isFinite) && ticks.range.lowerBound < ticks.range.upperBound)
        let times = AxisTicks(seconds: abs(highest), count: 8)
        #expect((2...101).contains(times.values.count))
    }
}
