// SPDX-License-Identifier: MIT

/// A number as a device sends it: an integer in units of a power of ten. No digit is lost or invented.
public struct AdvertisedNumber: Hashable, Sendable {
    /// The number in units of 10^`exponent`.
    public let digits: Int64
    /// The power of ten, from -9 to 0.
    public let exponent: Int

    /// Creates a number. Exponents outside of -9 to 0 are clamped.
    public init(_ digits: some BinaryInteger, exponent: Int = 0) {
        self.digits = Int64(clamping: digits)
        self.exponent = min(max(exponent, -9), 0)
    }

    /// The nearest `Double`.
    public var double: Double { Double(digits) / Double(scale) }

    /// 10^-`exponent`.
    private var scale: UInt64 { (0..<(-exponent)).reduce(1) { power, _ in power * 10 } }
}

extension AdvertisedNumber: CustomStringConvertible {
    /// The number without trailing zeros: `21.5`.
    public var description: String {
        // The magnitude, because the least number has no positive counterpart.
        let (whole, fraction) = digits.magnitude.quotientAndRemainder(dividingBy: scale)
        let sign = digits < 0 ? "-" : ""
        guard fraction > 0 else { return sign + String(whole) }
        let written = String(fraction)
        var places = Substring(String(repeating: "0", count: -exponent - written.utf8.count) + written)
        while places.last == "0" { places = places.dropLast() }
        return "\(sign)\(whole).\(places)"
    }
}
