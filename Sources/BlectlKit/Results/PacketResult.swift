// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A packet of a capture.
struct PacketResult: RecordedResult {
    /// The packet, with the decoder's knowledge of the earlier ones.
    let event: CapturedEvent

    /// The wall time is that of the capture, and the monotonic time counts from its first packet.
    var record: Record {
        Record(
            "packet",
            at: Timestamp(wall: event.time, monotonic: Instant(nanoseconds: event.elapsed.clampedNanoseconds)),
            [
                "adapter": .optional(event.adapter.flatMap { $0 == .none ? nil : $0.description }),
                "address": .optional(event.device?.address.description),
                "address_type": .optional(event.device?.type.description),
                "answer_to": .optional(event.answered?.number),
                "bytes": .optional(bytes.map { Hex.string($0) }),
                "connection": .optional(event.connection?.rawValue),
                "delay_ns": .optional(event.answered?.delay.clampedNanoseconds),
                "direction": .string(event.direction == .sent ? "sent" : "received"),
                "handles": .array(event.handles.map { .integer(Int64($0.rawValue)) }),
                "kind": .string(event.kind),
                "malformed": .bool(event.isMalformed),
                "missing": .integer(Int64(event.missing)),
                "name": .optional(name),
                "number": .integer(Int64(event.number)),
                "private_address": .optional(event.privateAddress?.description),
                "text": .string(event.text),
            ]
        )
    }

    /// The octets of the packet, of the PDU or of the frame's payload; `nil` where they may be keys.
    private var bytes: [UInt8]? {
        guard !event.isRedacted else { return nil }
        return switch event.content {
        case .hci(let packet): HCISecrets.areIn(packet) ? nil : packet.encoded()
        case .att(let octets, _): octets
        case .frame(let frame): frame.channel == .securityManager ? nil : frame.payload
        case .malformed(_, let octets): octets
        case .part, .management, .remark: nil
        }
    }

    /// The name of the PDU, the command or the event.
    private var name: String? {
        switch event.content {
        case .att(let octets, _): octets.first.map { ATTOpcode($0).description }
        case .hci(.command(let command)): command.opcode.description
        case .hci(.event(let packet)):
            (try? HCIEvent(packet))?.parameters.map { type(of: $0).name }
        case .frame(let frame): L2CAPText.name(of: frame)
        case .hci, .part, .management, .remark, .malformed: nil
        }
    }

    /// The line of the packet. It may contain names and values that a device has sent.
    func text(_ style: TextStyle) -> String? { TerminalText.escaped(event.line) }
}
