// SPDX-License-Identifier: MIT

import Bluetooth

/// Random numbers determined by a seed (SplitMix64). The same seed gives the same world on every machine and in every
/// run.
///
/// Every device and purpose has its own stream, so that an additional device does not change the others.
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// The stream of a seed. Equal seeds give equal numbers on every machine.
    public init(seed: UInt64) { state = seed }

    /// The stream of a seed for the purpose with that number.
    public init(seed: UInt64, stream: UInt64) {
        // The stream is mixed, because the state counts in equal steps: seeds that differ by such a step would give the
        // same numbers, shifted by one.
        var mixer = SeededGenerator(seed: seed ^ Self.mixed(stream &+ 0x9E37_79B9_7F4A_7C15))
        state = mixer.next()
    }

    /// The next 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// A number in [0, 1), evenly distributed.
    public mutating func unit() -> Double {
        // A `Double` has 53 bits of precision, so that each result is exact, and 1 is never reached.
        Double(next() >> 11) * 0x1p-53
    }

    /// An approximately normal number with mean 0 and standard deviation 1: the sum of twelve uniform ones.
    ///
    /// It uses additions and multiplications only, because these round the same way on every machine. Logarithms and
    /// cosines need not.
    public mutating func bell() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += unit() }
        return sum
    }

    /// A duration from zero up to, but not including, the given one, in whole nanoseconds.
    public mutating func duration(below limit: Duration) -> Duration {
        .nanoseconds(Int64(unit() * Double(max(0, limit.clampedNanoseconds))))
    }

    /// `true` with the given probability, from 0 to 1.
    public mutating func happens(_ probability: Double) -> Bool { unit() < probability }
}
