// SPDX-License-Identifier: GPL-2.0-or-later

/// Small charts of numbers, drawn with characters.
package struct Chart: Sendable {
    private let glyphs: Glyphs

    package init(_ glyphs: Glyphs) { self.glyphs = glyphs }

    /// The share of a range, as a bar.
    ///
    /// - Parameter share: 0 to 1; other values are clamped.
    package func bar(_ share: Double, columns: Int) -> String {
        let parts = glyphs.bar.count
        let filled = Int((min(1, max(0, share)) * Double(columns * parts)).rounded())
        let rest = filled % parts
        var bar = String(repeating: glyphs.bar[parts - 1], count: filled / parts)
        if rest > 0 { bar += glyphs.bar[rest - 1] }
        return bar + String(repeating: glyphs.track, count: columns - filled / parts - (rest > 0 ? 1 : 0))
    }

    /// The last numbers, one a column, as lines from top to bottom, scaled to a range. A gap is a missing number.
    package func lines(_ values: [Double?], columns: Int, rows: Int, in range: ClosedRange<Double>) -> [String] {
        guard columns > 0, rows > 0 else { return [] }
        // By halves, because the difference of two numbers that a device sends may be infinite.
        let (lowest, span) = (range.lowerBound / 2, range.upperBound / 2 - range.lowerBound / 2)
        let steps = glyphs.levels.count
        let heights = values.suffix(columns).map { value -> Int in
            guard let value else { return 0 }
            // Even the smallest number is visible, and equal numbers are drawn in the middle.
            let share = span > 0 ? min(1, max(0, (value / 2 - lowest) / span)) : 0.5
            return 1 + Int((share * Double(rows * steps - 1)).rounded())
        }
        return (0..<rows).reversed().map { row in
            heights.map { height in
                let part = min(steps, height - row * steps)
                return part > 0 ? glyphs.levels[part - 1] : " "
            }.joined()
        }
    }

    /// The last numbers on one line, scaled to the least and the greatest of them.
    package func sparkline(_ values: [Double?], columns: Int) -> String {
        let shown = values.suffix(max(0, columns))
        let numbers = shown.compactMap { $0 }
        guard let least = numbers.min(), let greatest = numbers.max() else { return "" }
        return lines(Array(shown), columns: columns, rows: 1, in: least...greatest).first ?? ""
    }
}
