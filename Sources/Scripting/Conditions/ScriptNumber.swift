// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// A number of a record or of a script. Whole numbers are compared exactly, however many digits they have.
enum ScriptNumber: Comparable {
    /// A number without a fraction, as handles, counters and counts of octets are.
    case whole(Int128)
    /// A decimal number without a fraction that does not fit into 128 bits, or a hexadecimal one of 128 bits.
    case long(LongNumber)
    /// A number with a point or an exponent.
    case fraction(Double)

    /// Reads a decimal number, or a hexadecimal one of at most 128 bits after `0x`; `nil` for any other text.
    init?(_ text: String) {
        let isNegative = text.first == "-"
        let digits = isNegative || text.first == "+" ? text.dropFirst() : text[...]
        // A digit or a point comes first, so that 'inf' and 'nan', which Double accepts, are texts.
        guard let first = digits.utf8.first, (0x30...0x39).contains(first) || first == UInt8(ascii: ".") else {
            return nil
        }
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            // The digits have no sign of their own, so that the magnitude is not negative.
            guard let magnitude = UInt128(hexDigits: digits.dropFirst(2)) else { return nil }
            self.init(isNegative, decimal: String(magnitude)[...])
        } else if digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            self.init(isNegative, decimal: digits)
        } else if let fraction = Double(text), fraction.isFinite {
            // 1e999 would be infinite, and equal to every other number of that kind. As a text it is compared
            // exactly.
            self = .fraction(fraction)
        } else {
            return nil
        }
    }

    /// - Parameter digits: Only digits, at least one.
    private init(_ isNegative: Bool, decimal digits: Substring) {
        if let whole = Int128((isNegative ? "-" : "") + digits) {
            self = .whole(whole)
        } else {
            self = .long(LongNumber(isNegative: isNegative, digits: String(digits.drop { $0 == "0" })))
        }
    }

    package static func == (left: Self, right: Self) -> Bool { order(left, right) == 0 }

    package static func < (left: Self, right: Self) -> Bool { order(left, right) < 0 }

    /// Negative if the first number is less, 0 if they are equal, positive if it is greater.
    private static func order(_ left: Self, _ right: Self) -> Int {
        switch (left, right) {
        case (.whole(let left), .whole(let right)): sign(left, right)
        case (.fraction(let left), .fraction(let right)): sign(left, right)
        case (.whole(let left), .fraction(let right)): order(left, right)
        case (.fraction(let left), .whole(let right)): -order(right, left)
        case (.long(let left), .long(let right)): left.order(right)
        case (.long(let left), .whole): left.isNegative ? -1 : 1
        case (.whole, .long(let right)): right.isNegative ? 1 : -1
        case (.long(let left), .fraction(let right)): sign(left.double, right)
        case (.fraction(let left), .long(let right)): sign(left, right.double)
        }
    }

    /// The order of a whole number and one with a fraction. The whole number is not made a Double, which has 53 bits,
    /// so that large ones would seem to be equal.
    private static func order(_ whole: Int128, _ fraction: Double) -> Int {
        let floor = fraction.rounded(.down)
        guard let part = Int128(exactly: floor) else { return fraction > 0 ? -1 : 1 }
        return whole == part && fraction > floor ? -1 : sign(whole, part)
    }

    private static func sign<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
        left == right ? 0 : left < right ? -1 : 1
    }
}

/// A whole number that does not fit into 128 bits with a sign.
struct LongNumber: Equatable, Sendable {
    let isNegative: Bool
    /// Its decimal digits, without zeros in front.
    package let digits: String

    /// The nearest number of that type; infinite if there is none.
    fileprivate var double: Double { (isNegative ? -1 : 1) * (Double(digits) ?? .infinity) }

    /// Negative if this number is less, 0 if they are equal, positive if it is greater.
    fileprivate func order(_ other: Self) -> Int {
        guard isNegative == other.isNegative else { return isNegative ? -1 : 1 }
        guard digits != other.digits else { return 0 }
        let (own, others) = (digits.utf8.count, other.digits.utf8.count)
        // Of as many digits, the order is that of the texts.
        let isSmaller = own == others ? digits < other.digits : own < others
        return isSmaller != isNegative ? -1 : 1
    }
}
