// SPDX-License-Identifier: MIT

import Bluetooth

/// An exact decimal number: magnitude × 10^exponent.
///
/// Devices send integers with a decimal exponent. They are kept as such, because a binary fraction cannot hold most of
/// them exactly.
public struct DecimalNumber: Hashable, Sendable {
    /// Whether the number is less than zero.
    public let isNegative: Bool
    /// The digits as an integer.
    public var magnitude: UInt128 { words.value }
    private let words: UInt128Words
    /// The power of ten by which the digits are multiplied.
    public let exponent: Int

    /// Zero.
    public static let zero = DecimalNumber(0)

    /// Creates a number in its normal form, so that equal numbers are equal values: without trailing zeros after the
    /// decimal point, and without an exponent if the digits fit.
    public init(isNegative: Bool, magnitude: UInt128, exponent: Int) {
        var magnitude = magnitude
        var exponent = magnitude == 0 ? 0 : exponent
        // Divided with 64 bits if possible, because divisions of 128 bits are slow.
        if exponent < 0, var short = UInt64(exactly: magnitude) {
            while exponent < 0, short.isMultiple(of: 10) {
                short /= 10
                exponent += 1
            }
            magnitude = UInt128(short)
        }
        while exponent < 0, magnitude.isMultiple(of: 10) {
            magnitude /= 10
            exponent += 1
        }
        while exponent > 0 {
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            if overflow || product > 1_000_000_000_000_000_000_000 { break }
            magnitude = product
            exponent -= 1
        }
        // The exponent does not fit as a whole, so that the zeros return to it: a number has one form only.
        while exponent > 0, magnitude.isMultiple(of: 10) {
            magnitude /= 10
            exponent += 1
        }
        // No negative zero, which would differ from zero.
        self.isNegative = isNegative && magnitude != 0
        words = UInt128Words(magnitude)
        self.exponent = exponent
    }

    /// Creates an integer times a power of ten.
    public init(_ value: some FixedWidthInteger, exponent: Int = 0) {
        self.init(isNegative: value < 0, magnitude: UInt128(value.magnitude), exponent: exponent)
    }

