// SPDX-License-Identifier: MIT

public import Bluetooth

/// The effect of a fault.
///
/// A write without response has no answer. Of the effects on an answer, it can only be delayed, duplicated, lost or
/// refused, which for it is the same, and its link can be dropped.
public enum FaultEffect: Hashable, Sendable {
    /// The end of a link.
    public struct Drop: Hashable, Sendable {
        /// When the link ends.
        public enum Moment: String, Hashable, Sendable, CaseIterable {
            /// In place of the event: the request is not served, the notification is not sent.
            case before
            /// When the event is over.
            case after
        }

        /// When the link ends.
        public var moment: Moment
        /// The time until then. After an event it is 0.1 s at least, so that the answer arrives.
        public var delay: Duration
        /// The reason: 0x08 if the device falls silent, so that the supervision timeout expires, and otherwise the
        /// reason that the device sends when it disconnects.
        public var reason: HCIStatus

        /// Creates an end.
        public init(
            _ moment: Moment = .before,
            delay: Duration = .zero,
            reason: HCIStatus = .remoteUserTerminatedConnection
        ) {
            self.moment = moment
            self.delay = delay
            self.reason = reason
        }
    }

    /// The event happens later. Other events of the link do not wait for it.
    case delay(Duration)
    /// The operation fails after a time: with an ATT error, and with the status of a controller for `connect`,
    /// `disconnect` and `rssi`. `nil` is the usual code. The device itself is not asked.
    case error(code: UInt8?, after: Duration)
    /// The device carries out the request, and does not answer.
    case noAnswer
    /// The PDU has another opcode.
    case wrongOpcode(UInt8)
    /// The PDU, or the advertising data, end after that many octets.
    case truncate(Int)
    /// The PDU is filled with zeros up to that many octets.
    case oversize(Int)
    /// The link ends.
    case drop(Drop)
    /// The event happens twice: the PDU is sent twice, the command carried out twice.
    case duplicate
    /// The PDU is sent after the next one.
    case reorder
    /// The request does not reach the device; the notification or the advertisement does not reach the central.
    case lose
    /// The event happens when the fault is released, or after a time, together with all others that came meanwhile. An
    /// advertisement that waits for the release is lost.
    case pause(Duration?)
    /// The strength of the signal is said to have this value in dBm; 127 means that it is unknown.
    case report(Int8)

    /// The effects without their parameters, named as in device files.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// `FaultEffect.delay`
        case delay
        /// `FaultEffect.error`
        case error
        /// `FaultEffect.noAnswer`
        case noAnswer = "no-answer"
        /// `FaultEffect.wrongOpcode`
        case wrongOpcode = "wrong-opcode"
        /// `FaultEffect.truncate`
        case truncate
        /// `FaultEffect.oversize`
        case oversize
        /// `FaultEffect.drop`
        case drop
        /// `FaultEffect.duplicate`
        case duplicate
        /// `FaultEffect.reorder`
        case reorder
        /// `FaultEffect.lose`
        case lose
        /// `FaultEffect.pause`
        case pause
        /// `FaultEffect.report`
        case report
    }

    /// The longest PDU that a fault makes, in octets.
    public static let longestPDU = 65_535

    /// The effect without its parameters.
    public var kind: Kind {
        switch self {
        case .delay: .delay
        case .error: .error
        case .noAnswer: .noAnswer
        case .wrongOpcode: .wrongOpcode
        case .truncate: .truncate
        case .oversize: .oversize
        case .drop: .drop
        case .duplicate: .duplicate
        case .reorder: .reorder
        case .lose: .lose
        case .pause: .pause
        case .report: .report
        }
    }

    /// Whether the effect acts on a write without response, which has no answer.
    var actsOnCommands: Bool {
        switch self {
        case .delay, .error, .drop, .duplicate, .lose: true
        case .noAnswer, .wrongOpcode, .truncate, .oversize, .reorder, .pause, .report: false
        }
    }

    /// The problem of the parameters; `nil` if they are allowed.
    var problem: String? {
        switch self {
        case .truncate(let count) where count < 1, .oversize(let count) where !(1...Self.longestPDU).contains(count):
            "a PDU has 1 to \(Self.longestPDU) octets"
        case .error(code: 0, _): "0x00 is not an error"
        default: nil
        }
    }

    /// The octets that are sent in place of a PDU.
    func damage(_ pdu: [UInt8]) -> [UInt8] {
        switch self {
        case .wrongOpcode(let opcode): [opcode] + pdu.dropFirst()
        case .truncate(let count): Array(pdu.prefix(count))
        // A PDU that is longer already stays as it is.
        case .oversize(let count): pdu + Array(repeating: 0, count: max(0, min(count, Self.longestPDU) - pdu.count))
        default: pdu
        }
    }
}
