// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

extension Profile {
    /// Heart-rate straps, watches and armbands.
    ///
    /// Spec: Heart Rate Profile 1.0; Heart Rate Service 1.0
    public static let heartRate = Profile(
        name: "heart-rate",
        title: "Heart Rate",
        service: 0x180D,
        measurements: [0x2A37],
        initialReads: []
    )
}
