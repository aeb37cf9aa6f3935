// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import Records
import Toolkit

/// How evenly the results of a step have come: the largest deviation of a time between two of them from the mean of these times.
struct Jitter: Sendable, Equatable {
    /// The names that a condition may give it.
    static let names: Set<String> = ["jitter", "jitter_ms"]

    /// The shortest, the mean and the longest time between two results.
    let shortest: Duration
    let mean: Duration
    let longest: Duration

    /// `nil` for fewer than three results, between which there are no two times that could differ.
    init?(of results: [JSONValue]) {
        let moments = results.compactMap { result in
            if case .number(let number)? = result["monotonic_ns"] { Int64(number.description) } else { nil }
        }
        guard moments.count >= 3 else { return nil }
        let times = zip(moments.dropFirst(), moments).map { max(0, $0 - $1) }
        shortest = .nanoseconds(times.min() ?? 0)
        longest = .nanoseconds(times.max() ?? 0)
        mean = .nanoseconds(times.reduce(0, +) / Int64(times.count))
    }

    var record: JSONValue { .object(["jitter_ms": .number(max(mean - shortest, longest - mean).inMilliseconds)]) }

    /// What explains it.
    var note: String {
        let times = [shortest, mean, longest].map { "\($0.inMilliseconds)" }
        return "the times between results are \(times[0]) to \(times[2]) ms, and \(times[1]) ms on average"
    }
}
