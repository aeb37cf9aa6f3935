// SPDX-License-Identifier: MIT

/// An integer that represents a number: × `multiplier` × 10^`decimalExponent` × 2^`binaryExponent` + `offset`.
///
/// Spec: GATT Specification Supplement, 2.3.1 (multiplier M, decimal exponent d, binary exponent b)
struct NumberFormat: Hashable, Sendable {
    /// A larger integer that takes the place of the usual one if a bit of the flags is set.
    struct Wider: Hashable, Sendable {
        let bit: Int
        let integer: IntegerFormat
    }

    let integer: IntegerFormat
    var wider: Wider?
    var multiplier: UInt64 = 1
    var decimalExponent = 0
    var binaryExponent = 0
    /// Bits on the wire that mean that there is no number, with the reason as text.
    var special: [UInt64: String] = [:]
    /// The highest integer that is a number; those above are reserved.
    var highest: Int128?
    /// The integers that the specification allows; others are decoded with a fault, and not encoded.
    var allowed: ClosedRange<Int128>?

    /// The number of an integer 0; only sensors with formulas of their own have one.
    var offset = DecimalNumber.zero
    var isNegated = false
    /// The low bits on the wire that are not part of the integer.
    var ignoredBits = 0
    /// The digits after the decimal point that a number keeps; `nil` if it keeps all.
    var places: Int?

    func scaled(_ value: DecimalNumber) -> DecimalNumber {
        var number = product(value)
        if isNegated { number = number.negated }
        if offset != .zero { number = number.adding(offset) }
        return places.map { number.rounded(toPlaces: $0) } ?? number
    }

    private func product(_ value: DecimalNumber) -> DecimalNumber {
        // Most integers need no scaling, or only that by powers of ten.
        var number = multiplier == 1 ? value : value.multiplied(by: multiplier)
        if binaryExponent != 0 { number = number.scaled(byPowerOfTwo: binaryExponent) }
        return decimalExponent == 0 ? number : number.scaled(byPowerOfTen: decimalExponent)
    }

    func number(_ bits: UInt64, as integer: IntegerFormat) -> DecimalNumber {
        scaled(integer.value(of: bits >> UInt64(ignoredBits)))
    }

    /// The bits on the wire of an integer in `integers`.
    func bits(_ value: Int128, as integer: IntegerFormat) -> UInt64 { integer.bits(of: value) << UInt64(ignoredBits) }

    /// The digits after the decimal point that tell neighbouring numbers apart, where a step is a fraction of two and
    /// has more of them in its decimal form; `nil` for all digits.
    var textPlaces: Int? {
        guard binaryExponent < 0 else { return nil }
        // Rounded up, so that the last digit is less than a step; 0.30103 is the logarithm of 2.
        return max(0, (-binaryExponent * 30_103 + 99_999) / 100_000 - decimalExponent)
    }

    /// The distance between neighbouring numbers.
    var resolution: DecimalNumber { product(DecimalNumber(1)) }

    /// The integers that stand for numbers. Special values within the range are left out only at its ends.
    var integers: ClosedRange<Int128> {
        let format = wider?.integer ?? integer
        var lowest = format.range.lowerBound >> Int128(ignoredBits)
        var highest = min(self.highest ?? format.range.upperBound, format.range.upperBound) >> Int128(ignoredBits)
        if let allowed {
            lowest = max(lowest, allowed.lowerBound)
            highest = min(highest, allowed.upperBound)
        }
        while lowest < highest, special[format.bits(of: lowest)] != nil { lowest += 1 }
        while lowest < highest, special[format.bits(of: highest)] != nil { highest -= 1 }
        return lowest...highest
    }

    var range: (lowest: DecimalNumber, highest: DecimalNumber) {
        let ends = (scaled(DecimalNumber(integers.lowerBound)), scaled(DecimalNumber(integers.upperBound)))
        return isNegated ? (ends.1, ends.0) : ends
    }

    /// The integer nearest to a number; `nil` if none represents it.
    func integer(of number: DecimalNumber) -> Int128? {
        var plain = offset == .zero ? number : number.adding(offset.negated)
        if isNegated { plain = plain.negated }
        plain = plain.scaled(byPowerOfTen: -decimalExponent).scaled(byPowerOfTwo: -binaryExponent)
        // The powers are applied without rounding, so that only this division rounds.
        guard let value = plain.rounded(dividedBy: multiplier), integers.contains(value) else { return nil }
        let format = wider?.integer ?? integer
        return special[format.bits(of: value)] == nil ? value : nil
    }

    /// The bits of a special value; `nil` if there is none of that name. Only letters and digits count.
    func special(named name: String) -> UInt64? {
        let key = NameKey(name.utf8)
        return special.first { NameKey($0.value.utf8) == key }?.key
    }

    /// The bits that mean that nothing is known: the only special value, or the one with that name.
    var unknown: UInt64? {
        special.count == 1 ? special.first?.key : special(named: "not known")
    }
}
