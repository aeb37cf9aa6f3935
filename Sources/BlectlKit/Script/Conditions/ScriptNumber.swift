// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// A number of a record or of a script. Whole numbers are compared exactly.
enum ScriptNumber: Comparable {
    /// A number without a fraction, as handles, counters and counts of octets are.
    case whole(Int64)
    /// A number with a point or an exponent, or a decimal one that does not fit into 64 bits.
    case fraction(Double)

    /// Reads a decimal number, or a hexadecimal one behind `0x`; `nil` for any other text.
    init?(_ text: String) {
        let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
        // A digit or a point comes first, so that 'inf' and 'nan', which Double accepts, are texts.
        guard let first = digits.utf8.first, (0x30...0x39).contains(first) || first == UInt8(ascii: ".") else {
            return nil
        }
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            guard let magnitude = Int64(hexDigits: digits.dropFirst(2)) else { return nil }
            // The digits have no sign of their own, so that the magnitude is not negative and its negation cannot
            // overflow.
            self = .whole(text.first == "-" ? -magnitude : magnitude)
        } else if let whole = Int64(text) {
            self = .whole(whole)
        } else if let fraction = Double(text), fraction.isFinite {
            // 1e999 would be infinite, and equal to every other number of that kind. As a text it is compared
            // exactly.
            self = .fraction(fraction)
        } else {
            return nil
        }
    }

    private var double: Double {
        switch self {
        case .whole(let number): Double(number)
        case .fraction(let number): number
        }
    }

    // Two whole numbers are not compared as Double: it has 53 bits, so that large ones would seem to be equal.
    static func == (left: Self, right: Self) -> Bool {
        if case (.whole(let left), .whole(let right)) = (left, right) { return left == right }
        return left.double == right.double
    }

    static func < (left: Self, right: Self) -> Bool {
        if case (.whole(let left), .whole(let right)) = (left, right) { return left < right }
        return left.double < right.double
    }
}
