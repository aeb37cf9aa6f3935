// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// A press or a release of a key.
struct KeyResult: RecordedResult {
    let device: DeviceReference
    /// The key, and whether it went down or up.
    let event: KeyTracker.Event
    /// The number of the event, from 1.
    let sequence: Int
    /// When the value with the event arrived. Several events may share it.
    let timestamp: Timestamp

    /// `press` or `release`.
    var action: String { event.isPress ? "press" : "release" }

    /// `key` is the name of the key in its pad, which scripts compare.
    var record: Record {
        Record(
            "key",
            at: timestamp,
            [
                "action": .string(action),
                "device": device.json,
                "key": .string(event.key),
                "sequence": .integer(Int64(sequence)),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? {
        "\(style.paint(timestamp.wall.description, .faint))  \(style.paint(event.key, .cyan)) \(action)"
    }
}
