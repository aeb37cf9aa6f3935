// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth

/// What the lines of packets have in common.
package enum PacketText {
    package static func malformed(_ error: DecodeError, _ bytes: [UInt8]) -> String {
        "malformed (\(error)): \(Hex.string(bytes))"
    }

    /// Seconds with microseconds; a whole part of fewer than three digits is padded.
    package static func seconds(_ duration: Duration) -> String {
        let microseconds = duration.clampedNanoseconds / 1_000
        // The sign stands once: quotient and remainder of a negative number are both negative.
        let sign = microseconds < 0 ? "-" : ""
        let fraction = String((microseconds % 1_000_000).magnitude)
        let whole = sign + String((microseconds / 1_000_000).magnitude)
        return String(repeating: " ", count: max(0, 3 - whole.utf8.count)) + whole + "."
            + String(repeating: "0", count: 6 - fraction.utf8.count) + fraction
    }
}
