// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles
package import Records
package import Terminal

/// A press or a release of a key.
package struct KeyResult: RecordedResult {
    package let device: DeviceReference
    /// The key, and whether it went down or up.
    package let event: KeyTracker.Event
    /// The number of the event, from 1.
    package let sequence: Int
    /// When the value with the event arrived. Several events may share it.
    package let timestamp: Timestamp

    package init(device: DeviceReference, event: KeyTracker.Event, sequence: Int, timestamp: Timestamp) {
        self.device = device
        self.event = event
        self.sequence = sequence
        self.timestamp = timestamp
    }

    package var action: String { event.isPress ? "press" : "release" }

    /// `key` is the name of the key in its pad, which scripts compare.
    package static let record = RecordKind<Self>("key", "a press or a release of a key") {
        RecordField.device { $0.device }
        RecordField("key", .string, "name of the key") { $0.event.key }
        RecordField("action", .string, "`press` or `release`") { $0.action }
        RecordField("sequence", .integer, "number of the event, from 1") { $0.sequence }
    }

    package func text(_ style: TextStyle) -> String? {
        "\(timestamp.text(style))  \(style.paint(event.key, .cyan)) \(action)"
    }
}
