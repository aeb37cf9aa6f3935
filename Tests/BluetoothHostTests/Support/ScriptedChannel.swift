// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

/// A channel whose other end plays a script. It records what is done to it. As an enhanced bearer its MTU is `maximumMTU`.
final class ScriptedChannel: HCIChannel, ATTChannel, L2CAPChannel {
    /// A sent packet with its time.
    struct Sent: Hashable, Sendable, CustomStringConvertible {
        let hex: String
        let instant: Instant

        var description: String { "\(hex) at \(instant.milliseconds) ms" }
    }

    private struct State {
        var script: ArraySlice<Script.Turn>
        var responder: (@Sendable ([UInt8]) -> [UInt8]?)?
        var sent: [Sent] = []
        var closings: [Instant] = []
        var end: RadioError?
        var sendError: RadioError?
        var isCongested = false
        var security = LinkSecurity.none
        var raising: Raising?
        var raisingAgain: Raising?
        var raised: [SecurityLevel] = []
        var bearers: Result<[ScriptedChannel], RadioError>?
        var asked: [Int] = []
        var drainWaiters: [CheckedContinuation<Bool, Never>] = []
    }

    let peer: DeviceAddress
    let connectionHandle: UInt16? = 0x0040
    let maximumMTU: UInt16
    let hasFlowControl: Bool
    private let received: PacketQueue
    private let state: Mutex<State>
    private let time: VirtualTime
    private let scope: TaskScope
    private let sourceLocation: SourceLocation

    init(
        _ script: Script = [],
        _ time: VirtualTime,
        _ scope: TaskScope,
        peer: DeviceAddress = .scripted,
        maximumMTU: UInt16 = 672,
        hasFlowControl: Bool = false,
        queue: PacketQueue = PacketQueue(limit: 16, overflow: .pauseProducer),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        state = Mutex(State(script: script.turns[...]))
        self.time = time
        self.scope = scope
        self.peer = peer
        self.maximumMTU = maximumMTU
        self.hasFlowControl = hasFlowControl
        received = queue
        self.sourceLocation = sourceLocation
    }

    /// Creates a channel whose other end answers every packet with the function's result, if there is one.
    convenience init(
        _ time: VirtualTime,
        _ scope: TaskScope,
        responder: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) {
        self.init([], time, scope)
        state.withLock { $0.responder = responder }
    }

    // MARK: - Recorded calls

    /// The sent packets, in hexadecimal.
    var sent: [String] { state.withLock { $0.sent.map(\.hex) } }

    /// The sent packets with their times.
    var sentWithTimes: [Sent] { state.withLock { $0.sent } }

    /// The time of the first close from this side.
    var closedAt: Instant? { state.withLock { $0.closings.first } }

    /// The number of packets that have arrived and were not received yet.
    var waitingCount: Int { received.count }

    /// Whether every packet of the script was sent.
    var isPlayed: Bool { state.withLock { $0.script.isEmpty } }

    // MARK: - Events outside of the script

    /// Answers every packet from now on with the function's result, or not at all.
    func answer(_ responder: @escaping @Sendable ([UInt8]) -> String?) {
        state.withLock { $0.responder = { packet in responder(packet).map { octets($0) } } }
    }

    /// Delivers a packet from the other end.
    func push(_ hex: String) { received.push(octets(hex)) }

    /// Ends the channel from the other end.
    func end(_ cause: RadioError.Cause) { finish(RadioError(cause, during: "script")) }

    /// Makes every further `send` fail.
    func failSending(_ cause: RadioError.Cause) {
        state.withLock { $0.sendError = RadioError(cause, during: "script") }
    }

