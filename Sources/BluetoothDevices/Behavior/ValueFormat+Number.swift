// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

extension ValueFormat {
    /// A number, rounded to what the format can hold; `nil` if it is out of range or the format is not one of numbers.
    func octets(of number: DecimalNumber) -> [UInt8]? {
        switch kind {
        case .hex, .raw, .utf8, .utf16: nil
        case .unsigned, .signed: try? encode(number.rounded(toPlaces: 0).wholeDigits)
        case .float: try? encode(number.description)
        case .medicalFloat(let octets): try? encode(number.rounded(toDigits: octets == 2 ? 3 : 6).description)
        }
    }
}

extension DecimalNumber {
    /// The number as a binary fraction, for generators.
    var double: Double { Double(description) ?? 0 }

    /// The number as an integer; `nil` if it is none, or too large.
    var integer: Int64? { Int64(wholeDigits) }

    /// An integer without an exponent.
    fileprivate var wholeDigits: String {
        guard exponent > 0, exponent <= 40 else { return description }
        return (isNegative ? "-" : "") + String(magnitude) + String(repeating: "0", count: exponent)
    }

    /// The number with at most that many significant digits.
    fileprivate func rounded(toDigits digits: Int) -> DecimalNumber {
        let count = String(magnitude).utf8.count
        return count > digits ? rounded(toPlaces: -exponent - (count - digits)) : self
    }
}
