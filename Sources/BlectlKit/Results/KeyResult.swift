// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// A press or a release of a key.
struct KeyResult: CommandResult {
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
    static let record = RecordKind<Self>("key", "a press or a release of a key") {
        RecordField.device { $0.device }
        RecordField("key", .string, "the name of the key") { $0.event.key }
        RecordField("action", .string, "`press` or `release`") { $0.action }
        RecordField("sequence", .integer, "the number of the event, from 1") { $0.sequence }
    }

    var recordKind: RecordKind<Self> { Self.record }

    func text(_ style: TextStyle) -> String? {
        "\(style.paint(timestamp.wall.description, .faint))  \(style.paint(event.key, .cyan)) \(action)"
    }
}
