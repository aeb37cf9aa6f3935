// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// Carries out what a `HostMachine` says: moves packets between the transport, the HCI channels and the ATT channels.
///
/// One lock guards the machine and all that it acts on, so that every channel sees commands, events and data in the
/// order in which the controller does. Queues are filled under the lock. The tasks whose cancellation takes the lock are
/// woken when it is free: the runtime wakes and cancels a task under a lock of its own.
final class ControllerHost: Sendable {
    typealias Attempt = CheckedContinuation<Result<LinkATTChannel, RadioError>, Never>
    typealias Waiter = CheckedContinuation<Result<Void, RadioError>, Never>

    struct State {
        var machine: HostMachine
        var timer = DeadlineTimer()
        var channels: [ChannelID: ControllerHCIChannel] = [:]
        var managers: [ChannelID: HostManagementChannel] = [:]
        /// Those who wait until the security of a link is raised.
        var raisings: [RaisingID: (operation: String, continuation: Waiter)] = [:]
        var links: [ConnectionHandle: LinkATTChannel] = [:]
        var attempts: [AttemptID: (device: DeviceAddress, continuation: Attempt)] = [:]
        var listener: LinkListener?
        /// The credit-based channels of each link, and the services that are offered there.
        var lines: [ConnectionHandle: Line] = [:]
        var services: [LinkChannelListener] = []
        /// What is handed to those channels, and who is woken, when the lock is free.
        var deliveries: [Delivery] = []
        var facts: ControllerFacts?
        var readyWaiter: CheckedContinuation<Void, Never>?
        /// Those who wait until all frames of a link are sent, and until all links have ended.
        var drainWaiters: [UInt64: (handle: ConnectionHandle?, continuation: Waiter)] = [:]
        /// Why nothing can be done any more.
        var end: RadioError?
        var lastNumber: UInt64 = 0

        func handle(of device: DeviceAddress) -> ConnectionHandle? {
            machine.security.handles(of: device).first
        }

        mutating func takeDeliveries() -> [Delivery] {
            defer { deliveries = [] }
            return deliveries
        }

