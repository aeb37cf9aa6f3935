// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Captures
import Records
import Terminal
import Toolkit

struct PacketResult: RecordedResult {
    /// The packet, with the decoder's knowledge of the earlier ones.
    let event: CapturedEvent

    /// The wall time is that of the capture, and the monotonic time counts from its first packet.
    static let record = RecordKind<Self>(
        "packet",
        "a packet of a capture: `time` is when it passed, `monotonic_ns` from the first packet of the file"
    ) {
        RecordField("number", .integer, "its number in the file, from 1") { $0.event.number }
        RecordField(
            "kind",
            .string,
            "`hci`, `att`, `smp`, `l2cap`, `acl` (a part of a frame), `sco`, `iso`, `vendor` (a controller's log), `mgmt` or "
                + "`note`"
        ) { $0.event.kind }
        RecordField("direction", .string, "`sent` by the host or `received` by it") {
            $0.event.direction == .sent ? "sent" : "received"
        }
        RecordField("adapter", orNull: .string, "adapter, such as `hci0`, if known") {
            $0.event.adapter.flatMap { $0 == .none ? nil : $0.description } ?? $0.event.origin.name
        }
        RecordField("capture", orNull: .string, "file, if several are read") { $0.event.origin.capture }
        RecordField("connection", orNull: .integer, "handle of the connection") { $0.event.connection?.rawValue }
        RecordField("channel", orNull: .integer, "number of the L2CAP channel of a PDU or a frame") { $0.channel }
        RecordField("address", orNull: .string, "address of the device, if known") {
            $0.event.device?.address.description
        }
        RecordField(
            "address_type",
            orNull: .string,
            "`public` or `random`, or another type; null if not known"
        ) { $0.event.device?.type.description }
        RecordField(
            "private_address",
            orNull: .string,
            "its resolvable private address on the connection, if the capture tells both"
        ) { $0.event.privateAddress?.description }
        RecordField("name", orNull: .string, "name of the PDU, the command or the event") { $0.name }
        RecordField("text", .string, "packet in words") { $0.event.text }
        RecordField(
            "bytes",
            orNull: .hex,
            "bytes of the HCI packet, the PDU or the frame; null where they may be keys"
        ) { $0.bytes }
        RecordField("handles", .array(of: .integer), "attributes that an ATT packet is about") {
            $0.event.handles.map(\.rawValue)
        }
        RecordField("service", orNull: .uuid, "service of the first of them, if known") {
            $0.attribute?.reference.service
        }
        RecordField("characteristic", orNull: .uuid, "its characteristic, if known") {
            $0.attribute?.reference.characteristic
        }
        RecordField("characteristic_name", orNull: .string, "name of that") {
            $0.attribute?.reference.characteristicName
        }
        RecordField("descriptor", orNull: .uuid, "descriptor, if the attribute is one") {
            $0.attribute?.reference.descriptor
        }
        RecordField("value", orNull: .hex, "value in an ATT packet, if that has all of it") { $0.value?.bytes }
        RecordField("decoded", orNull: .any, "that value decoded, if its format is known; keys have the units") {
            $0.value?.decoded?.content
        }
        RecordField("answer_to", orNull: .integer, "number of the packet that it answers") {
            $0.event.answered?.number
        }
        RecordField("delay_ns", orNull: .integer("ns"), "time that the answer took") {
            $0.event.answered?.delay.clampedNanoseconds
        }
        RecordField("malformed", .boolean, "whether it is not a valid packet") { $0.event.isMalformed }
        RecordField("missing", .integer("bytes"), "how many of its bytes the file does not have") { $0.event.missing }
    }

    var timestamp: Timestamp {
        Timestamp(wall: event.time, monotonic: Instant(nanoseconds: event.elapsed.clampedNanoseconds))
    }

    private var attribute: CapturedAttribute? { event.attributes.first }

    /// The value in the packet; `nil` where it is hidden or may go on.
    private var value: ValuePresentation? {
        guard !event.isRedacted, let attribute, !attribute.mayBeCut else { return nil }
        return attribute.presentation
    }

    private var channel: UInt16? {
        if let channel = event.channel { return channel.number.rawValue }
        return switch event.content {
        case .att: L2CAPChannelID.att.rawValue
        case .frame(let frame): frame.channel.rawValue
        case .hci, .part, .management, .remark, .malformed: nil
        }
    }

    /// The octets of the packet, of the PDU or of the frame's payload; `nil` where they may be keys.
    private var bytes: [UInt8]? {
        guard !event.isRedacted else { return nil }
        return switch event.content {
        case .hci(let packet): HCISecrets.areIn(packet) ? nil : packet.encoded()
        case .att(let octets, _): octets
        case .frame(let frame): frame.isOfSecurityManager ? nil : frame.payload
        case .malformed(_, let octets): octets
        case .part, .management, .remark: nil
        }
    }

    /// The name of the PDU, the command or the event.
    private var name: String? {
        switch event.content {
        case .att(let octets, _): octets.first.map { ATTOpcode($0).description }
        case .hci(.command(let command)): HCIText.name(of: command.opcode)
        case .hci(.event(let packet)): HCIText.name(of: packet)
        case .frame(let frame): L2CAPText.name(of: frame)
        case .management(let packet): HCIText.name(of: packet, isSent: event.direction == .sent)
        case .hci, .part, .remark, .malformed: nil
        }
    }

    /// The line of the packet. It may contain names and values that a device has sent.
    func text(_ style: TextStyle) -> String? { TerminalText.escaped(event.line) }
}
