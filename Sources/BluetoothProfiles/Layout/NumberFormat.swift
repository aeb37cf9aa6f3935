// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// An integer that stands for a number: × `multiplier` × 10^`decimalExponent` × 2^`binaryExponent`.
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

    /// The number that an integer stands for.
    func scaled(_ value: DecimalNumber) -> DecimalNumber {
        // Most integers need no scaling, or only that by powers of ten.
        var number = multiplier == 1 ? value : value.multiplied(by: multiplier)
        if binaryExponent != 0 { number = number.scaled(byPowerOfTwo: binaryExponent) }
        return decimalExponent == 0 ? number : number.scaled(byPowerOfTen: decimalExponent)
    }

    /// The distance between neighbouring numbers.
    var resolution: DecimalNumber { scaled(DecimalNumber(1)) }

    /// The integers that stand for numbers. Special values within the range are left out only at its ends.
    var integers: ClosedRange<Int128> {
        let format = wider?.integer ?? integer
        var lowest = format.range.lowerBound
        var highest = min(self.highest ?? format.range.upperBound, format.range.upperBound)
        while lowest < highest, special[format.bits(of: lowest)] != nil { lowest += 1 }
        while lowest < highest, special[format.bits(of: highest)] != nil { highest -= 1 }
        return lowest...highest
    }

    /// The lowest and the highest number.
    var range: (lowest: DecimalNumber, highest: DecimalNumber) {
        (scaled(DecimalNumber(integers.lowerBound)), scaled(DecimalNumber(integers.upperBound)))
    }

    /// The integer nearest to a number; `nil` if none stands for it.
    func integer(of number: DecimalNumber) -> Int128? {
        let plain = number.scaled(byPowerOfTen: -decimalExponent).scaled(byPowerOfTwo: -binaryExponent)
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