        mutating func number() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }
    }

    /// The name of the radio, for errors.
    let name: String
    let time: any TimeSource
    private let transport: any PacketChannel
    let scope: TaskScope
    let state: Mutex<State>

    /// Creates a host over a transport, whose `receive` gives the octets of an H4 stream as they come.
    init(
        _ name: String,
        over transport: any PacketChannel,
        randomAddress: BluetoothAddress,
        random: PairingRandom,
        scope: TaskScope,
        time: any TimeSource
    ) {
        self.name = name
        self.time = time
        self.transport = transport
        self.scope = scope
        state = Mutex(State(machine: HostMachine(randomAddress: randomAddress, random: random)))
    }

    // MARK: - The transport

    /// Brings the controller up, and receives from then on. Returns what the controller has.
    func start() async throws(RadioError) -> ControllerFacts {
        let isStarted = scope.spawn { await self.receiveAll() }
        guard isStarted else { throw error(.cancelled) }
        run { $0.begin(now: $1) }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.facts != nil || state.end != nil { return true }
                    state.readyWaiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            finish(error(.cancelled))
        }
        let (facts, end) = state.withLock { ($0.facts, $0.end) }
        guard let facts else { throw end ?? error(.controllerSilent) }
        return facts
    }

    private func receiveAll() async {
        var reader = H4Reader()
        do {
            while true {
                for octets in try await transport.receiveWaiting() {
                    for packet in try reader.append(octets) { receive(packet) }
                }
            }
        } catch let error as RadioError {
            finish(error.on(name))
        } catch {
            finish(self.error(.controllerGarbled))
        }
    }

    /// Ends everything with that error.
    private func finish(_ error: RadioError) {
        change { Self.finish(&$0, error) }
        transport.close()
    }

    private static func finish(_ state: inout State, _ error: RadioError) {
        guard state.end == nil else { return }
        state.end = error
        state.timer.stop()
        for channel in state.channels.values { channel.end(error) }
        for manager in state.managers.values { manager.end(error) }
        for raising in state.raisings.values { state.wake(raising.continuation, .failure(error)) }
        for link in state.links.values { link.end(error) }
        for attempt in state.attempts.values { state.wake(attempt.continuation, .failure(error)) }
        for waiter in state.drainWaiters.values { state.wake(waiter.continuation, .failure(error)) }
        state.listener?.end(error)
        for service in state.services { service.end(error) }
        state.deliveries += state.lines.values.map { .end($0, error) }
        state.lines = [:]
        state.services = []
        if let waiter = state.readyWaiter { state.wake(waiter, ()) }
        state.channels = [:]
        state.managers = [:]
        state.raisings = [:]
        state.links = [:]
        state.attempts = [:]
        state.drainWaiters = [:]
        state.listener = nil
        state.readyWaiter = nil
    }

    // MARK: - The machine

    /// Hands the machine an event, and carries out what it says.
    private func run(_ event: (inout HostMachine, Instant) -> [HostAction]) {
        change { run(&$0, event) }
    }

    private func receive(_ packet: [UInt8]) {
        change { state in
            guard state.end == nil else { return }
            perform(state.machine.received(packet, now: time.now), &state)
        }
    }

    /// Changes the state, and does what follows from that when the lock is free.
    func change<Value: Sendable, Failure>(
        _ body: (inout State) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let (value, deliveries) = try state.withLock { state throws(Failure) in
            (try body(&state), state.takeDeliveries())
        }
        deliver(deliveries)
        return value
    }

    func run(_ state: inout State, _ event: (inout HostMachine, Instant) -> [HostAction]) {
        guard state.end == nil else { return }
        perform(event(&state.machine, time.now), &state)
    }

    private func perform(_ actions: [HostAction], _ state: inout State) {
        for action in actions { perform(action, &state) }
        guard state.end == nil else { return }
        state.timer.arm(state.machine.nextDeadline, in: scope, time) { self.timerFired() }
    }

    /// Sends a frame, for which nobody looks at the clock.
    func transmit(_ frame: L2CAPFrame, on handle: ConnectionHandle, _ state: inout State) {
        guard state.end == nil else { return }
        for action in state.machine.send(frame, on: handle) { perform(action, &state) }
    }

    private func timerFired() {
        change { state in
            state.timer.fired()
            run(&state) { $0.timerFired(now: $1) }
        }
    }

    private func perform(_ action: HostAction, _ state: inout State) {
        switch action {
        case .transmit(let packet):
            do throws(RadioError) {
                try transport.send(packet)
            } catch {
                // The reason of its end follows what it has received before.
                transport.hangUp(error)
            }
        case .showCommand(let packet, let sender):
            for (id, channel) in state.channels where id != sender { channel.deliver(packet) }
        case .showEvent(let packet): for channel in state.channels.values { channel.deliver(packet) }
        case .showPairing(let packet): for channel in state.channels.values { channel.observe(packet) }
        case .endChannel(let id, let cause): state.channels.removeValue(forKey: id)?.end(error(cause))
        case .manage(let packet, let audience): deliver(packet, to: audience, &state)
        case .raised(let id, let cause): raised(id, cause, &state)
        case .ready(let facts):
            state.facts = facts
            if let waiter = state.readyWaiter { state.wake(waiter, ()) }
            state.readyWaiter = nil
        case .linkBegan(let handle, let origin):
            openLine(handle, origin.peer, &state)
            began(handle, origin, &state)
        case .attemptEnded(let id, let result):
            guard let attempt = state.attempts.removeValue(forKey: id) else { return }
            let channel = channel(for: attempt.device, result, &state)
            state.wake(attempt.continuation, channel)
        case .received(let frame, let handle):
            if frame.channel == .att {
                state.links[handle]?.deliver(frame.payload)
            } else if let line = state.lines[handle] {
                let security = state.machine.security.links[handle]?.security ?? .none
                state.deliveries.append(.frame(frame, handle, line, security))
            }
        case .drained(let handle): resumeDrained(&state) { $0 == handle }
        case .linkEnded(let handle, let cause):
            let link = state.links.removeValue(forKey: handle)
            let error = RadioError(cause, during: link?.operation ?? name, on: name)
            link?.end(error)
            if let line = state.lines.removeValue(forKey: handle) { state.deliveries.append(.end(line, error)) }
            resumeDrained(&state, .failure(error)) { $0 == handle }
            if state.machine.links.isEmpty { resumeDrained(&state) { $0 == nil } }
        case .failed(let cause):
            Self.finish(&state, error(cause))
            transport.close()
        }
    }

    private func resumeDrained(
        _ state: inout State,
        _ result: Result<Void, RadioError> = .success(()),
        where isMeant: (ConnectionHandle?) -> Bool
    ) {
        for (id, waiter) in state.drainWaiters where isMeant(waiter.handle) {
            state.drainWaiters[id] = nil
            state.wake(waiter.continuation, result)
        }
    }

    func error(_ cause: RadioError.Cause, during operation: String? = nil) -> RadioError {
        RadioError(cause, during: operation ?? name, on: name)
    }
}

