// SPDX-License-Identifier: MIT

/// The limits of one side of a credit-based channel: the sizes that it can receive.
///
/// Spec: Core 5.4, Vol 3, Part A, 4.22
public struct CreditBasedLimits: Hashable, Sendable {
    /// The largest service data unit, in octets.
    public var mtu: UInt16
    /// The largest payload of a frame, in octets, with the length of the service data unit in the first frame.
    public var mps: UInt16

    /// The smallest MTU and MPS in octets. Every device supports them, and a peer that announces less is refused.
    public static let least: UInt16 = 23
    /// The smallest of an enhanced channel.
    package static let leastEnhanced: UInt16 = 64
    /// The largest MPS in octets: a frame's length has 16 bits and counts two octets more.
    public static let mostMPS: UInt16 = 65_533

    /// Creates limits. Values out of range are kept, because a device may announce them.
    public init(mtu: UInt16, mps: UInt16) {
        self.mtu = mtu
        self.mps = mps
    }

    /// Whether a device may announce them.
    public var areValid: Bool { mtu >= Self.least && (Self.least...Self.mostMPS).contains(mps) }
}

/// One end of an open credit-based channel: it cuts service data units into K-frames, puts them together, and counts
/// the credits of both directions.
///
/// A credit allows its receiver to send one frame. Credits that a received frame has used are given back when the frame
/// is only a part of a unit, whose size is limited, and for a unit's last frame when the consumer has taken the unit.
/// So at most `window` complete units wait for the consumer.
///
/// Spec: Core 5.4, Vol 3, Part A, 3.4 and 10.1
public struct CreditBasedChannel: Hashable, Sendable {
    /// The work for the owner after an event.
    public enum Action: Hashable, Sendable {
        /// Send a frame with this payload on the channel.
        case send([UInt8])
        /// Send so many credits.
        case grant(UInt16)
        /// Hand a service data unit to the consumer.
        case deliver([UInt8])
        /// Disconnect the channel, because the peer has broken a rule.
        case disconnect(Fault)
    }

    /// The rule that a peer has broken, for which the channel is to be disconnected.
    public enum Fault: Hashable, Sendable {
        /// A frame came without a credit for it (10.1).
        case frameWithoutCredit
        /// A frame's payload is longer than the MPS; both in octets (3.4.3).
        case frameTooLong(Int, limit: Int)
        /// The first frame of a unit has no room for the unit's length (3.4.1).
        case lengthMissing
        /// A unit is longer than the MTU; both in octets (3.4.3).
        case unitTooLong(Int, limit: Int)
        /// The frames of a unit have more octets than it announced (3.4.3).
        case unitOverrun(Int, announced: Int)
        /// More than 65,535 credits in all (10.1).
        case creditOverflow(Int)
        /// The peer has accepted a channel with limits that a device may not announce (4.23, 4.26).
        case limitsOutOfRange(CreditBasedLimits)
    }

    private enum State: Hashable, Sendable {
        /// Between two received units.
        case ready
        /// A unit has come in part.
        case receiving(length: Int, octets: [UInt8])
        /// A fault was found. Nothing is sent or accepted any more.
        case failed(Fault)
    }

    /// The initial credits for a channel of these limits: enough for two of the largest units, and for eight frames.
    public static func usualWindow(_ limits: CreditBasedLimits) -> UInt16 {
        // The first frame of a unit also carries its length, of two octets.
        let frames = (Int(limits.mtu) + 2 + Int(limits.mps) - 1) / max(1, Int(limits.mps))
        // With room for two units, the peer can send one while the consumer still has the other.
        return UInt16(clamping: max(8, 2 * frames))
    }

    /// The largest number of credits that one side can hold. A peer that gives more has broken a rule, and the channel
    /// is disconnected.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 10.1
    public static let mostCredits = 65_535

    /// The limits of this side.
    public let own: CreditBasedLimits
    /// The limits of the other side.
    public private(set) var peer: CreditBasedLimits
    /// The number of credits that the other side has, while nothing waits for the consumer.
    public let window: UInt16
    /// The number of frames that this side may send.
    public private(set) var sendCredits: Int
    /// The number of frames that the other side may send.
    public private(set) var receiveCredits: Int
    /// The number of credits to give back, which are sent together.
    private var owed = 0
    /// The number of delivered units that the consumer has not taken.
    private var untaken = 0
    private var state = State.ready
    /// Units that wait for credits, and how much of the first one was sent.
    private var units: [[UInt8]] = []
    private var head = 0
    private var sentOctets = 0
    private var hasSentLength = false
    /// The octets that a packet to the controller carries; `nil` if there are no such packets.
    package var packetLength: Int?

    /// Creates the end of a channel that has just opened.
    ///
    /// - Parameters:
    ///   - own: What this side can receive, as it announced.
    ///   - peer: What the other side announced.
    ///   - window: The initial credits that this side gave.
    ///   - initialCredits: The initial credits that the other side gave.
    public init(own: CreditBasedLimits, peer: CreditBasedLimits, window: UInt16, initialCredits: UInt16) {
        self.own = own
        self.peer = peer
        self.window = window
        sendCredits = Int(initialCredits)
        receiveCredits = Int(window)
    }

    /// The number of units that wait for credits, whole or in part.
    public var waitingUnits: Int { units.count - head }

    /// The number of octets that wait for credits.
    public var waitingOctets: Int { units[head...].reduce(0) { $0 + $1.count } - sentOctets }

    /// The fault that was found, if any.
    public var fault: Fault? {
        switch state {
        case .failed(let fault): fault
        case .ready, .receiving: nil
        }
    }

    // MARK: - Sending

