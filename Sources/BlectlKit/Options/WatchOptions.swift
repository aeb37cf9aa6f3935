// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

/// The options of `blectl watch`.
struct WatchOptions: Sendable {
    /// The profile whose measurements are watched.
    var profile: Profile
    /// The number of measurements, and the time after the last subscription.
    var limits = StopLimits()
}

extension WatchOptions {
    /// Reads the options from a command line.
    init(_ arguments: ParsedArguments) {
        profile = arguments[WatchSpec.profile]
        limits = StopLimits(arguments, count: WatchSpec.count, duration: WatchSpec.duration)
    }
}