// MARK: - HCI channels

extension ControllerHost {
    func openHCI(for use: HCIUse) throws(RadioError) -> ControllerHCIChannel {
        try state.withLock { state throws(RadioError) in
            if let end = state.end { throw end }
            let channel = ControllerHCIChannel(ChannelID(rawValue: state.number()), self, for: use)
            state.channels[channel.id] = channel
            return channel
        }
    }

    func closeHCI(_ id: ChannelID) {
        change { state in
            guard state.channels.removeValue(forKey: id) != nil else { return }
            run(&state) { $0.closed(id, now: $1) }
        }
    }

    func submit(_ command: HCICommandPacket, from channel: ChannelID) throws(RadioError) {
        try change { state throws(RadioError) in
            if let end = state.end { throw end }
            guard !state.machine.commands.isFull else {
                throw error(.system(call: "send", errno: "ENOBUFS"), during: "HCI channel of \(name)")
            }
            run(&state) { $0.submit(command, from: channel, now: $1) }
        }
    }
}

// MARK: - Links

extension ControllerHost {
    /// The largest ATT_MTU that this host takes: the longest value of an attribute fits into one PDU.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.2.9
    static let maximumMTU: UInt16 = 517

    func connect(_ device: DeviceAddress, deadline: Instant) async throws(RadioError) -> LinkATTChannel {
        let operation = "connection to \(device.address)"
        let id = AttemptID(rawValue: state.withLock { $0.number() })
        return try await connected(by: deadline, during: operation) { try await self.attempt(id, device) }
    }

