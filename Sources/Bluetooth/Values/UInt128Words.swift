// SPDX-License-Identifier: MIT

/// A 128-bit number in two words. Types store it instead of a `UInt128`.
///
/// A stored `UInt128` aligns its type to 16 octets, and Swift 6.3 then miscompiles an async closure that captures two
/// such values of padded size: its context has a wrong layout, and the program jumps into data. With 64-bit words the
/// layout is right.
public struct UInt128Words: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Splits a number into its words.
    public init(_ value: UInt128) {
        high = UInt64(truncatingIfNeeded: value >> 64)
        low = UInt64(truncatingIfNeeded: value)
    }

    /// The number that the words hold.
    public var value: UInt128 { UInt128(high) << 64 | UInt128(low) }
}