    /// The number times a small factor. If the digits do not fit, the last ones are lost.
    public func multiplied(by factor: UInt64) -> DecimalNumber {
        var magnitude = magnitude
        var exponent = exponent
        while true {
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: UInt128(factor))
            if !overflow { return DecimalNumber(isNegative: isNegative, magnitude: product, exponent: exponent) }
            magnitude /= 10
            exponent += 1
        }
    }

    /// The number times a power of ten.
    public func scaled(byPowerOfTen power: Int) -> DecimalNumber {
        DecimalNumber(isNegative: isNegative, magnitude: magnitude, exponent: exponent + power)
    }

    /// The number times a power of two. The result is exact if its digits fit, because a half is five tenths.
    public func scaled(byPowerOfTwo power: Int) -> DecimalNumber {
        var result = self
        var rest = Int(min(power.magnitude, 128))
        while rest > 0 {
            // In steps of 27, because 5²⁷ is the largest power of five in 64 bits.
            let step = min(rest, 27)
            var factor: UInt64 = 1
            for _ in 0..<step { factor *= power < 0 ? 5 : 2 }
            result = result.multiplied(by: factor).scaled(byPowerOfTen: power < 0 ? -step : 0)
            rest -= step
        }
        return result
    }

    /// The number times −1.
    public var negated: DecimalNumber {
        DecimalNumber(isNegative: !isNegative, magnitude: magnitude, exponent: exponent)
    }

    /// The sum; the larger number if the other one is too small to count beside its 37 digits.
    public func adding(_ other: DecimalNumber) -> DecimalNumber {
        let exponent = min(exponent, other.exponent)
        guard let left = integer(at: exponent), let right = other.integer(at: exponent) else {
            return approximation.magnitude > other.approximation.magnitude ? self : other
        }
        return DecimalNumber(left + right, exponent: exponent)
    }

    /// The number divided by a lower power of ten; `nil` if it has more than 37 digits then.
    private func integer(at exponent: Int) -> Int128? {
        var value = magnitude
        for _ in 0..<min(self.exponent - exponent, 39) {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            value = product
        }
        // Half of the range, so that a sum fits.
        guard value < 1 << 126 else { return nil }
        return isNegative ? -Int128(value) : Int128(value)
    }

    /// The nearest floating-point number.
    public var approximation: Double { Double(description) ?? 0 }

    /// The whole number nearest to the quotient; halves are rounded away from zero. `nil` if it has too many digits.
    public func rounded(dividedBy divisor: UInt64) -> Int128? {
        guard divisor > 0 else { return nil }
        var (numerator, denominator) = (magnitude, UInt128(divisor))
        for _ in 0..<exponent.magnitude {
            let (product, overflow) = (exponent > 0 ? numerator : denominator).multipliedReportingOverflow(by: 10)
            if exponent > 0 {
                guard !overflow else { return nil }
                numerator = product
            } else {
                // The denominator exceeds every numerator.
                guard !overflow else { return 0 }
                denominator = product
            }
        }
        let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        guard let value = Int128(exactly: quotient), value < .max else { return nil }
        // Not twice the remainder, which could overflow.
        let rounded = remainder >= denominator - remainder ? value + 1 : value
        return isNegative ? -rounded : rounded
    }

    /// The number, rounded to at most that many digits after the decimal point; halves are rounded away from zero.
    public func rounded(toPlaces places: Int) -> DecimalNumber {
        guard exponent < -places else { return self }
        var magnitude = magnitude
        var dropped: UInt128 = 0
        for _ in 0..<(-places - exponent) {
            dropped = magnitude % 10
            magnitude /= 10
        }
        return DecimalNumber(
            isNegative: isNegative,
            magnitude: magnitude + (dropped >= 5 ? 1 : 0),
            exponent: -places
        )
    }
}

extension DecimalNumber: CustomStringConvertible {
    /// The number as text, which is also a JSON number: `36.6`, `-0.0625`, `1.5e-120`.
    public var description: String {
        let sign = isNegative ? "-" : ""
        // Converted with 64 bits if possible, because divisions of 128 bits are slow.
        let magnitude = magnitude
        let digits = UInt64(exactly: magnitude).map { String($0) } ?? String(magnitude)
        if exponent == 0 { return sign + digits }
        let point = digits.utf8.count + exponent
        if exponent > 0 || point < -12 {
            let fraction = digits.dropFirst()
            return sign + digits.prefix(1) + (fraction.isEmpty ? "" : "." + fraction) + "e\(point - 1)"
        }
        if point > 0 { return sign + digits.prefix(point) + "." + digits.dropFirst(point) }
        return sign + "0." + String(repeating: "0", count: -point) + digits
    }

    /// Parses a decimal number with an optional sign, fraction and exponent; `nil` if the text is not a number, or is
    /// too long.
    public init?(_ text: some StringProtocol) {
        var rest = Substring(text)
        var isNegative = false
        if let sign = rest.first, sign == "-" || sign == "+" {
            isNegative = sign == "-"
            rest.removeFirst()
        }
        var power = 0
        if let mark = rest.firstIndex(where: { $0 == "e" || $0 == "E" }) {
            // Limited, because the operations of this type take a step for each power of ten.
            guard let value = Int(rest[rest.index(after: mark)...]), (-1_000...1_000).contains(value) else {
                return nil
            }
            power = value
            rest = rest[..<mark]
        }
        let parts = rest.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        let digits = whole + fraction
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let magnitude = UInt128(digits)
        else { return nil }
        self.init(isNegative: isNegative, magnitude: magnitude, exponent: power - fraction.utf8.count)
    }

    /// Creates the shortest decimal number that identifies a floating-point number; `nil` for NaN and the infinities.
    public init?(_ value: some BinaryFloatingPoint & LosslessStringConvertible) {
        guard value.isFinite else { return nil }
        self.init(value.description)
    }
}
