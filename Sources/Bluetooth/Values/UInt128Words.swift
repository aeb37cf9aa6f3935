// SPDX-License-Identifier: GPL-2.0-or-later

/// A number of 128 bits, kept in two words: what types store instead of a `UInt128`.
///
/// A stored `UInt128` aligns its type to 16 octets, and Swift 6.3 lays out the context of an async closure wrongly that
/// captures two such values of padded size: the program jumps into data. Words of 64 bits are laid out rightly.
public struct UInt128Words: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Takes a number apart.
    public init(_ value: UInt128) {
        high = UInt64(truncatingIfNeeded: value >> 64)
        low = UInt64(truncatingIfNeeded: value)
    }

    /// The number.
    public var value: UInt128 { UInt128(high) << 64 | UInt128(low) }
}
