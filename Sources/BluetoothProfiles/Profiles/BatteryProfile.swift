// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

extension Profile {
    /// The charge of whatever has a battery: read once, for it may not change for hours, then watched.
    ///
    /// Spec: Battery Service 1.1
    public static let battery = Profile(
        name: "battery",
        title: "Battery",
        service: 0x180F,
        measurements: [0x2A19],
        initialReads: [0x2A19]
    )
}
