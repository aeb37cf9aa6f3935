// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Numbers and times as short text for a person.
package enum NumberText {
    /// The time since something, in at most six columns.
    package static func age(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min"
        default: "\(min(9_999, seconds / 3_600)) h"
        }
    }

    /// A short time, in at most seven columns: `100 ms`, `1.28 s`.
    package static func interval(_ duration: Duration) -> String {
        let milliseconds = (duration.clampedNanoseconds + 500_000) / 1_000_000
        guard milliseconds >= 1_000 else { return "\(milliseconds) ms" }
        guard milliseconds < 60_000 else { return age(duration) }
        return decimal(Double(milliseconds) / 1_000, places: 2) + " s"
    }

    /// A number with at most so many digits after the decimal point.
    package static func decimal(_ number: Double, places: Int) -> String {
        guard number.isFinite else { return "?" }
        // A wider number, which only a device can send, stays as it is: its product may not fit into an Int64.
        guard abs(number) < 1e12 else { return number.description }
        var factor = 1.0
        for _ in 0..<places { factor *= 10 }
        let scaled = Int64((number * factor).rounded())
        let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt64(factor))
        let digits = String(fraction)
        let padded = String(repeating: "0", count: max(0, places - digits.utf8.count)) + digits
        return (scaled < 0 ? "-" : "") + "\(whole)" + (places > 0 ? ".\(padded)" : "")
    }
}
