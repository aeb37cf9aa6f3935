// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth

/// Frames of the L2CAP layer in words.
package enum L2CAPText {
    /// A frame of another channel than those of ATT and of the Security Manager.
    package static func text(of frame: L2CAPFrame) -> String {
        guard frame.channel == .leSignaling else {
            let octets = frame.payload.isEmpty ? "" : ": \(Hex.string(frame.payload))"
            return "channel \(frame.channel), \(count: frame.payload.count, "octet")\(octets)"
        }
        do throws(DecodeError) {
            let command = try Bluetooth.L2CAPCommand(decoding: frame.payload)
            let fields = fields(of: command.signal)
            return "\(name(of: command.signal.code)) \(command.identifier)\(fields.isEmpty ? "" : ": \(fields)")"
        } catch {
            return "signal: \(PacketTrace.malformed(error, frame.payload))"
        }
    }

    /// The name of the signal in a frame; `nil` for a frame without one.
    package static func name(of frame: L2CAPFrame) -> String? {
        guard frame.channel == .leSignaling else { return nil }
        return frame.payload.first.map { name(of: $0) }
    }

    /// Whether a frame has a signal that answers another one.
    static func isResponse(_ frame: L2CAPFrame) -> Bool {
        guard frame.channel == .leSignaling else { return false }
        return (try? Bluetooth.L2CAPCommand(decoding: frame.payload))?.signal.isResponse ?? false
    }

    /// The names of signals on an LE link by their code.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 4
    private static let names: [UInt8: String] = [
        0x01: "Command Reject", 0x06: "Disconnection Request", 0x07: "Disconnection Response",
        0x12: "Connection Parameter Update Request", 0x13: "Connection Parameter Update Response",
        0x14: "LE Credit Based Connection Request", 0x15: "LE Credit Based Connection Response",
        0x16: "Flow Control Credit", 0x17: "Credit Based Connection Request",
        0x18: "Credit Based Connection Response", 0x19: "Credit Based Reconfigure Request",
        0x1A: "Credit Based Reconfigure Response",
    ]

    private static func name(of code: UInt8) -> String {
        names[code] ?? "signal 0x\(Hex.string(code, minimumDigits: 2))"
    }

    /// The fields of a signal after its name.
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
        case .other(_, let data): Hex.string(data)
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
