// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
public import BluetoothHost
import CBlueZ
import Glibc

extension SystemTimeSource {
    /// The clocks of a Linux machine. Each use makes a new one, which begins now.
    public static var linux: SystemTimeSource { SystemTimeSource { LinuxWallClock.now() } }
}

/// The machine's wall clock, for `SystemTimeSource`.
public enum LinuxWallClock {
    /// The current time (clock_gettime(2), CLOCK_REALTIME).
    @Sendable
    public static func now() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(nanosecondsSince1970: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// The seconds by which local time is ahead of UTC at a moment (localtime_r(3)); the zone is that of `TZ`, or of
    /// the machine.
    @Sendable
    public static func zone(_ wall: WallTime) -> Int {
        // localtime_r(3) need not read `TZ`, unlike localtime(3).
        tzset()
        var seconds = time_t(floorDivision(wall.nanoseconds, 1_000_000_000).quotient)
        var local = tm()
        return localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
    }
}
