// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Toolkit

extension CapturedEvent {
    /// The kind of packet, as one word.
    package var kind: String {
        switch content {
        case .hci(.acl): "vendor"
        case .hci(.other(indicator: CapturedAudio.synchronousIndicator, _)): "sco"
        case .hci(.other(indicator: CapturedAudio.isochronousIndicator, _)): "iso"
        case .hci: "hci"
        case .att: "att"
        case .frame(let frame): frame.isOfSecurityManager ? "smp" : "l2cap"
        case .part: "acl"
        case .management: "mgmt"
        case .remark: "note"
        case .malformed: "hci"
        }
    }

    /// Whether a decoder has refused the packet, although the file has all of it.
    package var isMalformed: Bool {
        guard missing == 0 else { return false }
        return switch content {
        case .att(_, pdu: nil), .malformed, .part(.tooLong): true
        case .hci(let packet): HCIText.isMalformed(packet)
        case .frame(let frame): L2CAPText.isMalformed(frame)
        case .management(let packet): HCIText.isMalformed(packet, isSent: direction == .sent)
        case .att, .part, .remark: false
        }
    }

    /// The packet in words, without time and direction.
    package var text: String {
        let packet = missing == 0 ? isRedacted ? redactedText : fullText : cutText
        let text = attributeText.map { "\(packet)  \($0)" } ?? packet
        return missing == 0 ? text : "\(text) (\(count: missing, "octet") not captured)"
    }

    /// The attributes of an ATT PDU by their names, and its values in words; `nil` if none is known.
    private var attributeText: String? {
        let texts = attributes.compactMap { isRedacted ? $0.reference.attributeName : $0.text }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    /// The beginning of a packet whose end the file does not have.
    private var cutText: String {
        switch content {
        case .att(let octets, _): CutPDU.text(octets, isRedacted: isRedacted)
        case .malformed(_, let octets): CutHCIPacket.text(octets, isRedacted: isRedacted)
        case .frame(let frame) where frame.isOfSecurityManager: "\(Self.securityName(frame.payload) ?? "PDU"), cut"
        case .frame(let frame) where isRedacted: "\(Redaction.text(of: frame)), cut"
        case .frame(let frame): L2CAPText.text(ofCut: frame)
        case .hci(.other(let indicator, let rest)):
            CapturedAudio(indicator, rest)?.cutText(isRedacted: isRedacted) ?? (isRedacted ? redactedText : fullText)
        case .hci, .part, .management, .remark: isRedacted ? redactedText : fullText
        }
    }

    /// The packet without values, names and keys; a remark of the file may be any of these.
    private var redactedText: String {
        switch content {
        case .hci(.acl(let data)): "\(data.connection), \(count: data.data.count, "octet")"
        case .hci(.other(let indicator, let rest)):
            CapturedAudio(indicator, rest)?.openText ?? Redaction.text(of: .other(indicator: indicator, rest))
        case .hci(let packet): Redaction.text(of: packet)
        case .att(let octets, _): octets.isEmpty ? Self.emptyPDU : Redaction.text(ofATT: octets)
        case .frame(let frame) where !frame.isOfSecurityManager: Redaction.text(of: frame)
        case .management(let packet): Redaction.text(of: packet, isSent: direction == .sent)
        case .remark: "left out"
        case .malformed(let error, let octets): Redaction.malformed(error, octets)
        case .frame, .part: fullText
        }
    }

    /// The packet with its whole content except keys.
    private var fullText: String {
        switch content {
        // The kind says what it is.
        case .hci(.acl(let data)): "\(data.connection), \(HCIText.text(of: data.data))"
        case .hci(.other(let indicator, let rest)):
            CapturedAudio(indicator, rest)?.text ?? HCIText.text(of: .other(indicator: indicator, rest))
        case .hci(let packet): HCIText.text(of: packet)
        case .att(let octets, _): octets.isEmpty ? Self.emptyPDU : ATTPDU.describe(octets)
        case .frame(let frame) where frame.isOfSecurityManager: Self.securityText(frame.payload)
        case .frame(let frame): L2CAPText.text(of: frame, on: channel)
        case .part(.part(let received, let total?)): "\(received) of \(total) octets of a frame"
        case .part(.part(let received, total: nil)): "\(count: received, "octet") of a frame"
        case .part(.tooLong(let received, let total)): "malformed (\(received) octets for a frame of \(total))"
        case .part(.stray), .part(.frame): "part of a frame whose beginning is missing"
        case .management(let packet): HCIText.text(of: packet, isSent: direction == .sent)
        case .remark(let text): text
        case .malformed(let error, let octets): PacketText.malformed(error, octets)
        }
    }

    private static let emptyPDU = "malformed (empty PDU)"

    /// The names of the Security Manager's PDUs by their code, from 0x01.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 3.3
    private static let securityNames = [
        "Pairing Request", "Pairing Response", "Pairing Confirm", "Pairing Random", "Pairing Failed",
        "Encryption Information", "Central Identification", "Identity Information", "Identity Address Information",
        "Signing Information", "Security Request", "Pairing Public Key", "Pairing DHKey Check",
        "Pairing Keypress Notification",
    ]

    /// The name of a PDU of the Security Manager; `nil` for an empty one.
    private static func securityName(_ octets: [UInt8]) -> String? {
        guard let code = octets.first else { return nil }
        let name = (1...securityNames.count).contains(Int(code)) ? securityNames[Int(code) - 1] : nil
        return name ?? "unknown (0x\(Hex.string(code, minimumDigits: 2)))"
    }

    /// A PDU of the Security Manager without its octets, which may be keys.
    private static func securityText(_ octets: [UInt8]) -> String {
        guard let text = securityName(octets) else { return "empty PDU" }
        guard case .pairingFailed(let failure) = try? SecurityManagerPDU(decoding: octets) else { return text }
        return "\(text): \(failure)"
    }

    /// The other end of a connection in a line: its address, or the handle of the connection.
    private var subject: String? {
        switch content {
        case .att, .frame, .part: device?.address.description ?? connection?.description
        case .hci, .management, .remark, .malformed: nil
        }
    }

    /// The channel of an ATT PDU that has not come on the fixed one.
    private var channelName: String? {
        guard case .att = content, let channel else { return nil }
        return "channel \(channel.number)"
    }

    /// The adapter in a line, if the file names it and the text does not.
    private var adapterName: String? {
        switch content {
        case .management, .remark: nil
        case .hci, .att, .frame, .part, .malformed: adapter.flatMap { $0 == .none ? nil : $0.description }
        }
    }

    /// The line of the packet, as `-v` has it; after an answer is the time that it took.
    package var line: String {
        let arrow =
            switch content {
            case .remark: " = "
            default: direction == .sent ? " > " : " < "
            }
        let text = text
        var line = time.description
        line.reserveCapacity(96 + text.utf8.count)
        line += "  "
        line += PacketText.seconds(elapsed)
        line += arrow
        for word in [kind, origin.text, adapterName, subject, channelName] {
            guard let word else { continue }
            line += word
            line += " "
        }
        line += text
        if let answered { line += "  +\(milliseconds(answered.delay)) ms" }
        return line
    }

    private func milliseconds(_ duration: Duration) -> String {
        let microseconds = duration.clampedNanoseconds / 1_000
        let fraction = String((microseconds % 1_000).magnitude + 1_000).dropFirst()
        return "\(microseconds < 0 ? "-" : "")\((microseconds / 1_000).magnitude).\(fraction)"
    }
}
