// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost

/// A value that was read, or that the device sent.
struct ValueResult: CommandResult {
    /// The procedure that delivered the value.
    enum Origin: Sendable, Equatable {
        /// The answer to a request of this client.
        case read
        /// Sent by the device without an acknowledgement, so that the sequence number is that of the arrival.
        case notification(sequence: Int)
        /// Sent by the device, and acknowledged by a confirmation before the next one.
        case indication(sequence: Int)

        /// The type in JSON. Scripts tell by it whether a value was asked for.
        var recordType: String {
            switch self {
            case .read: "value"
            case .notification: "notification"
            case .indication: "indication"
            }
        }

        /// The number among the values of the observation, from 1; `nil` for a value that was read.
        var sequence: Int? {
            switch self {
            case .read: nil
            case .notification(let sequence), .indication(let sequence): sequence
            }
        }
    }

    /// The attribute that the value belongs to.
    let attribute: AttributeReference
    /// The octets, and their meaning in the chosen or the known format.
    let presentation: ValuePresentation
    /// How the value has come.
    let origin: Origin
    /// When the value arrived.
    let timestamp: Timestamp
    /// Whether the line for people names the target.
    let isLabelled: Bool

    func write(to json: inout JSONWriter) {
        attribute.write(self, type: origin.recordType, isNumbered: origin != .read, to: &json)
    }

    /// Values that were read come one at a time.
    var templateKey: RecordTemplateKey? {
        switch origin {
        case .read: nil
        case .notification: .notification(attribute)
        case .indication: .indication(attribute)
        }
    }

    /// Writes one member, for a whole record or for the gap in a template.
    func write(_ member: VaryingValueMember, to json: inout JSONWriter) {
        member.write(presentation, timestamp, sequence: origin.sequence, to: &json)
    }

    /// The line for people. A value that was read has no time in front, because it is the only one of its kind.
    func text(_ style: TextStyle) -> String? {
        let value = presentation.text
        let label = isLabelled ? "\(style.paint(TerminalText.escaped(attribute.target), .cyan)): " : ""
        guard origin != .read else { return label + value }
        return "\(style.paint(timestamp.wall.description, .faint))  \(label)\(value)"
    }

    /// The octets for `--as raw`, which go to standard output without a line feed.
    var rawBytes: [UInt8]? { presentation.isRaw ? presentation.bytes : nil }
}