    /// Takes away or restores the room for sent packets.
    func setCongested(_ isCongested: Bool) {
        let waiters = state.withLock { state in
            state.isCongested = isCongested
            guard !isCongested else { return [CheckedContinuation<Bool, Never>]() }
            defer { state.drainWaiters = [] }
            return state.drainWaiters
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    /// Changes the security of the link.
    func become(_ security: LinkSecurity) { state.withLock { $0.security = security } }

    /// What comes of raising the security of the link.
    enum Raising: Sendable {
        /// The link gets this security.
        case becomes(LinkSecurity, after: Duration)
        /// The channel ends.
        case ends(RadioError.Cause, after: Duration)
        /// Nothing ever comes.
        case hangs
    }

    /// Determines the result of raising the security, which is otherwise not possible.
    func whenRaised(_ raising: Raising) { state.withLock { $0.raising = raising } }

    /// Determines the result of raising the security after the first time.
    func whenRaisedAgain(_ raising: Raising) { state.withLock { $0.raisingAgain = raising } }

    /// The levels that the link was to be raised to.
    var raised: [SecurityLevel] { state.withLock { $0.raised } }

    /// Determines the enhanced bearers of the link; without that, the radio has none.
    func whenAsked(for bearers: Result<[ScriptedChannel], RadioError>) { state.withLock { $0.bearers = bearers } }

    /// How many enhanced bearers were asked for, each time.
    var asked: [Int] { state.withLock { $0.asked } }

    let spsm = SPSM.enhancedATT
    var receiveMTU: UInt16 { 517 }
    var sendMTU: UInt16 { maximumMTU }
    let unsentOctets = 0

    // MARK: - ATTChannel

    var enhancedBearerLimit: Int { state.withLock { $0.bearers == nil ? 0 : 5 } }

    func openEnhancedBearers(_ count: Int) async throws(RadioError) -> [any L2CAPChannel] {
        let bearers = state.withLock { state in
            state.asked.append(count)
            return state.bearers
        }
        return try bearers?.get() ?? []
    }

    func raiseSecurity(to level: SecurityLevel) async throws(RadioError) {
        let raising = state.withLock { state in
            state.raised.append(level)
            return state.raised.count > 1 ? state.raisingAgain ?? state.raising : state.raising
        }
        let pause: Duration
        switch raising {
        case nil: throw RadioError(.unsupported, during: "script")
        case .becomes(_, let after), .ends(_, let after): pause = after
        case .hangs: pause = .seconds(1_000_000)
        }
        do {
            try await time.sleep(for: pause)
        } catch {
            throw RadioError(.cancelled, during: "script")
        }
        switch raising {
        case .becomes(let security, _): become(security)
        case .ends(let cause, _):
            end(cause)
            throw RadioError(cause, during: "script")
        case .hangs, nil: break
        }
    }

    var security: LinkSecurity { state.withLock { $0.security } }

    // MARK: - PacketChannel

    var droppedCount: Int { received.droppedCount }

    func receive() async throws(RadioError) -> [UInt8] { try await received.next() }

    func send(_ packet: [UInt8]) throws(RadioError) {
        if let responder = state.withLock({ $0.end == nil ? $0.responder : nil }) {
            state.withLock { $0.sent.append(Sent(hex: Hex.string(packet), instant: time.now)) }
            if let answer = responder(packet) { received.push(answer) }
            return
        }
        let hex = Hex.string(packet)
        let (error, reactions) = state.withLock { state -> (RadioError?, [Script.Reaction]) in
            if let error = state.sendError ?? state.end { return (error, []) }
            state.sent.append(Sent(hex: hex, instant: time.now))
            guard let turn = state.script.popFirst() else {
                Issue.record("\(hex) was sent behind the end of the script", sourceLocation: sourceLocation)
                return (nil, [])
            }
            let expected = Hex.string(octets(turn.expected))
            guard hex == expected else {
                Issue.record("\(hex) was sent where the script has \(expected)", sourceLocation: sourceLocation)
                return (nil, [])
            }
            return (nil, turn.reactions)
        }
        if let error { throw error }
        for reaction in reactions { perform(reaction) }
    }

    private func perform(_ reaction: Script.Reaction) {
        switch reaction {
        case .packet(let hex, let delay):
            later(delay) { self.push(hex) }
        case .end(let cause, let delay):
            later(delay) { self.end(cause) }
        }
    }

    private func later(_ delay: Duration, _ action: @escaping @Sendable () -> Void) {
        guard delay > .zero else { return action() }
        scope.spawn { [time] in
            guard (try? await time.sleep(for: delay)) != nil else { return }
            action()
        }
    }

    func drained() async throws(RadioError) {
        let isDrained = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    guard state.isCongested, !Task.isCancelled else { return true }
                    state.drainWaiters.append(continuation)
                    return false
                }
                if isFree { continuation.resume(returning: !Task.isCancelled) }
            }
        } onCancel: {
            let waiters = state.withLock { state in
                defer { state.drainWaiters = [] }
                return state.drainWaiters
            }
            for waiter in waiters { waiter.resume(returning: false) }
        }
        if let end = state.withLock({ $0.end }) { throw end }
        if !isDrained { throw RadioError(.cancelled, during: "script") }
    }

    func hangUp(_ reason: RadioError) {
        guard state.withLock({ $0.end == nil }) else { return }
        state.withLock { $0.closings.append(time.now) }
        finish(reason)
    }

    func close() {
        state.withLock { $0.closings.append(time.now) }
        finish(RadioError(.closedLocally, during: "script"))
    }

    private func finish(_ error: RadioError) {
        state.withLock { $0.end = $0.end ?? error }
        received.finish(error)
        setCongested(false)
    }
}

extension DeviceAddress {
    /// The device of the scripts.
    static let scripted = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random)
}

/// The octets of hexadecimal digits, which may be grouped by spaces.
func octets(_ hex: String) -> [UInt8] {
    guard let bytes = Hex.bytes(hex.filter { $0 != " " }) else { preconditionFailure("\(hex) is not hexadecimal") }
    return bytes
}
