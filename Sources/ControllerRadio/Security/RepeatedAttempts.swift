// SPDX-License-Identifier: MIT

import Bluetooth

/// Lets a peer that guesses wait: after each pairing whose proof was wrong twice as long as after the one before.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.3.6
struct RepeatedAttempts: Sendable {
    private struct Failures: Sendable {
        var count: Int
        /// Until when no further pairing is begun.
        var until: Instant
    }

    /// The wait after the first failure.
    static let firstInterval = Duration.milliseconds(500)
    static let longestInterval = Duration.seconds(64)
    /// The number of peers that are remembered. Anybody can have many addresses, so that all of them are forgotten then.
    private static let limit = 256

    private var failures: [DeviceAddress: Failures] = [:]

    /// Whether a peer has to wait before the next pairing.
    func mustWait(_ peer: DeviceAddress, now: Instant) -> Bool { failures[peer].map { now < $0.until } ?? false }

    mutating func failed(_ peer: DeviceAddress, _ reason: PairingFailure, now: Instant) {
        switch reason {
        case .confirmValueFailed, .dhKeyCheckFailed, .numericComparisonFailed: break
        default: return
        }
        // Who has left this host alone for the longest interval begins anew.
        let isRecent = failures[peer].map { now < $0.until + Self.longestInterval } ?? false
        let count = isRecent ? (failures[peer]?.count ?? 0) : 0
        if failures.count >= Self.limit, failures[peer] == nil { failures = [:] }
        let interval = min(Self.longestInterval, Self.firstInterval * (1 << min(count, 16)))
        failures[peer] = Failures(count: count + 1, until: now + interval)
    }

    mutating func succeeded(_ peer: DeviceAddress) { failures[peer] = nil }
}
