// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost

/// When something happened, on both clocks.
package struct Timestamp: Sendable, Hashable {
    package let wall: WallTime
    /// The monotonic time since blectl started.
    package let monotonic: Instant

    package init(wall: WallTime, monotonic: Instant) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// The present moment.
    package init(_ time: any TimeSource) {
        self.init(wall: time.wallClock, monotonic: time.now)
    }
}
