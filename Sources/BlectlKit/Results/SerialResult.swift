// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Octets of a serial service, in one direction.
struct SerialResult: RecordedResult {
    enum Direction: String, Sendable {
        case received, sent
    }

    let device: DeviceReference
    let direction: Direction
    /// The octets of one packet.
    let octets: [UInt8]
    /// The number of the packet in its direction, from 1.
    let sequence: Int
    let timestamp: Timestamp
    /// What is printed where no records are written; safe if a terminal shows it.
    let shown: [UInt8]

    var record: Record {
        Record(
            "serial",
            at: timestamp,
            [
                "data": .string(Hex.string(octets)),
                "device": device.json,
                "direction": .string(direction.rawValue),
                "length": .integer(Int64(octets.count)),
                "sequence": .integer(Int64(sequence)),
                "text": .string(String(decoding: octets, as: UTF8.self)),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? { nil }

    var rawBytes: [UInt8]? { shown }
}
