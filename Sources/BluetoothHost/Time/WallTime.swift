// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// A wall-clock moment: nanoseconds since 1970-01-01T00:00:00Z.
public struct WallTime: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Nanoseconds since the Unix epoch.
    public let nanoseconds: Int64

    /// The moment that many nanoseconds after the Unix epoch.
    public init(nanosecondsSince1970 nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// A later moment. An overflow wraps, so that no addition traps.
    public static func + (time: Self, duration: Duration) -> Self {
        WallTime(nanosecondsSince1970: time.nanoseconds &+ duration.clampedNanoseconds)
    }

    /// RFC 3339 in UTC with microseconds: `2026-11-20T05:50:45.000001Z`.
    public var description: String {
        let text = text
        return String(unsafeUninitializedCapacity: text.count) { buffer in
            for index in text.indices { buffer[index] = text[index] }
            return text.count
        }
    }

    /// The octets of `description`, which are all ASCII characters.
    public var text: InlineArray<27, UInt8> {
        let microseconds = floorDivision(nanoseconds, 1_000).quotient
        let (seconds, fraction) = floorDivision(microseconds, 1_000_000)
        let (days, second) = floorDivision(seconds, 86_400)
        let (year, month, day) = Self.civilDate(daysSince1970: days)
        // So many nanoseconds reach from 1677 to 2262: a year has four digits.
        var text = InlineArray<27, UInt8>(repeating: 0)
        var position = 0
        func put(_ value: Int64, _ digits: Int, _ end: Unicode.Scalar) {
            var rest = value
            for index in (position..<position + digits).reversed() {
                text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            text[position + digits] = UInt8(ascii: end)
            position += digits + 1
        }
        put(year, 4, "-")
        put(month, 2, "-")
        put(day, 2, "T")
        put(second / 3_600, 2, ":")
        put(second / 60 % 60, 2, ":")
        put(second % 60, 2, ".")
        put(fraction, 6, "Z")
        return text
    }

    /// The date in the proleptic Gregorian calendar. It counts eras of 400 years, and years that begin in March,
    /// because the leap day is then the last day of its year.
    private static func civilDate(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let (era, dayOfEra) = floorDivision(shifted, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

private func floorDivision(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}
