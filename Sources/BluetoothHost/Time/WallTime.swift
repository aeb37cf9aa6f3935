// SPDX-License-Identifier: MIT

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
        let date = CivilDate(daysSinceEpoch: Int(days))
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
        put(Int64(date.year), 4, "-")
        put(Int64(date.month), 2, "-")
        put(Int64(date.day), 2, "T")
        put(second / 3_600, 2, ":")
        put(second / 60 % 60, 2, ":")
        put(second % 60, 2, ".")
        put(fraction, 6, "Z")
        return text
    }
}
