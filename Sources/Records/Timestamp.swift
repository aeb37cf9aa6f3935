// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
package import Terminal

/// When something happened, on both clocks.
package struct Timestamp: Sendable, Hashable {
    package let wall: WallTime
    /// The monotonic time since blectl started.
    package let monotonic: Instant

    package init(wall: WallTime, monotonic: Instant) {
        self.wall = wall
        self.monotonic = monotonic
    }

    package init(_ time: any TimeSource) {
        self.init(wall: time.wallClock, monotonic: time.now)
    }
}

extension Timestamp {
    /// The time in front of a line: local on a terminal, whose reader looks on, and in UTC with its date elsewhere.
    package func text(_ style: TextStyle) -> String {
        guard let offset = style.localOffset else { return style.paint(wall.description, .faint) }
        return style.paint(wall.localClock { offset(Int($0.nanoseconds / 1_000_000_000)) }, .faint)
    }
}

extension WallTime {
    /// The local time of day with milliseconds: `06:42:11.883`.
    ///
    /// - Parameter zone: The distance of the local time from UTC, in seconds, at a moment.
    package func localClock(_ zone: (WallTime) -> Int) -> String {
        // The description has the form `2026-11-20T06:42:11.883291Z`.
        String((self + .seconds(zone(self))).description.dropFirst(11).prefix(12))
    }
}
