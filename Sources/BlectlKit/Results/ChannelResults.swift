// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// A credit-based channel that has opened.
struct ChannelResult: RecordedResult {
    let device: DeviceReference
    let spsm: SPSM
    /// The largest units of each direction, in octets.
    let receiveMTU: UInt16
    let sendMTU: UInt16
    let timestamp: Timestamp

    var record: Record {
        Record(
            "channel",
            at: timestamp,
            [
                "device": device.json,
                "psm": .integer(Int64(spsm.rawValue)),
                "receive_mtu": .integer(Int64(receiveMTU)),
                "send_mtu": .integer(Int64(sendMTU)),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? { nil }
}

/// A credit-based channel that has ended, with what it has carried.
struct ChannelEndResult: RecordedResult {
    /// Why it has ended.
    enum Reason: String, Sendable {
        case peer, input, count, duration, simulation
    }

    let device: DeviceReference
    let spsm: SPSM
    let reason: Reason
    let received: (octets: Int, units: Int)
    let sent: (octets: Int, units: Int)
    let timestamp: Timestamp

    var record: Record {
        Record(
            "channel-end",
            at: timestamp,
            [
                "device": device.json,
                "psm": .integer(Int64(spsm.rawValue)),
                "reason": .string(reason.rawValue),
                "received": .integer(Int64(received.octets)),
                "received_units": .integer(Int64(received.units)),
                "sent": .integer(Int64(sent.octets)),
                "sent_units": .integer(Int64(sent.units)),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? { nil }
}
