// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import Records
import Terminal
import Toolkit

/// A press or a release of a key.
struct KeyResult: RecordedResult {
    let device: DeviceReference
    /// The key, and whether it went down or up.
    let event: KeyTracker.Event
    /// The number of the event, from 1.
    let sequence: Int
    /// When the value with the event arrived. Several events may share it.
    let timestamp: Timestamp

    var action: String { event.isPress ? "press" : "release" }

    /// `key` is the name of the key in its pad, which scripts compare.
    static let record = RecordKind<Self>("key", "a press or a release of a key") {
        RecordField.device { $0.device }
        RecordField("key", .string, "name of the key") { $0.event.key }
        RecordField("action", .string, "`press` or `release`") { $0.action }
        RecordField("sequence", .integer, "number of the event, from 1") { $0.sequence }
    }

    func text(_ style: TextStyle) -> String? {
        "\(timestamp.text(style))  \(style.paint(event.key, .cyan)) \(action)"
    }
}
