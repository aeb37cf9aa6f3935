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

    static let value = RecordKind<Self>("value", "a value that was read") { fields }

    static let notification = RecordKind<Self>(
        "notification",
        "a value that the device sent as a notification, which is not confirmed"
    ) {
        fields
        sequence
    }

    static let indication = RecordKind<Self>(
        "indication",
        "a value that the device sent as an indication, which was confirmed"
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
        "the number of the value, from 1; dropped values count as well"
    ) { $0.origin.sequence ?? 0 }

    /// Scripts tell by the kind whether a value was asked for.
    var recordKind: RecordKind<Self> {
        switch origin {
        case .read: Self.value
        case .notification: Self.notification
        case .indication: Self.indication
        }
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
