// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

/// What `blectl watch` listens to.
struct WatchOptions: Sendable {
    /// Whose measurements.
    var profile: Profile
    /// How many measurements, and how long after the last subscription.
    var limits = StopLimits()
}

extension WatchOptions {
    /// Reads them from a command line, which the parser has checked.
    init(_ arguments: ParsedArguments) {
        profile = arguments[WatchSpec.profile]
        limits = StopLimits(count: arguments[WatchSpec.count], duration: arguments[WatchSpec.duration])
    }
}
