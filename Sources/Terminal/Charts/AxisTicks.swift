// SPDX-License-Identifier: GPL-2.0-or-later

/// The ticks of an axis, at round numbers, and the range that they cover.
struct AxisTicks: Sendable, Equatable {
    /// The positions, from the lowest to the highest.
    package let values: [Double]
    /// A text for each.
    package let labels: [String]
    /// From the first to the last tick. It covers all values, and its ends are round numbers.
    package let range: ClosedRange<Double>
    /// The unit of the labels; empty if it is that of the values.
    package var unit = ""

    /// Ticks for numbers.
    init(from lowest: Double, to highest: Double, count: Int) {
        var (low, high) = (min(lowest, highest), max(lowest, highest))
        if high - low <= abs(high) * 1e-9 {
            // Equal numbers are in the middle.
            let margin = max(1, abs(high) * 0.05)
            (low, high) = (low - margin, high + margin)
        }
        let step = Self.step((high - low) / Double(max(1, count)))
        self.init((low / step).rounded(.down), (high / step).rounded(.up), step) { Self.decimal($0, step: step) }
    }

    /// Ticks for seconds that begin at zero.
    init(seconds: Double, count: Int) {
        let span = max(seconds, 1e-3)
        let wanted = span / Double(max(1, count))
        let round = Self.roundTimes.first { $0 >= wanted } ?? 86_400 * Self.step(wanted / 86_400)
        let step = wanted < 1 ? Self.step(wanted) : round
        let end = (span / step).rounded(.up)
        switch span {
        case ..<120:
            self.init(0, end, step) { Self.decimal($0, step: step) }
            unit = "s"
        case ..<7_200:
            self.init(0, end, step) { Self.sexagesimal($0) }
            unit = "min:s"
        default:
            self.init(0, end, step) { Self.sexagesimal(($0 / 60).rounded()) }
            unit = "h:min"
        }
    }

    /// Ticks at multiples of a step, from `first` to `last` times the step. At most 100, so that no input makes
    /// a chart endless.
    private init(_ first: Double, _ last: Double, _ step: Double, _ label: (Double) -> String) {
        let count = max(1, min(100, Int(min(100, last - first))))
        values = (0...count).map { (first + Double($0)) * step }
        labels = values.map(label)
        range = first * step...max(last, first + 1) * step
    }

    /// The steps for times, in seconds: parts of minutes, hours and days that people read at once.
    private static let roundTimes: [Double] = [
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400,
    ]

    /// The least of 1, 2 and 5, times a power of ten, that is not below a positive number.
    package static func step(_ wanted: Double) -> Double {
        guard wanted.isFinite, wanted > 0 else { return 1 }
        var power = 1.0
        // The bounds keep the step above zero and finite for every number.
        while power > wanted, power > 1e-300 { power /= 10 }
        while power * 10 <= wanted, power < 1e300 { power *= 10 }
        // A hair of tolerance, because powers below one are not exact.
        let factor = [1.0, 2, 5].first { $0 * power >= wanted * (1 - 1e-9) } ?? 10
        return factor * power
    }

    /// A number with as many digits as its step has.
    package static func decimal(_ value: Double, step: Double) -> String {
        guard abs(value) < 1e9, step >= 1e-6 else { return brief(value) }
        var places = 0
        var scaled = step
        while places < 6, abs(scaled - scaled.rounded()) > 1e-6 || scaled < 0.5 {
            scaled *= 10
            places += 1
        }
        let text = NumberText.decimal(value, places: places)
        // A tick that is rounded to zero has no sign.
        return text.hasPrefix("-") && text.allSatisfy({ "-0.".contains($0) }) ? String(text.dropFirst()) : text
    }

    /// A very large or very small number with few digits.
    static func brief(_ value: Double) -> String {
        // A Float prints at most nine digits, which fit beside the axis.
        let short = Float(value)
        return short.isFinite && (short != 0 || value == 0) ? "\(short)" : "\(value)"
    }

    /// A number of sixtieths: `2:05`.
    private static func sexagesimal(_ value: Double) -> String {
        // The bounds keep the conversion from trapping.
        let number = Int(min(1e9, max(0, value.rounded())))
        return "\(number / 60):\(number % 60 < 10 ? "0" : "")\(number % 60)"
    }
}
