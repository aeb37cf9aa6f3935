// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

extension Profile {
    /// The charge of a battery. It is read once before it is watched, because it may not change for hours.
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
