// SPDX-License-Identifier: GPL-2.0-or-later

package import Records
package import Terminal

/// Octets that went one way as a whole.
package struct OctetsResult: CommandResult {
    package enum Kind: Sendable {
        /// A unit of a credit-based channel.
        case channel
        /// A packet of a serial service.
        case serial
    }

    /// Seen from this machine.
    package enum Direction: String, Sendable {
        case received, sent
    }

    /// The carrier of the octets, which determines the type of the record.
    package let kind: Kind
    package let device: DeviceReference
    package let direction: Direction
    package let octets: [UInt8]
    /// The number of the unit or packet in its direction, from 1.
    package let sequence: Int
    /// When they arrived, or when they were handed over for sending.
    package let timestamp: Timestamp
    /// The octets to print where no records are written; safe if a terminal shows them.
    package let shown: [UInt8]

    package init(
        kind: Kind,
        device: DeviceReference,
        direction: Direction,
        octets: [UInt8],
        sequence: Int,
        timestamp: Timestamp,
        shown: [UInt8]
    ) {
        self.kind = kind
        self.device = device
        self.direction = direction
        self.octets = octets
        self.sequence = sequence
        self.timestamp = timestamp
        self.shown = shown
    }

    package static let channelUnit = RecordKind<Self>("sdu", "a unit on a channel, in one direction") {
        RecordField.device { $0.device }
        direction
        RecordField("data", .hex, "its octets") { $0.octets }
        RecordField("length", .integer("bytes"), "their number") { $0.octets.count }
        RecordField("sequence", .integer, "number of the unit in its direction, from 1") { $0.sequence }
    }

    /// A serial service is text by nature, so that its record has the octets as text too. Invalid UTF-8 is
    /// replaced there.
    package static let serial = RecordKind<Self>("serial", "octets of a serial port, in one direction") {
        RecordField.device { $0.device }
        direction
        RecordField("data", .hex, "octets of a packet") { $0.octets }
        RecordField("length", .integer("bytes"), "their number") { $0.octets.count }
        RecordField("text", .string, "octets as UTF-8; what is none is replaced") {
            String(decoding: $0.octets, as: UTF8.self)
        }
        RecordField("sequence", .integer, "number of the packet in its direction, from 1") { $0.sequence }
    }

    private static let direction = RecordField<Self>("direction", .string, "`received` or `sent`") {
        $0.direction.rawValue
    }

    package var recordKind: RecordKind<Self> {
        switch kind {
        case .channel: Self.channelUnit
        case .serial: Self.serial
        }
    }

    /// `nil`: the octets are printed as they are, without lines of their own.
    package func text(_ style: TextStyle) -> String? { nil }

    /// The octets for standard output when no records are written.
    package var rawBytes: [UInt8]? { shown }
}
