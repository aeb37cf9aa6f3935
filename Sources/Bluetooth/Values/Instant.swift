// SPDX-License-Identifier: MIT

/// A moment on a monotonic clock, in nanoseconds since an arbitrary start.
///
/// State machines take instants as parameters and return deadlines. They never read a clock, so that tests control
/// time.
public struct Instant: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Nanoseconds since the clock's start.
    public let nanoseconds: Int64

    /// The moment that many nanoseconds after the clock's start.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The clock's start.
    public static let zero = Instant(nanoseconds: 0)

    /// A later moment. A sum beyond the range becomes the most distant instant, so that no addition traps.
    public static func + (instant: Self, duration: Duration) -> Self {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.clampedNanoseconds)
        return Instant(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// The time from `right` to `left`, limited to the range of an `Int64` in nanoseconds.
    public static func - (left: Self, right: Self) -> Duration {
        let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
        return .nanoseconds(overflow ? (left < right ? Int64.min : Int64.max) : difference)
    }

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    public var description: String { "\(nanoseconds) ns" }
}

extension Duration {
    /// The duration in nanoseconds, limited to the range of an `Int64` (292 years).
    public var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carry ? (seconds < 0 ? .min : .max) : sum
    }
}
