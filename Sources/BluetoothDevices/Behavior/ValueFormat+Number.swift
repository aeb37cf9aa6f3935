// SPDX-License-Identifier: MIT

import BluetoothProfiles

extension ValueFormat {
    /// A constant number, rounded to the precision of the format; `nil` if it is out of range or the format does not
    /// hold a number.
    func octets(of number: DecimalNumber) -> [UInt8]? {
        switch kind {
        case .hex, .raw, .utf8, .utf16: nil
        case .unsigned, .signed: try? encode(number.rounded(toPlaces: 0).wholeDigits)
        case .float: try? encode(number.description)
        // The mantissas have 12 and 24 bits, which hold any number of 3 and of 6 digits.
        case .medicalFloat(let octets): try? encode(number.rounded(toDigits: octets == 2 ? 3 : 6).description)
        }
    }

    /// A generated number, rounded to the precision of the format and limited to its range; `nil` if the format does
    /// not hold a number.
    func octets(ofGenerated number: Double) -> [UInt8]? {
        switch kind {
        case .hex, .raw, .utf8, .utf16: return nil
        case .unsigned(let size):
            let highest = UInt64.max >> UInt64(64 - 8 * size)
            let whole = number.rounded()
            // NaN fails `whole > 0`. The comparison with a rounded limit decides before the conversion, which would
            // trap.
            let value = !(whole > 0) ? 0 : whole >= Double(highest) ? highest : UInt64(whole)
            return octets(value, size)
        case .signed(let size):
            let highest = Int64.max >> Int64(64 - 8 * size)
            let whole = number.isNaN ? 0 : number.rounded()
            let value = whole >= Double(highest) ? highest : whole <= Double(~highest) ? ~highest : Int64(whole)
            return octets(UInt64(bitPattern: value), size)
        case .float(let size):
            return octets(size == 4 ? UInt64(Float(number).bitPattern) : number.bitPattern, size)
        case .medicalFloat: return DecimalNumber(number).flatMap { octets(of: $0) }
        }
    }

    private func octets(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { index in
            UInt8(truncatingIfNeeded: value >> UInt64(8 * (isBigEndian ? count - 1 - index : index)))
        }
    }
}

extension DecimalNumber {
    private static let powersOfTen: [Double] = (0...22).map { (0..<$0).reduce(1.0) { power, _ in power * 10 } }

    /// The nearest binary fraction, for generators.
    var double: Double {
        // Up to 2⁵³ and 10²², both parts are exact, and the result is rounded once.
        if exponent.magnitude <= 22, let digits = UInt64(exactly: magnitude), digits <= 1 << 53 {
            let power = Self.powersOfTen[Int(exponent.magnitude)]
            let value = exponent < 0 ? Double(digits) / power : Double(digits) * power
            return isNegative ? -value : value
        }
        return Double(description) ?? 0
    }

    /// The number as an integer; `nil` if it is none, or too large.
    var integer: Int64? { Int64(wholeDigits) }

    /// An integer without an exponent.
    fileprivate var wholeDigits: String {
        // No integer format holds 40 zeros, and an exponent from a file could ask for a text of gigabytes.
        guard exponent > 0, exponent <= 40 else { return description }
        return (isNegative ? "-" : "") + String(magnitude) + String(repeating: "0", count: exponent)
    }

    /// The number with at most that many significant digits.
    fileprivate func rounded(toDigits digits: Int) -> DecimalNumber {
        let count = String(magnitude).utf8.count
        return count > digits ? rounded(toPlaces: -exponent - (count - digits)) : self
    }
}
