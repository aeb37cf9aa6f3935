// SPDX-License-Identifier: MIT

import Bluetooth

/// A number modulo the prime of the curve P-256: 2^256 - 2^224 + 2^192 + 2^96 - 1.
///
/// Products are Montgomery's: numbers are kept multiplied by 2^256. No operation branches on a number.
///
/// Spec: FIPS 186-4, D.1.2.3
struct P256Field: Hashable, Sendable {
    private static let prime: [UInt64] = [.max, 0xFFFF_FFFF, 0, 0xFFFF_FFFF_0000_0001]
    /// 2^512 modulo the prime, by which a number is brought into the form of products.
    private static let square = P256Field([3, 0xFFFF_FFFB_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFE, 0x4_FFFF_FFFD])
    static let zero = P256Field([0, 0, 0, 0])
    static let one = P256Field(plain: [1, 0, 0, 0])

    /// The four words, least significant first.
    private let words: [UInt64]

    private init(_ words: [UInt64]) { self.words = words }

    /// A number below the prime, from its words, least significant first.
    private init(plain words: [UInt64]) { self = P256Field(words) * Self.square }

    /// A number from its octets, most significant first; `nil` unless there are 32, and it is below the prime.
    init?(octets: [UInt8]) {
        guard octets.count == 32 else { return nil }
        let words = (0..<4).map { word in
            octets[(3 - word) * 8..<(4 - word) * 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        guard Self.difference(words, Self.prime).borrow == 1 else { return nil }
        self.init(plain: words)
    }

    /// The octets of the number, most significant first.
    var octets: [UInt8] {
        let plain = (self * P256Field([1, 0, 0, 0])).words
        return plain.reversed().flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    }

    static func + (left: Self, right: Self) -> Self {
        var (sum, carry) = ([UInt64](repeating: 0, count: 4), UInt64(0))
        for index in 0..<4 {
            let wide = UInt128(left.words[index]) + UInt128(right.words[index]) + UInt128(carry)
            sum[index] = UInt64(truncatingIfNeeded: wide)
            carry = UInt64(wide >> 64)
        }
        return reduced(sum, carry)
    }

    static func - (left: Self, right: Self) -> Self {
        let (less, borrow) = difference(left.words, right.words)
        var result = less
        // Adds the prime if the result is negative.
        let mask = 0 &- borrow
        var carry: UInt64 = 0
        for index in 0..<4 {
            let wide = UInt128(result[index]) + UInt128(prime[index] & mask) + UInt128(carry)
            result[index] = UInt64(truncatingIfNeeded: wide)
            carry = UInt64(wide >> 64)
        }
        return Self(result)
    }

    static func * (left: Self, right: Self) -> Self {
        var sum = [UInt64](repeating: 0, count: 6)
        for index in 0..<4 {
            add(right.words, times: left.words[index], to: &sum)
            // The lowest word of the prime is -1 modulo 2^64, so that the lowest word of the sum is the factor.
            add(prime, times: sum[0], to: &sum)
            sum.removeFirst()
            sum.append(0)
        }
        return reduced(Array(sum[0..<4]), sum[4])
    }

    private static func add(_ words: [UInt64], times factor: UInt64, to sum: inout [UInt64]) {
        var carry: UInt64 = 0
        for index in 0..<4 {
            let wide = UInt128(words[index]) * UInt128(factor) + UInt128(sum[index]) + UInt128(carry)
            sum[index] = UInt64(truncatingIfNeeded: wide)
            carry = UInt64(wide >> 64)
        }
        let wide = UInt128(sum[4]) + UInt128(carry)
        sum[4] = UInt64(truncatingIfNeeded: wide)
        sum[5] &+= UInt64(wide >> 64)
    }

    /// The number without the prime if it is not below it, chosen without a branch.
    private static func reduced(_ words: [UInt64], _ carry: UInt64) -> Self {
        let (less, borrow) = difference(words, prime)
        let keeps = 0 &- (borrow & (carry ^ 1))
        return Self((0..<4).map { words[$0] & keeps | less[$0] & ~keeps })
    }

    private static func difference(_ left: [UInt64], _ right: [UInt64]) -> (words: [UInt64], borrow: UInt64) {
        var (result, borrow) = ([UInt64](repeating: 0, count: 4), UInt64(0))
        for index in 0..<4 {
            let (first, one) = left[index].subtractingReportingOverflow(right[index])
            let (second, two) = first.subtractingReportingOverflow(borrow)
            result[index] = second
            borrow = (one ? 1 : 0) | (two ? 1 : 0)
        }
        return (result, borrow)
    }

    /// The number whose product with this one is 1, by Fermat's theorem; zero for zero.
    var inverse: Self {
        // The exponent is the prime without 2.
        let exponent = [Self.prime[0] - 2] + Self.prime[1...]
        var result = Self.one
        for bit in (0..<256).reversed() {
            result = result * result
            if exponent[bit / 64] >> UInt64(bit % 64) & 1 == 1 { result = result * self }
        }
        return result
    }

    /// One of two numbers, chosen without a branch.
    static func choose(_ first: Self, if mask: UInt64, else second: Self) -> Self {
        Self((0..<4).map { first.words[$0] & mask | second.words[$0] & ~mask })
    }
}
