// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth

extension L2CAPFrame {
    /// The unit of a credit-based channel, if the frame has all of it.
    package var unit: [UInt8]? {
        guard payload.count >= 2, payload.count - 2 == Int(payload[0]) | Int(payload[1]) << 8 else { return nil }
        return Array(payload[2...])
    }
}

/// Frames of the L2CAP layer in words.
package enum L2CAPText {
    /// A frame of another channel than those of ATT and of the Security Manager.
    ///
    /// - Parameters:
    ///   - channel: What is known of its channel; `nil` for nothing.
    package static func text(of frame: L2CAPFrame, on channel: CapturedChannel? = nil) -> String {
        guard frame.isSignaling else { return text(of: frame.payload, frame.channel, channel) }
        do throws(DecodeError) {
            var texts: [String] = []
            for signal in try CapturedSignal.all(in: frame) { texts.append(try text(of: signal)) }
            return texts.joined(separator: "; ")
        } catch {
            return "signal: \(PacketText.malformed(error, frame.payload))"
        }
    }

    private static func text(of payload: [UInt8], _ number: L2CAPChannelID, _ channel: CapturedChannel?) -> String {
        guard let channel else {
            let octets = payload.isEmpty ? "" : ": \(Hex.string(payload))"
            return "channel \(number), \(count: payload.count, "octet")\(octets)"
        }
        var octets = payload
        var length = "\(count: payload.count, "octet")"
        if let (received, total) = channel.unit {
            // The first frame of a unit begins with the unit's length.
            if received + 2 == payload.count { octets = Array(payload.dropFirst(2)) }
            length =
                octets.count == total
                ? "unit of \(count: total, "octet")" : "\(received) of \(count: total, "octet") of a unit"
        }
        let service = "\(channel.isCreditBased ? "SPSM" : "PSM") \(channel.psm)"
        return "channel \(number) of \(service), \(length)\(octets.isEmpty ? "" : ": \(Hex.string(octets))")"
    }

    /// The beginning of a frame whose end is not there.
    package static func text(ofCut frame: L2CAPFrame) -> String {
        guard frame.isSignaling else { return "\(text(of: frame.payload, frame.channel, nil)), cut" }
        let data = frame.payload.dropFirst(Bluetooth.L2CAPCommand.headerLength)
        return "\(name(of: frame) ?? "signal"), cut\(data.isEmpty ? "" : ": \(Hex.string(Array(data)))")"
    }

    /// The name of the signal in a frame, the first one of several; `nil` for a frame without one.
    package static func name(of frame: L2CAPFrame) -> String? {
        guard frame.isSignaling else { return nil }
        return frame.payload.first.map { name(of: $0) }
    }

    /// Whether a frame has a signal that answers another one.
    package static func isResponse(_ frame: L2CAPFrame) -> Bool {
        guard frame.isSignaling else { return false }
        return (try? CapturedSignal.all(in: frame))?.first?.isResponse ?? false
    }

    package static func isMalformed(_ frame: L2CAPFrame) -> Bool {
        guard frame.isSignaling else { return false }
        guard let signals = try? CapturedSignal.all(in: frame) else { return true }
        return signals.contains { (try? $0.decoded()) == nil }
    }

    /// The names of signals by their code.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 4; for 0x0C to 0x11 Core 5.2
    private static let names: [UInt8: String] = [
        0x01: "Command Reject", 0x02: "Connection Request", 0x03: "Connection Response", 0x04: "Configuration Request",
        0x05: "Configuration Response", 0x06: "Disconnection Request", 0x07: "Disconnection Response",
        0x08: "Echo Request", 0x09: "Echo Response", 0x0A: "Information Request", 0x0B: "Information Response",
        0x0C: "Create Channel Request", 0x0D: "Create Channel Response", 0x0E: "Move Channel Request",
        0x0F: "Move Channel Response", 0x10: "Move Channel Confirmation Request",
        0x11: "Move Channel Confirmation Response", 0x12: "Connection Parameter Update Request",
        0x13: "Connection Parameter Update Response", 0x14: "LE Credit Based Connection Request",
        0x15: "LE Credit Based Connection Response", 0x16: "Flow Control Credit Indication",
        0x17: "Credit Based Connection Request", 0x18: "Credit Based Connection Response",
        0x19: "Credit Based Reconfigure Request", 0x1A: "Credit Based Reconfigure Response",
    ]

    private static func name(of code: UInt8) -> String {
        names[code] ?? "signal 0x\(Hex.string(code, minimumDigits: 2))"
    }

    private static func text(of signal: CapturedSignal) throws(DecodeError) -> String {
        let fields = fields(of: try signal.decoded())
        // An identifier of 0 is not valid, but devices send it. Spec: Core 5.4, Vol 3, Part A, 4
        let remark = signal.identifier == 0 ? " (an identifier must not be 0)" : ""
        return "\(name(of: signal.code)) \(signal.identifier)\(remark)\(fields.isEmpty ? "" : ": \(fields)")"
    }

    private static func fields(of signal: L2CAPSignal) -> String {
        switch signal {
        case .commandReject(.notUnderstood): "not understood"
        case .commandReject(.signalingMTUExceeded(let mtu)): "too long, at most \(count: Int(mtu), "octet")"
        case .commandReject(.invalidCID(let local, let remote)): "no such channel \(local), \(remote)"
        case .commandReject(.other(let reason)): "reason 0x\(Hex.string(reason, minimumDigits: 4))"
        case .disconnectionRequest(let destination, let source), .disconnectionResponse(let destination, let source):
            "channel \(destination) of the receiver, \(source) of the sender"
        case .connectionRequest(let request):
            "SPSM \(request.spsm), channel \(request.source), \(text(of: request.limits)), "
                + "\(count: Int(request.initialCredits), "credit")"
        case .connectionResponse(let response):
            response.result == .successful
                ? "channel \(response.destination), \(text(of: response.limits)), "
                    + "\(count: Int(response.initialCredits), "credit")"
                : "\(response.result)"
        case .flowControlCredit(let channel, let credits): "channel \(channel), \(count: Int(credits), "credit")"
        case .other(0x12, let data): parameters(data) ?? Hex.string(data)
        case .other(0x13, [0, 0]): "accepted"
        case .other(0x13, [1, 0]): "rejected"
        case .other(let code, let data): L2CAPFields.text(of: code, data) ?? Hex.string(data)
        }
    }

    private static func text(of limits: CreditBasedLimits) -> String { "MTU \(limits.mtu), MPS \(limits.mps)" }

    /// The connection parameters that a peripheral asks for; `nil` for malformed octets.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 4.20
    private static func parameters(_ data: [UInt8]) -> String? {
        guard data.count == 8 else { return nil }
        let fields = stride(from: 0, to: 8, by: 2).map { UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8 }
        let (least, most) = (
            LEInterval<1_250>(rawValue: UInt32(fields[0])), LEInterval<1_250>(rawValue: UInt32(fields[1]))
        )
        return "interval \(least) to \(most), latency \(fields[2]), timeout \(Int(fields[3]) * 10) ms"
    }
}
