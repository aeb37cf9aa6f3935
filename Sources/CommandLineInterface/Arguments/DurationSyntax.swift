// SPDX-License-Identifier: GPL-2.0-or-later

/// Durations on the command line and in scripts: `5`, `1.5`, `500ms`, `2 s`, `1m`, `8h`. Device files and faults have the
/// same units.
///
/// Parsed with integers only, because floating-point numbers would be rounded, could be infinite and could overflow.
package enum DurationSyntax {
    /// The maximum duration: a year. It keeps every sum of instants far from overflow.
    package static let longest: Duration = .seconds(365 * 24 * 60 * 60)

    private static let mostDigits = 15

    // The order matters: `500ms` also ends in `s`.
    private static let units: [(suffix: String, duration: Duration)] = [
        ("ns", .nanoseconds(1)), ("us", .microseconds(1)), ("ms", .milliseconds(1)), ("s", .seconds(1)),
        ("min", .seconds(60)), ("m", .seconds(60)), ("h", .seconds(3_600)), ("d", .seconds(86_400)),
    ]

    package static var unitNames: [String] { units.map(\.suffix) }

    package static func parse(_ text: String) throws(ValueProblem) -> Duration {
        let unit = units.first { text.hasSuffix($0.suffix) }
        var digits = text.utf8.dropLast(unit?.suffix.utf8.count ?? 0)
        if unit != nil, digits.last == UInt8(ascii: " ") { digits.removeLast() }
        let parts = digits.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard
            let whole = number(parts[0], digits: 1...mostDigits),
            let billionths = parts.count == 1 ? 0 : fraction(parts[1])
        else {
            let isLong = parts[0].count > mostDigits && parts[0].allSatisfy { (0x30...0x39).contains($0) }
            if isLong { throw ValueProblem(expectation: "expected a year at most") }
            throw ValueProblem(expectation: "expected a time such as 5, 1.5, 500ms, 2s, 1m or 8h")
        }
        let unitDuration = unit?.duration ?? .seconds(1)
        // The limit is checked after the multiplication: a Duration has 128 bits, and so many digits of days fit.
        let duration = unitDuration * whole + unitDuration * billionths / 1_000_000_000
        guard duration > .zero else { throw ValueProblem(expectation: "expected more than zero") }
        guard duration <= longest else { throw ValueProblem(expectation: "expected a year at most") }
        return duration
    }

    /// Decimal digits as a number. Their count is limited so that the number cannot overflow.
    private static func number(_ digits: Substring.UTF8View, digits count: ClosedRange<Int>) -> Int64? {
        guard count.contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// The digits after the point, in billionths.
    private static func fraction(_ digits: Substring.UTF8View) -> Int64? {
        guard var value = number(digits, digits: 1...9) else { return nil }
        for _ in digits.count..<9 { value *= 10 }
        return value
    }
}
