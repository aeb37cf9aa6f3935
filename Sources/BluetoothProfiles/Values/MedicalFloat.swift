// SPDX-License-Identifier: MIT

/// A number in the form of medical devices: a mantissa and a decimal exponent, or one of five special values.
///
/// FLOAT has 24 bits of mantissa and 8 of exponent, SFLOAT has 12 and 4.
///
/// Spec: IEEE 11073-20601; Personal Health Devices Transcoding White Paper, 2.2
public enum MedicalFloat: Hashable, Sendable {
    /// A number: mantissa × 10^exponent.
    case finite(DecimalNumber)
    /// Not a number: an invalid result, or missing data.
    case notANumber
    /// Not at this resolution: outside of the range that the sensor can resolve.
    case notAtThisResolution
    /// +∞
    case positiveInfinity
    /// −∞
    case negativeInfinity
    /// A mantissa that is reserved for future use.
    case reserved

    /// Decodes a FLOAT (medfloat32).
    public init(float raw: UInt32) {
        // Shifted up and down again, so that the sign bit of the mantissa fills the upper bits.
        let mantissa = Int32(bitPattern: raw << 8) >> 8
        let exponent = Int(Int8(truncatingIfNeeded: raw >> 24))
        self.init(mantissa: Int(mantissa), exponent: exponent, highest: 0x7F_FFFF)
    }

    /// Decodes an SFLOAT (medfloat16).
    public init(sfloat raw: UInt16) {
        let mantissa = Int16(bitPattern: raw << 4) >> 4
        let exponent = Int16(bitPattern: raw) >> 12
        self.init(mantissa: Int(mantissa), exponent: Int(exponent), highest: 0x7FF)
    }

    /// The special values are the two highest and the three lowest mantissas.
    private init(mantissa: Int, exponent: Int, highest: Int) {
        switch mantissa {
        case highest: self = .notANumber
        case highest - 1: self = .positiveInfinity
        case -highest - 1: self = .notAtThisResolution
        case -highest: self = .reserved
        case -highest + 1: self = .negativeInfinity
        default: self = .finite(DecimalNumber(mantissa, exponent: exponent))
        }
    }

    /// The number; `nil` for a special value.
    public var number: DecimalNumber? {
        if case .finite(let number) = self { return number }
        return nil
    }

    /// The value as FLOAT. A number that is too large or too small becomes "not at this resolution".
    public var floatBits: UInt32 {
        switch self {
        case .finite(let number): Self.float(number) ?? 0x0080_0000
        case .notANumber: 0x007F_FFFF
        case .notAtThisResolution: 0x0080_0000
        case .positiveInfinity: 0x007F_FFFE
        case .negativeInfinity: 0x0080_0002
        case .reserved: 0x0080_0001
        }
    }

    /// A number as FLOAT; `nil` if it is too large or too small. Digits that do not fit are rounded.
    public static func float(_ number: DecimalNumber) -> UInt32? {
        guard let (mantissa, exponent) = parts(number, highest: 0x7F_FFFD, exponents: -128...127) else { return nil }
        return UInt32(truncatingIfNeeded: mantissa) & 0xFF_FFFF | UInt32(truncatingIfNeeded: exponent) << 24
    }

    /// A number as SFLOAT; `nil` if it is too large or too small. Digits that do not fit are rounded.
    public static func sfloat(_ number: DecimalNumber) -> UInt16? {
        guard let (mantissa, exponent) = parts(number, highest: 0x7FD, exponents: -8...7) else { return nil }
        return UInt16(truncatingIfNeeded: mantissa) & 0xFFF | UInt16(truncatingIfNeeded: exponent) << 12
    }

    /// The mantissa and the exponent nearest to a number, with as many digits as fit; `nil` if the number is too
    /// large or too small.
    private static func parts(
        _ number: DecimalNumber,
        highest: UInt128,
        exponents: ClosedRange<Int>
    ) -> (mantissa: Int, exponent: Int)? {
        if number.magnitude == 0 { return (0, 0) }
        var magnitude = number.magnitude
        var exponent = number.exponent
        var divisor: UInt128 = 1
        while magnitude > highest || exponent < exponents.lowerBound {
            let (next, overflow) = divisor.multipliedReportingOverflow(by: 10)
            guard !overflow, magnitude > 0 else { return nil }
            divisor = next
            exponent += 1
            // From all digits each time, because rounding digit by digit would round more than once.
            let (quotient, remainder) = number.magnitude.quotientAndRemainder(dividingBy: divisor)
            magnitude = quotient + (remainder >= divisor - remainder ? 1 : 0)
        }
        while exponent > exponents.upperBound, magnitude <= highest / 10 {
            magnitude *= 10
            exponent -= 1
        }
        guard magnitude > 0, exponents.contains(exponent) else { return nil }
        let mantissa = Int(truncatingIfNeeded: magnitude)
        return (number.isNegative ? -mantissa : mantissa, exponent)
    }
}

extension MedicalFloat: CustomStringConvertible {
    /// The number, or the name of the special value.
    public var description: String {
        switch self {
        case .finite(let number): number.description
        case .notANumber: "not a number"
        case .notAtThisResolution: "not at this resolution"
        case .positiveInfinity: "+infinity"
        case .negativeInfinity: "-infinity"
        case .reserved: "reserved"
        }
    }
}
