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
        let (whole, fraction) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = String(whole)
        let sign = microseconds < 0 ? "-" : ""
        var text = String(repeating: " ", count: max(0, 3 - digits.utf8.count - sign.utf8.count))
        text += sign
        text += digits
        text += "."
        // A million more gives the fraction its leading zeros.
        text += String(fraction + 1_000_000).dropFirst()
        return text
    }
}
