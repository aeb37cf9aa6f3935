// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

/// A radio that plays a script for each connection attempt, and one for each HCI channel.
final class ScriptedRadio: Radio, RadioSystem {
    /// The course of a connection attempt.
    enum Attempt: Sendable {
        /// It succeeds, and the device plays a script.
        case connects(Script, after: Duration)
        /// It fails.
        case fails(RadioError.Cause, after: Duration)
        /// The attempt lasts until its deadline.
        case isSilent
        /// The attempt lasts 100 ms longer than its cancellation. Then it succeeds if there is a script.
        case dawdles(Script?)

        static func connects(_ script: Script) -> Attempt { .connects(script, after: .zero) }
        static func fails(_ cause: RadioError.Cause) -> Attempt { .fails(cause, after: .zero) }
    }

    /// An event of a connection attempt.
    enum Event: Hashable, Sendable, CustomStringConvertible {
        case begins(Int64)
        case ends(Int64, String)

        var description: String {
            switch self {
            case .begins(let moment): "begins at \(moment) ms"
            case .ends(let moment, let how): "\(how) at \(moment) ms"
            }
        }
    }

    private struct State {
        var attempts: ArraySlice<Attempt>
        var hci: ArraySlice<Script>
        var events: [Event] = []
        var channels: [ScriptedChannel] = []
        var hciChannels: [ScriptedChannel] = []
    }

    let adapter: AdapterDescription
    let listener = ScriptedListener()
    private let state: Mutex<State>
    private let clock: VirtualTime
    var time: any TimeSource { clock }
    private let scope: TaskScope
    private let sourceLocation: SourceLocation
    /// Whether the channels have flow control.
    private let hasFlowControl: Bool
    /// For how long a link outlasts its channel.
    private let linger: Duration

    init(
        _ attempts: [Attempt] = [],
        hci: [Script] = [],
        address: UInt64 = 0x0011_2233_4455,
        hasFlowControl: Bool = false,
        linger: Duration = .zero,
        _ time: VirtualTime,
        _ scope: TaskScope,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        adapter = AdapterDescription(
            name: "hci7",
            index: 7,
            address: BluetoothAddress(rawValue: address),
            state: .up,
            bus: "virtual"
        )
        state = Mutex(State(attempts: attempts[...], hci: hci[...]))
        self.hasFlowControl = hasFlowControl
        self.linger = linger
        clock = time
        self.scope = scope
        self.sourceLocation = sourceLocation
    }

    /// The events of all attempts, in order.
    var events: [String] { state.withLock { $0.events.map(\.description) } }

    /// The ATT channels of successful attempts.
    var channels: [ScriptedChannel] { state.withLock { $0.channels } }

    /// The opened HCI channels.
    var hciChannels: [ScriptedChannel] { state.withLock { $0.hciChannels } }

    func adapters() async throws(RadioError) -> [AdapterDescription] { [adapter] }

    func radio(named name: String?) throws(RadioError) -> any Radio {
        if let name, name != adapter.name { throw RadioError(.adapterNotFound(name), during: "script") }
        return self
    }

    func openHCI() throws(RadioError) -> any HCIChannel {
        try state.withLock { state throws(RadioError) in
            guard let script = state.hci.popFirst() else { throw RadioError(.adapterDown, during: "script") }
            let channel = ScriptedChannel(script, clock, scope, sourceLocation: sourceLocation)
            state.hciChannels.append(channel)
            return channel
        }
    }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        record(.begins(time.now.milliseconds))
        let attempt = state.withLock { $0.attempts.popFirst() }
        do throws(RadioError) {
            switch attempt {
            case .connects(let script, let delay):
                try await wait(until: time.now + delay, deadline)
                return connected(script)
            case .fails(let cause, let delay):
                try await wait(until: time.now + delay, deadline)
                throw RadioError(cause, during: "script")
            case .isSilent:
                try await wait(until: deadline, deadline)
                throw RadioError(.connectTimedOut, during: "script")
            case .dawdles(let script):
                try? await time.sleep(until: Instant(nanoseconds: .max))
                try? await scope.shielded { [time] in try await time.sleep(for: .milliseconds(100)) }
                guard let script else { throw RadioError(.cancelled, during: "script") }
                return connected(script)
            case nil:
                Issue.record("an attempt more than the script has", sourceLocation: sourceLocation)
                throw RadioError(.adapterDown, during: "script")
            }
        } catch {
            record(.ends(time.now.milliseconds, "\(error.cause)"))
            throw error
        }
    }

    func connectedAddresses() -> Set<BluetoothAddress> {
        let hasLink = channels.contains { $0.closedAt.map { $0 + linger > time.now } ?? true }
        return hasLink ? [DeviceAddress.scripted.address] : []
    }

    func listenATT() throws(RadioError) -> any ATTListener { listener }

    private func wait(until moment: Instant, _ deadline: Instant) async throws(RadioError) {
        do {
            try await time.sleep(until: min(moment, deadline))
        } catch {
            throw RadioError(.cancelled, during: "script")
        }
        guard moment <= deadline else { throw RadioError(.connectTimedOut, during: "script") }
    }

    private func connected(_ script: Script) -> ScriptedChannel {
        let channel = ScriptedChannel(
            script,
            clock,
            scope,
            hasFlowControl: hasFlowControl,
            sourceLocation: sourceLocation
        )
        state.withLock { $0.channels.append(channel) }
        record(.ends(time.now.milliseconds, "connected"))
        return channel
    }

    private func record(_ event: Event) { state.withLock { $0.events.append(event) } }
}

/// A listener whose centrals connect when the test says so.
final class ScriptedListener: ATTListener {
    private let arrivals = BoundedQueue<ScriptedChannel>(limit: 16, overflow: .pauseProducer)

    /// Connects a central.
    func push(_ channel: ScriptedChannel) { arrivals.push(channel) }

    func accept() async throws(RadioError) -> any ATTChannel { try await arrivals.next() }

    func close() { arrivals.finish(RadioError(.closedLocally, during: "script")) }
}
