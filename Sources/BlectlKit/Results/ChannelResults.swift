// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// A credit-based channel that has opened.
struct ChannelResult: RecordedResult {
    /// The device at the other end of the channel.
    let device: DeviceReference
    /// The simplified protocol/service multiplexer, which names the service of the channel.
    let spsm: SPSM
    /// The largest unit that this machine accepts, in octets.
    let receiveMTU: UInt16
    /// The largest unit that the device accepts, in octets.
    let sendMTU: UInt16
    /// When the channel was ready for data.
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

    /// `nil`: without records, standard output has only the octets of the channel.
    func text(_ style: TextStyle) -> String? { nil }
}

/// A credit-based channel that has ended, with its statistics.
struct ChannelEndResult: RecordedResult {
    /// Why it has ended.
    enum Reason: String, Sendable {
        /// By the device, by the end of the input, by `--count`, by `--duration`, or because nothing more can
        /// happen in a simulated world.
        case peer, input, count, duration, simulation
    }

    /// The device at the other end of the channel.
    let device: DeviceReference
    /// The service of the channel.
    let spsm: SPSM
    /// Why the channel has ended.
    let reason: Reason
    /// The octets and the service data units that have arrived.
    let received: (octets: Int, units: Int)
    /// The octets and the service data units that were handed to the kernel.
    let sent: (octets: Int, units: Int)
    /// When the channel was found to have ended.
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

    /// `nil`: the end of the octets is the end of the channel.
    func text(_ style: TextStyle) -> String? { nil }
}
