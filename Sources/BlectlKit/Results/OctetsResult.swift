// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Octets that went one way as a whole.
struct OctetsResult: RecordedResult {
    /// The carrier of the octets.
    enum Kind: Sendable {
        /// A unit of a credit-based channel.
        case channel
        /// A packet of a serial service.
        case serial
    }

    /// Seen from this machine.
    enum Direction: String, Sendable {
        /// From the device, or to it.
        case received, sent
    }

    /// The carrier of the octets, which determines the type of the record.
    let kind: Kind
    /// The device at the other end.
    let device: DeviceReference
    /// Which way they went.
    let direction: Direction
    /// The octets as they were on the air.
    let octets: [UInt8]
    /// The number of the unit or packet in its direction, from 1.
    let sequence: Int
    /// When they arrived, or when they were handed over for sending.
    let timestamp: Timestamp
    /// The octets to print where no records are written; safe if a terminal shows them.
    let shown: [UInt8]

    /// A serial service is text by nature, so that its record has the octets as text too. Invalid UTF-8 is
    /// replaced there.
    var record: Record {
        var fields: [String: JSONValue] = [
            "data": .string(Hex.string(octets)),
            "device": device.json,
            "direction": .string(direction.rawValue),
            "length": .integer(Int64(octets.count)),
            "sequence": .integer(Int64(sequence)),
        ]
        switch kind {
        case .channel: return Record("sdu", at: timestamp, fields)
        case .serial:
            fields["text"] = .string(String(decoding: octets, as: UTF8.self))
            return Record("serial", at: timestamp, fields)
        }
    }

    /// `nil`: the octets are printed as they are, without lines of their own.
    func text(_ style: TextStyle) -> String? { nil }

    /// The octets for standard output when no records are written.
    var rawBytes: [UInt8]? { shown }
}
