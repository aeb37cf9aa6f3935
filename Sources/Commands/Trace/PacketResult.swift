// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Records
import Terminal
import Toolkit

/// A packet of a capture.
struct PacketResult: CommandResult {
    /// The packet, with the decoder's knowledge of the earlier ones.
    let event: CapturedEvent

    /// The wall time is that of the capture, and the monotonic time counts from its first packet.
    static let record = RecordKind<Self>(
        "packet",
        "a packet of a capture: `time` is when it passed, and `monotonic_ns` counts from the first packet of the file"
    ) {
        RecordField("number", .integer, "its number in the file, from 1") { $0.event.number }
        RecordField("kind", .string, "`hci`, `att`, `smp`, `l2cap`, `acl` (a part of a frame), `mgmt` or `note`") {
            $0.event.kind
        }
        RecordField("direction", .string, "`sent` by the host or `received` by it") {
            $0.event.direction == .sent ? "sent" : "received"
        }
        RecordField("adapter", orNull: .string, "the adapter, such as `hci0`, if the file tells") {
            $0.event.adapter.flatMap { $0 == .none ? nil : $0.description }
        }
        RecordField("connection", orNull: .integer, "the handle of the connection") { $0.event.connection?.rawValue }
        RecordField("address", orNull: .string, "the address of the device, if it is known") {
            $0.event.device?.address.description
        }
        RecordField(
            "address_type",
            orNull: .string,
            "`public` or `random`, or another type; null if it is not known"
        ) { $0.event.device?.type.description }
        RecordField(
            "private_address",
            orNull: .string,
            "the resolvable private address that the device uses on the connection, if the capture tells both"
        ) { $0.event.privateAddress?.description }
        RecordField("name", orNull: .string, "the name of the PDU, the command or the event") { $0.name }
        RecordField("text", .string, "the packet in words") { $0.event.text }
        RecordField(
            "bytes",
            orNull: .hex,
            "the bytes of the HCI packet, the PDU or the frame; null where they may be keys"
        ) { $0.bytes }
        RecordField("handles", .array(of: .integer), "the attributes that an ATT packet is about") {
            $0.event.handles.map(\.rawValue)
        }
        RecordField("answer_to", orNull: .integer, "the number of the packet that it answers") {
            $0.event.answered?.number
        }
        RecordField("delay_ns", orNull: .integer("ns"), "the time that the answer took") {
            $0.event.answered?.delay.clampedNanoseconds
        }
        RecordField("malformed", .boolean, "whether it is not a valid packet") { $0.event.isMalformed }
        RecordField("missing", .integer("bytes"), "how many of its bytes the file does not have") { $0.event.missing }
    }

    var recordKind: RecordKind<Self> { Self.record }

    var timestamp: Timestamp {
        Timestamp(wall: event.time, monotonic: Instant(nanoseconds: event.elapsed.clampedNanoseconds))
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