    /// Does a part of the work of a connection. Throws `connectTimedOut` at its deadline.
    func connected<Value: Sendable>(
        by deadline: Instant,
        during operation: String,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws(RadioError) -> Value {
        do {
            return try await withDeadline(deadline, time, operation: operation, body)
        } catch let error as RadioError {
            throw error
        } catch is DeadlineExceeded {
            throw error(.connectTimedOut, during: operation)
        } catch {
            throw self.error(.cancelled, during: operation)
        }
    }

    private func attempt(_ id: AttemptID, _ device: DeviceAddress) async throws(RadioError) -> LinkATTChannel {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Attempt) in
                change { state in
                    if let end = state.end { return continuation.resume(returning: .failure(end)) }
                    // Under the lock that `onCancel` takes: either it finds the attempt, or this sees the cancellation.
                    guard !Task.isCancelled else { return continuation.resume(returning: .failure(error(.cancelled))) }
                    if let handle = state.handle(of: device) {
                        return continuation.resume(returning: channel(for: device, .success(handle), &state))
                    }
                    state.attempts[id] = (device, continuation)
                    run(&state) { $0.connect(id, to: device, now: $1) }
                }
            }
        } onCancel: {
            change { state in
                guard let attempt = state.attempts.removeValue(forKey: id) else { return }
                run(&state) { $0.abandon(id, now: $1) }
                state.wake(attempt.continuation, .failure(error(.cancelled)))
            }
        }
        return try result.get()
    }

    /// The ATT channel of the link that an attempt has led to. A link has one.
    private func channel(
        for device: DeviceAddress,
        _ result: Result<ConnectionHandle, AttemptFailure>,
        _ state: inout State
    ) -> Result<LinkATTChannel, RadioError> {
        let operation = "connection to \(device.address)"
        switch result {
        case .failure(let failure): return .failure(error(failure.cause, during: operation))
        case .success(let handle):
            let isEnding = state.machine.links[handle]?.isEnding ?? true
            guard state.links[handle]?.isGone(now: time.now) ?? true, !isEnding else {
                return .failure(error(.channelBusy(by: nil), during: operation))
            }
            let channel = LinkATTChannel(self, handle, device, during: operation)
            state.links[handle] = channel
            return .success(channel)
        }
    }

    /// A central has connected: its ATT channel goes to the listener.
    private func began(_ handle: ConnectionHandle, _ origin: LinkOrigin, _ state: inout State) {
        guard origin.role == .peripheral, let listener = state.listener else { return }
        let channel = LinkATTChannel(self, handle, origin.peer, during: "connection from \(origin.peer.address)")
        state.links[handle] = channel
        listener.push(channel)
    }

    /// Listens for centrals. One listener at a time has the attributes of the adapter.
    func listen() throws(RadioError) -> LinkListener {
        try state.withLock { state throws(RadioError) in
            if let end = state.end { throw end }
            guard state.listener == nil else { throw error(.servingTaken(by: nil)) }
            let listener = LinkListener(self)
            state.listener = listener
            return listener
        }
    }

    func stopListening(_ listener: LinkListener) {
        state.withLock { if $0.listener === listener { $0.listener = nil } }
    }

    func send(_ pdu: [UInt8], on channel: LinkATTChannel) throws(RadioError) {
        let (handle, operation) = (channel.handle, channel.operation)
        try change { state throws(RadioError) in
            // A controller gives the handle of a link that has ended to another one.
            guard state.links[handle] === channel else { throw channel.end ?? error(.closedLocally, during: operation) }
            guard state.machine.data.waitingFrames(on: handle) < ACLScheduler.frameLimit else {
                throw error(.system(call: "send", errno: "ENOBUFS"), during: operation)
            }
            channel.noteSent(pdu, now: time.now)
            transmit(L2CAPFrame(.att, pdu), on: handle, &state)
        }
    }

    /// Suspends until all frames of a link are sent; without a link, until all links have ended.
    func drained(_ handle: ConnectionHandle?, during operation: String) async throws(RadioError) {
        let id = state.withLock { $0.number() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                state.withLock { state in
                    if let end = state.end { return continuation.resume(returning: .failure(end)) }
                    guard !Task.isCancelled else {
                        return continuation.resume(returning: .failure(error(.cancelled, during: operation)))
                    }
                    let isDrained =
                        handle.map { state.machine.data.waitingFrames(on: $0) == 0 } ?? state.machine.links.isEmpty
                    if isDrained { return continuation.resume(returning: .success(())) }
                    state.drainWaiters[id] = (handle, continuation)
                }
            }
        } onCancel: {
            let waiter = state.withLock { $0.drainWaiters.removeValue(forKey: id) }
            waiter?.continuation.resume(returning: .failure(error(.cancelled, during: operation)))
        }
        try result.get()
    }

    /// Ends the link of a channel after its last data, unless it has ended.
    func end(_ channel: LinkATTChannel) {
        // Asked before, because the lock of the channels is taken first.
        let line = state.withLock { $0.links[channel.handle] === channel ? $0.lines[channel.handle] : nil }
        let isUsed = line.map { !$0.channels.areOnly(.enhancedATT) } ?? false
        // Bearers end with it.
        line?.channels.withdraw(.enhancedATT)
        change { state in
            guard state.links[channel.handle] === channel else { return }
            // The link goes on as long as credit-based channels use it.
            guard !isUsed else {
                if channel.isGone(now: time.now) { state.links[channel.handle] = nil }
                return
            }
            // The controller may never report the end.
            resumeDrained(&state, .failure(channel.end ?? error(.closedLocally))) { $0 == channel.handle }
            run(&state) { $0.end(channel.handle, now: $1) }
        }
        if isUsed, let line { endIfUnused(channel.handle, line) }
    }

    /// What is known about the link of a channel; nothing after its end.
    func linkState(of channel: LinkATTChannel) -> LinkState {
        state.withLock { state in
            guard state.links[channel.handle] === channel else { return LinkState() }
            return state.machine.linkState(of: channel.handle)
        }
    }

    var connectedDevices: [DeviceAddress] {
        state.withLock { state in
            state.machine.links.values.map { state.machine.security.keys.identity(of: $0.origin.peer) }
        }
    }

    // MARK: - The end

    /// Ends all links, waits for that for a second at most, and closes the transport.
    func shutDown() async {
        run { machine, now in machine.links.keys.flatMap { machine.end($0, now: now) } }
        _ = try? await untilDeadline(time.now + .seconds(1), time) { try await self.drained(nil, during: self.name) }
        finish(error(.closedLocally))
    }
}
