// SPDX-License-Identifier: MIT

/// A number modulo the prime of the curve P-256: 2^256 - 2^224 + 2^192 + 2^96 - 1.
///
/// Products are Montgomery's: numbers are kept multiplied by 2^256. No operation branches on a number, and none takes
/// memory, because a pairing takes some ten thousand products.
///
/// Spec: FIPS 186-4, D.1.2.3
struct P256Field: Hashable, Sendable {
    // The four words, least significant first.
    private var a: UInt64
    private var b: UInt64
    private var c: UInt64
    private var d: UInt64

    private static let prime = P256Field(.max, 0xFFFF_FFFF, 0, 0xFFFF_FFFF_0000_0001)
    /// 2^512 modulo the prime, by which a number is brought into the form of products.
    private static let square = P256Field(3, 0xFFFF_FFFB_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFE, 0x4_FFFF_FFFD)
    static let zero = P256Field(0, 0, 0, 0)
    static let one = P256Field(1, 0, 0, 0) * square

    private init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
    }

    /// A number from its octets, most significant first; `nil` unless there are 32, and it is below the prime.
    init?(octets: [UInt8]) {
        guard octets.count == 32 else { return nil }
        func word(_ start: Int) -> UInt64 { octets[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        let plain = Self(word(24), word(16), word(8), word(0))
        guard Self.difference(plain, Self.prime).borrow == 1 else { return nil }
        self = plain * Self.square
    }

    /// The octets of the number, most significant first.
    var octets: [UInt8] {
        let plain = self * Self(1, 0, 0, 0)
        return [plain.d, plain.c, plain.b, plain.a].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
        }
    }

    static func + (left: Self, right: Self) -> Self {
        let (sum, carry) = sum(left, right)
        return reduced(sum, carry)
    }

    static func - (left: Self, right: Self) -> Self {
        let (less, borrow) = difference(left, right)
        // Adds the prime if the result is negative.
        return sum(less, prime.masked(0 &- borrow)).words
    }

    static func * (left: Self, right: Self) -> Self {
        var sum = (low: zero, high: UInt64(0))
        accumulate(left.a, right, &sum)
        accumulate(left.b, right, &sum)
        accumulate(left.c, right, &sum)
        accumulate(left.d, right, &sum)
        return reduced(sum.low, sum.high)
    }

    /// Adds the product with a word, and divides by 2^64 modulo the prime.
    private static func accumulate(_ factor: UInt64, _ words: Self, _ sum: inout (low: Self, high: UInt64)) {
        let (product, carry) = product(factor, words, sum.low)
        let (top, overflow) = sum.high.addingReportingOverflow(carry)
        // The lowest word of the prime is -1 modulo 2^64, so that the lowest word of the sum is the factor.
        let (lifted, second) = self.product(product.a, prime, product)
        let (last, more) = top.addingReportingOverflow(second)
        sum.low = Self(lifted.b, lifted.c, lifted.d, last)
        sum.high = (overflow ? 1 : 0) &+ (more ? 1 : 0)
    }

    /// `factor * words + addend`, and what is beyond the four words.
    private static func product(_ factor: UInt64, _ words: Self, _ addend: Self) -> (words: Self, carry: UInt64) {
        let (a, first) = step(factor, words.a, addend.a, 0)
        let (b, second) = step(factor, words.b, addend.b, first)
        let (c, third) = step(factor, words.c, addend.c, second)
        let (d, last) = step(factor, words.d, addend.d, third)
        return (Self(a, b, c, d), last)
    }

    /// `factor * word + addend + carry`, which fits into two words.
    private static func step(
        _ factor: UInt64,
        _ word: UInt64,
        _ addend: UInt64,
        _ carry: UInt64
    ) -> (low: UInt64, high: UInt64) {
        let (high, low) = factor.multipliedFullWidth(by: word)
        let (first, one) = low.addingReportingOverflow(addend)
        let (second, two) = first.addingReportingOverflow(carry)
        return (second, high &+ (one ? 1 : 0) &+ (two ? 1 : 0))
    }

    /// The number without the prime if it is not below it, chosen without a branch.
    private static func reduced(_ words: Self, _ carry: UInt64) -> Self {
        let (less, borrow) = difference(words, prime)
        return choose(words, if: 0 &- (borrow & (carry ^ 1)), else: less)
    }

    private static func sum(_ left: Self, _ right: Self) -> (words: Self, carry: UInt64) {
        let (a, first) = step(1, left.a, right.a, 0)
        let (b, second) = step(1, left.b, right.b, first)
        let (c, third) = step(1, left.c, right.c, second)
        let (d, last) = step(1, left.d, right.d, third)
        return (Self(a, b, c, d), last)
    }

    private static func difference(_ left: Self, _ right: Self) -> (words: Self, borrow: UInt64) {
        func step(_ left: UInt64, _ right: UInt64, _ borrow: UInt64) -> (UInt64, UInt64) {
            let (first, one) = left.subtractingReportingOverflow(right)
            let (second, two) = first.subtractingReportingOverflow(borrow)
            return (second, (one ? 1 : 0) | (two ? 1 : 0))
        }
        let (a, first) = step(left.a, right.a, 0)
        let (b, second) = step(left.b, right.b, first)
        let (c, third) = step(left.c, right.c, second)
        let (d, last) = step(left.d, right.d, third)
        return (Self(a, b, c, d), last)
    }

    private func masked(_ mask: UInt64) -> Self { Self(a & mask, b & mask, c & mask, d & mask) }

    /// The number whose product with this one is 1, by Fermat's theorem; zero for zero.
    var inverse: Self {
        // The exponent is the prime without 2.
        let exponent = [Self.prime.a - 2, Self.prime.b, Self.prime.c, Self.prime.d]
        var result = Self.one
        for bit in (0..<256).reversed() {
            result = result * result
            if exponent[bit / 64] >> UInt64(bit % 64) & 1 == 1 { result = result * self }
        }
        return result
    }

    /// One of two numbers, chosen without a branch.
    static func choose(_ first: Self, if mask: UInt64, else second: Self) -> Self {
        let (one, other) = (first.masked(mask), second.masked(~mask))
        return Self(one.a | other.a, one.b | other.b, one.c | other.c, one.d | other.d)
    }
}
