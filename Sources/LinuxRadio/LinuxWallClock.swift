// SPDX-License-Identifier: GPL-2.0-or-later

public import BluetoothHost
import Glibc

/// The machine's wall clock, for `SystemTimeSource`.
public enum LinuxWallClock {
    /// The current time (clock_gettime(2), CLOCK_REALTIME).
    @Sendable
    public static func now() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(nanosecondsSince1970: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
