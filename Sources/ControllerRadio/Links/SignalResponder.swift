// SPDX-License-Identifier: MIT

import Bluetooth

/// Answers the signals of a peer.
///
/// Spec: Core 5.4, Vol 3, Part A, 4
enum SignalResponder {
    /// What a signal leads to.
    struct Reaction: Hashable, Sendable {
        /// The answer; `nil` if there is none.
        var answer: L2CAPCommand?
        /// The parameters that the link is to have.
        var parameters: LEConnectionParameters?
    }

    /// The longest signal that this host takes, in octets: that of a request for five channels is the longest.
    private static let mtu = 64

    /// Whether a signal is about credit-based channels: a rejection, a request to disconnect or its answer, a request for
    /// channels or its answer, credits, or other limits and their answer.
    static func isOfChannels(_ payload: [UInt8]) -> Bool {
        payload.first.map { [0x01, 0x06, 0x07].contains($0) || (0x14...0x1A).contains($0) } ?? false
    }

    /// Takes the payload of a frame on the signalling channel that is not about credit-based channels.
    ///
    /// - Parameters:
    ///   - payload: The payload.
    ///   - role: The role of this host on the link.
    static func reaction(to payload: [UInt8], as role: LERole) -> Reaction {
        // A signal with an identifier of 0 is none, and what is shorter has no identifier to answer to.
        guard payload.count >= L2CAPCommand.headerLength, payload[1] != 0 else { return Reaction() }
        guard payload.count <= mtu else {
            return rejecting(payload[1], .signalingMTUExceeded(UInt16(mtu)))
        }
        let command: L2CAPCommand
        do throws(DecodeError) {
            command = try L2CAPCommand(decoding: payload)
        } catch {
            return rejecting(payload[1], .notUnderstood)
        }
        switch command.signal {
        case .other(code: 0x12, let data) where role == .central:
            guard let parameters = parameters(in: data) else { return rejecting(command.identifier, .notUnderstood) }
            let isAccepted = parameters.arePossible
            // Connection Parameter Update Response (4.21): 0x0000 accepted, 0x0001 rejected.
            let answer = L2CAPSignal.other(code: 0x13, data: [isAccepted ? 0x00 : 0x01, 0x00])
            return Reaction(
                answer: L2CAPCommand(command.identifier, answer),
                parameters: isAccepted ? parameters : nil
            )
        case let signal where signal.isResponse: return Reaction()
        default: return rejecting(command.identifier, .notUnderstood)
        }
    }

    private static func rejecting(_ identifier: UInt8, _ reason: L2CAPRejection) -> Reaction {
        Reaction(answer: L2CAPCommand(identifier, .commandReject(reason)))
    }

    /// The fields of Connection Parameter Update Request (4.20).
    private static func parameters(in data: [UInt8]) -> LEConnectionParameters? {
        var reader = ByteReader(data)
        do throws(DecodeError) {
            let minimum = try reader.uint16("Interval Min")
            let maximum = try reader.uint16("Interval Max")
            let latency = try reader.uint16("Latency")
            let timeout = try reader.uint16("Timeout")
            try reader.expectEnd("Connection Parameter Update Request")
            return LEConnectionParameters(
                minimumInterval: LEInterval(rawValue: UInt32(minimum)),
                maximumInterval: LEInterval(rawValue: UInt32(maximum)),
                latency: latency,
                supervisionTimeout: LEInterval(rawValue: UInt32(timeout))
            )
        } catch {
            return nil
        }
    }
}

extension LEConnectionParameters {
    /// What this host asks for: an interval of 30 ms to 50 ms and a supervision timeout of 420 ms, as Linux does.
    static let preferred = LEConnectionParameters(
        minimumInterval: LEInterval(rawValue: 0x0018),
        maximumInterval: LEInterval(rawValue: 0x0028),
        supervisionTimeout: LEInterval(rawValue: 0x002A)
    )

    /// Whether a link could have them: all are in their ranges, and the timeout leaves room for the events that the
    /// peripheral may skip.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.18
    var arePossible: Bool {
        guard minimumInterval <= maximumInterval, minimumInterval.rawValue >= 0x0006,
            maximumInterval.rawValue <= 0x0C80, (0x000A...0x0C80).contains(supervisionTimeout.rawValue),
            latency <= 499
        else { return false }
        return supervisionTimeout.duration > maximumInterval.duration * 2 * (1 + Int(latency))
    }
}
