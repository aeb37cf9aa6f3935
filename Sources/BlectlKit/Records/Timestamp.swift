// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
public import BluetoothHost

/// When something happened, on both clocks.
public struct Timestamp: Sendable, Hashable {
    /// The wall-clock time.
    public let wall: WallTime
    /// The monotonic time since blectl started.
    public let monotonic: Instant

    /// Creates a timestamp of both clocks.
    public init(wall: WallTime, monotonic: Instant) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// The present moment.
    public init(_ time: any TimeSource) {
        self.init(wall: time.wallClock, monotonic: time.now)
    }
}
