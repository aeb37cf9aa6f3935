// SPDX-License-Identifier: MIT

extension Duration {
    /// In seconds or, if it is shorter than one, in the unit in which it is one at least: `10 s`, `1.5 s`, `200 ms`, `300 us`.
    public var text: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        if seconds == 0 {
            if milliseconds != 0 || attoseconds == 0 { return "\(milliseconds) ms" }
            let nanoseconds = attoseconds / 1_000_000_000
            return abs(nanoseconds) < 1_000 ? "\(nanoseconds) ns" : "\(nanoseconds / 1_000) us"
        }
        guard milliseconds != 0 else { return "\(seconds) s" }
        // The thousand keeps the leading zeros: 5 ms are the digits 005.
        let digits = String(1_000 + abs(milliseconds)).dropFirst()
        let zeros = digits.reversed().prefix { $0 == "0" }.count
        return "\(seconds).\(digits.dropLast(zeros)) s"
    }
}
