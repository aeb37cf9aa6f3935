// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Records
import Terminal
import Toolkit

/// A credit-based channel that has opened.
struct ChannelResult: RecordedResult {
    let device: DeviceReference
    /// The simplified protocol/service multiplexer, which names the service of the channel.
    let spsm: SPSM
    /// The largest unit that this machine accepts, in octets.
    let receiveMTU: UInt16
    /// The largest unit that the device accepts, in octets.
    let sendMTU: UInt16
    /// When the channel was ready for data.
    let timestamp: Timestamp

    static let record = RecordKind<Self>("channel", "a channel that has opened") {
        RecordField.device { $0.device }
        RecordField("psm", .integer, "number of the service") { $0.spsm.rawValue }
        RecordField("receive_mtu", .integer("bytes"), "largest unit that this machine receives") { $0.receiveMTU }
        RecordField("send_mtu", .integer("bytes"), "largest unit that the device receives") { $0.sendMTU }
    }

    /// `nil`: without records, standard output has only the octets of the channel.
    func text(_ style: TextStyle) -> String? { nil }
}

/// A credit-based channel that has ended, with its statistics.
struct ChannelEndResult: RecordedResult {
    enum Reason: String, Sendable {
        /// By the device, by the end of the input, by `--count`, by `--duration`, or because nothing more can
        /// happen in a simulated world.
        case peer, input, count, duration, simulation
    }

    let device: DeviceReference
    let spsm: SPSM
    let reason: Reason
    /// The octets and the service data units that have arrived.
    let received: (octets: Int, units: Int)
    /// The octets and the service data units that were handed to the kernel.
    let sent: (octets: Int, units: Int)
    /// When the channel was found to have ended.
    let timestamp: Timestamp

    static let record = RecordKind<Self>("channel-end", "a channel that has ended without an error") {
        RecordField.device { $0.device }
        RecordField("psm", .integer, "number of the service") { $0.spsm.rawValue }
        RecordField(
            "reason",
            .string,
            "`peer`, if the device has closed it; `input`, `count`, `duration`, or `simulation`"
        ) { $0.reason.rawValue }
        RecordField("received", .integer("bytes"), "octets received") { $0.received.octets }
        RecordField("received_units", .integer, "units received") { $0.received.units }
        RecordField("sent", .integer("bytes"), "octets sent") { $0.sent.octets }
        RecordField("sent_units", .integer, "units sent") { $0.sent.units }
    }

    /// `nil`: the end of the octets is the end of the channel.
    func text(_ style: TextStyle) -> String? { nil }
}
