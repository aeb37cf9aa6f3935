// SPDX-License-Identifier: GPL-2.0-or-later

package import Records
package import Terminal

/// A value that was read, or that the device sent.
package struct ValueResult: CommandResult {
    /// The procedure that delivered the value.
    package enum Origin: Sendable, Equatable {
        /// The answer to a request of this client.
        case read
        /// The same, again and again.
        case polled
        /// Sent by the device without an acknowledgement, so that the sequence number is that of the arrival.
        case notification(sequence: Int)
        /// Sent by the device, and acknowledged by a confirmation before the next one.
        case indication(sequence: Int)

        /// The number among the values of the observation, from 1; `nil` for a value that was read.
        package var sequence: Int? {
            switch self {
            case .read, .polled: nil
            case .notification(let sequence), .indication(let sequence): sequence
            }
        }
    }

    package let attribute: AttributeReference
    /// The octets, and their meaning in the chosen or the known format.
    package let presentation: ValuePresentation
    package let origin: Origin
    package let timestamp: Timestamp
    /// Whether the line for people names the target.
    package let isLabelled: Bool

    package init(
        attribute: AttributeReference,
        presentation: ValuePresentation,
        origin: Origin,
        timestamp: Timestamp,
        isLabelled: Bool
    ) {
        self.attribute = attribute
        self.presentation = presentation
        self.origin = origin
        self.timestamp = timestamp
        self.isLabelled = isLabelled
    }

    package static let value = RecordKind<Self>("value", "a value that was read") { fields }

    package static let notification = RecordKind<Self>(
        "notification",
        "a value that the device sent unconfirmed"
    ) {
        fields
        sequence
    }

    package static let indication = RecordKind<Self>(
        "indication",
        "a value that the device sent and blectl confirmed"
    ) {
        fields
        sequence
    }

    @FieldBuilder<ValueResult>
    private static var fields: [RecordField<ValueResult>] {
        AttributeReference.record.of { $0.attribute }
        ValuePresentation.record.of { $0.presentation }
        AttributeReference.targetField.of { $0.attribute }
    }

    private static let sequence = RecordField<Self>(
        "sequence",
        .integer,
        "its number, from 1, dropped values included"
    ) { $0.origin.sequence ?? 0 }

    /// Scripts tell by the kind whether a value was asked for.
    package var recordKind: RecordKind<Self> {
        switch origin {
        case .read, .polled: Self.value
        case .notification: Self.notification
        case .indication: Self.indication
        }
    }

    /// The line for people. A value that was read has no time in front, because it is the only one of its kind.
    package func text(_ style: TextStyle) -> String? {
        let value = presentation.text
        let label = isLabelled ? "\(style.paint(TerminalText.escaped(attribute.target), .cyan)): " : ""
        guard origin != .read else { return label + value }
        return "\(timestamp.text(style))  \(label)\(value)"
    }

    /// The octets for `--as raw`, which go to standard output without a line feed.
    package var rawBytes: [UInt8]? { presentation.isRaw ? presentation.bytes : nil }
}
