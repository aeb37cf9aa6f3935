// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Octets that went one way as a whole.
struct OctetsResult: RecordedResult {
    /// What carries the octets.
    enum Kind: Sendable {
        /// A unit of a credit-based channel.
        case channel
        /// A packet of a serial service.
        case serial
    }

    enum Direction: String, Sendable {
        case received, sent
    }

    let kind: Kind
    let device: DeviceReference
    let direction: Direction
    let octets: [UInt8]
    /// The number of the unit or packet in its direction, from 1.
    let sequence: Int
    let timestamp: Timestamp
    /// The octets to print where no records are written; safe if a terminal shows them.
    let shown: [UInt8]

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

    func text(_ style: TextStyle) -> String? { nil }

    var rawBytes: [UInt8]? { shown }
}
