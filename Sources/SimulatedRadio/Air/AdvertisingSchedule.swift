// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// When one advertising set sends next: the interval and a random delay of 0 to 10 ms after each advertisement.
///
/// While nobody listens nothing is computed; when somebody does, the schedule jumps to a random place in its interval.
///
/// Spec: Core 5.4, Vol 6, Part B, 4.4.2.2.1
struct AdvertisingSchedule: Sendable {
    private static let maximumDelay = Duration.milliseconds(10)

    private let interval: Duration
    private var generator: SeededGenerator
    /// How many advertisements went out before the next one.
    private(set) var event: UInt64
    /// When the next one goes out; may lie in the past where nobody listened.
    private(set) var next: Instant

    /// The schedule of a device that has been running for a while before `start`.
    init(interval: Duration, start: Instant, runningFor uptime: Duration, generator: SeededGenerator) {
        self.interval = interval
        self.generator = generator
        event = UInt64(max(0, uptime / (interval + Self.maximumDelay / 2)))
        next = start + self.generator.duration(below: interval)
    }

    /// The first advertisement at or after a moment.
    mutating func next(from moment: Instant) -> Instant {
        if next < moment {
            let mean = interval + Self.maximumDelay / 2
            event += UInt64(max(1, (moment - next) / mean))
            next = moment + generator.duration(below: mean)
        }
        return next
    }

    /// The advertisement at `next` went out.
    mutating func sent() {
        event += 1
        next = next + interval + generator.duration(below: Self.maximumDelay)
    }
}
