// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

/// A channel whose other end plays a script, and that keeps what was done to it.
final class ScriptedChannel: HCIChannel, ATTChannel {
    /// A packet that we sent, and when.
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

    /// A channel whose other end answers every packet with what the function says, if anything.
    convenience init(
        _ time: VirtualTime,
        _ scope: TaskScope,
        responder: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) {
        self.init([], time, scope)
        state.withLock { $0.responder = responder }
    }

    // MARK: - What was done to it

    /// What we sent, in hexadecimal.
    var sent: [String] { state.withLock { $0.sent.map(\.hex) } }

    /// What we sent, and when.
    var sentWithTimes: [Sent] { state.withLock { $0.sent } }

    /// When it was closed from our side, for the first time.
    var closedAt: Instant? { state.withLock { $0.closings.first } }

    /// How many packets have come that were not taken yet.
    var waitingCount: Int { received.count }

    /// Whether every packet of the script has come.
    var isPlayed: Bool { state.withLock { $0.script.isEmpty } }

    // MARK: - What a test does beside the script

    /// From now on every packet is answered by what the function says, or not at all.
    func answer(_ responder: @escaping @Sendable ([UInt8]) -> String?) {
        state.withLock { $0.responder = { packet in responder(packet).map { octets($0) } } }
    }

    /// A packet comes from the other end.
    func push(_ hex: String) { received.push(octets(hex)) }

    /// The channel ends at the other end.
    func end(_ cause: RadioError.Cause) { finish(RadioError(cause, during: "script")) }

    /// Every further `send` fails.
    func failSending(_ cause: RadioError.Cause) {
        state.withLock { $0.sendError = RadioError(cause, during: "script") }
    }

    /// There is no room for what is sent, or there is again.
    func setCongested(_ isCongested: Bool) {
        let waiters = state.withLock { state in
            state.isCongested = isCongested
            guard !isCongested else { return [CheckedContinuation<Bool, Never>]() }
            defer { state.drainWaiters = [] }
            return state.drainWaiters
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    /// The link is secured in that way from now on.
    func become(_ security: LinkSecurity) { state.withLock { $0.security = security } }

    // MARK: - ATTChannel

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
    /// The device that the scripts are about.
    static let scripted = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random)
}

/// Octets from hexadecimal digits, which may stand in groups.
func octets(_ hex: String) -> [UInt8] {
    guard let bytes = Hex.bytes(hex.filter { $0 != " " }) else { preconditionFailure("\(hex) is not hexadecimal") }
    return bytes
}