    /// Sends a unit, as far as there are credits. The rest waits for more.
    ///
    /// Units that are longer than the peer's MTU must not be handed over; they are not sent.
    public mutating func send(_ unit: [UInt8]) -> [Action] {
        // A unit beyond the peer's MTU would end the channel. The caller checks the length and reports the error.
        guard fault == nil, unit.count <= Int(peer.mtu) else { return [] }
        units.append(unit)
        return sendFrames()
    }

    /// Takes credits from the peer.
    ///
    /// An indication without credits is ignored. More credits than a channel can have end it.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 10.1
    public mutating func creditsReceived(_ credits: UInt16) -> [Action] {
        guard fault == nil else { return [] }
        let sum = sendCredits + Int(credits)
        guard sum <= Self.mostCredits else { return fail(.creditOverflow(sum)) }
        sendCredits = sum
        return sendFrames()
    }

    /// The other side can receive more, or smaller frames, from now on.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 4.27
    package mutating func reconfigured(_ limits: CreditBasedLimits) -> [Action] {
        peer = limits
        return []
    }

    /// The largest payload of the next frame, of which that many octets wait. A frame that does not end its unit fills
    /// its last packet to the controller, too: a packet costs the same whatever is in it.
    private func room(for rest: Int) -> Int {
        let most = Int(peer.mps)
        // With the header of L2CAP.
        guard let packetLength, packetLength > 4, rest > most, most + 4 > packetLength else { return most }
        return (most + 4) / packetLength * packetLength - 4
    }

    private mutating func sendFrames() -> [Action] {
        var actions: [Action] = []
        while sendCredits > 0, head < units.count {
            let unit = units[head]
            var room = room(for: unit.count - sentOctets + (hasSentLength ? 0 : 2))
            var frame: [UInt8] = []
            // Only the first frame of a unit has the length.
            if !hasSentLength {
                frame = [UInt8(truncatingIfNeeded: unit.count), UInt8(truncatingIfNeeded: unit.count >> 8)]
                room -= 2
                hasSentLength = true
            }
            // An MPS below 3 is not valid, but must not lead to an endless loop.
            let end = min(unit.count, sentOctets + max(room, 1))
            frame += unit[sentOctets..<end]
            sentOctets = end
            sendCredits -= 1
            actions.append(.send(frame))
            if sentOctets == unit.count { nextUnit() }
        }
        return actions
    }

    private mutating func nextUnit() {
        head += 1
        sentOctets = 0
        hasSentLength = false
        // Sent units are removed only when they are half of the array, so that each unit moves once on average.
        if head >= 64 || head == units.count, head * 2 >= units.count {
            units.removeFirst(head)
            head = 0
        }
    }

    // MARK: - Receiving

    /// Takes a frame from the peer.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 3.4.3
    public mutating func frameReceived(_ payload: [UInt8]) -> [Action] {
        // Counted before anything else: a frame without a credit ends the channel, whatever it holds. Frames that
        // were under way when a fault was found are not a second fault.
        guard receiveCredits > 0 || fault != nil else { return fail(.frameWithoutCredit) }
        let length: Int
        var octets: [UInt8]
        switch state {
        case .failed:
            return []
        case .ready:
            guard payload.count >= 2 else { return fail(.lengthMissing) }
            length = Int(payload[0]) | Int(payload[1]) << 8
            octets = Array(payload[2...])
        case .receiving(let announced, let received):
            length = announced
            octets = received
            // The state must not hold a second reference, or the octets would be copied.
            state = .ready
            octets += payload
        }
        guard payload.count <= Int(own.mps) else {
            return fail(.frameTooLong(payload.count, limit: Int(own.mps)))
        }
        guard length <= Int(own.mtu) else { return fail(.unitTooLong(length, limit: Int(own.mtu))) }
        // Checked with each frame, so that the buffer never grows beyond the announced length.
        guard octets.count <= length else { return fail(.unitOverrun(octets.count, announced: length)) }
        // The frame has used its credit, also if its unit is not complete.
        receiveCredits -= 1
        guard octets.count == length else {
            state = .receiving(length: length, octets: octets)
            // Credits of parts are returned at once, because the consumer takes whole units only.
            owed += 1
            return granted()
        }
        state = .ready
        untaken += 1
        return [.deliver(octets)]
    }

    /// The consumer has taken a delivered unit.
    public mutating func unitTaken() -> [Action] {
        guard fault == nil, untaken > 0 else { return [] }
        untaken -= 1
        owed += 1
        return granted()
    }

    /// Gives credits back when half of the window is owed: one signal for many frames. The peer never waits for credits
    /// that are held back, because without any credit the whole window is owed or waits for the consumer.
    private mutating func granted() -> [Action] {
        guard owed >= max(1, Int(window) / 2) else { return [] }
        defer { owed = 0 }
        receiveCredits += owed
        return [.grant(UInt16(clamping: owed))]
    }

    private mutating func fail(_ fault: Fault) -> [Action] {
        state = .failed(fault)
        // These units could never be sent.
        units = []
        head = 0
        sentOctets = 0
        return [.disconnect(fault)]
    }
}

extension CreditBasedChannel.Fault: CustomStringConvertible {
    /// The broken rule: `a frame of 300 octets, where 247 are allowed`.
    public var description: String {
        switch self {
        case .frameWithoutCredit: "a frame without a credit"
        case .limitsOutOfRange(let limits): "a channel of MTU \(limits.mtu) and MPS \(limits.mps)"
        case .frameTooLong(let length, let limit): "a frame of \(length) octets, where \(limit) are allowed"
        case .lengthMissing: "a first frame without a length"
        case .unitTooLong(let length, let limit): "a unit of \(length) octets, where \(limit) are allowed"
        case .unitOverrun(let length, let announced): "\(length) octets in a unit of \(announced)"
        case .creditOverflow(let sum): "\(sum) credits, where 65535 are allowed"
        }
    }
}
