// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices

/// The times at which one advertising set sends: the interval plus a random delay of 0 to 10 ms after each
/// advertisement.
///
/// Without a listener nothing is computed. When one starts, the schedule jumps to a random point of its interval, so
/// that the cost does not depend on the time without a listener.
///
/// Spec: Core 5.4, Vol 6, Part B, 4.4.2.2.1
struct AdvertisingSchedule: Sendable {
    /// The upper bound of the random delay (advDelay).
    private static let maximumDelay = Duration.milliseconds(10)

    /// The configured interval, without the random delay.
    private let interval: Duration
    /// Makes the random delays of this set.
    private var generator: SeededGenerator
    /// The number of advertisements before the next one.
    private(set) var event: UInt64
    /// The time of the next advertisement; in the past if there was no listener.
    private(set) var next: Instant

    /// The schedule of a device that was started some time before `start`.
    init(interval: Duration, start: Instant, runningFor uptime: Duration, generator: SeededGenerator) {
        self.interval = interval
        self.generator = generator
        // Generated data count advertisements, and the device has been sending since before the world began.
        event = UInt64(max(0, uptime / (interval + Self.maximumDelay / 2)))
        next = start + self.generator.duration(below: interval)
    }

    /// The first advertisement at or after a moment.
    mutating func next(from moment: Instant) -> Instant {
        if next < moment {
            let mean = interval + Self.maximumDelay / 2
            // Advertisements without a listener count as well: the counters in generated data go on without one.
            event += UInt64(max(1, (moment - next) / mean))
            next = moment + generator.duration(below: mean)
        }
        return next
    }

    /// Records that the advertisement at `next` was sent.
    mutating func sent() {
        event += 1
        next = next + interval + generator.duration(below: Self.maximumDelay)
    }
}
