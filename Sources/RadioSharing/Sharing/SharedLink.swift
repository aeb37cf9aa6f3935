// SPDX-License-Identifier: MIT

package import Bluetooth
package import BluetoothHost
import Synchronization

/// A link to a device, and the channels through which several clients use it. It outlives the links below it: a
/// client that joins between two of them waits for the next one.
///
/// `SharedBearer` decides what happens; this class carries out its actions. A channel's `send` is synchronous, so the
/// state is locked, and actions are carried out under the lock, in their order. None of them waits or calls back.
package final class SharedLink: Sendable {
    /// The state of the link, as the description of a session reports it.
    package struct Status: Hashable, Sendable {
        package var isUp: Bool
        /// The MTU in octets.
        package var mtu: UInt16
        /// The number of guests: all clients but the owner of the link.
        package var guests: Int
        /// The number of values that are kept for the next listener.
        package var kept: Int
        /// The number of values that were dropped for lack of room.
        package var dropped: Int
        package var security = LinkSecurity.none
    }

    typealias ClientID = SharedBearer.ClientID

    /// A PDU for a client; with the time of its arrival, if it was kept.
    typealias Delivery = (pdu: [UInt8], arrival: Instant?)

    /// A client, and the events that it gets later.
    private struct Client {
        /// The PDUs that it has not read.
        let queue: BoundedQueue<Delivery>
        /// Whether it counts as a use of the session. The owner of the link does not.
        let isGuest: Bool
        /// Whether it has sent anything. A guest that only looked does not count as use.
        var hasSent = false
    }

    /// The state of the link, which the lock guards.
    private struct State: WaitedState {
        var bearer: SharedBearer
        /// The channel of the present link; `nil` without one.
        var device: (any ATTChannel)?
        /// Its enhanced bearers, and the client for which the owner of the link has taken each.
        var lanes: [SharedBearer.LaneID: (channel: any L2CAPChannel, client: ClientID)] = [:]
        var lastLane = 0
        /// The number of the last link, from 1.
        var lastLink = 0
        /// Whether guests may use the present link.
        var isOpen = false
        var clients: [ClientID: Client] = [:]
        var lastClient = 0
        /// The tasks that wait for a link, in the order of their arrival.
        var waiters = Waiters<Bool>()
        /// Wakes the bearer at its next deadline.
        var timer = DeadlineTimer()
        /// Since when there is no guest; `nil` while there is one.
        var idleSince: Instant?
        /// When the link was used last, while there are guests.
        var lastUse: Instant
    }

    /// The maximum number of PDUs that wait for a client. Beyond that values are dropped.
    private static let queueLimit = 256

    private let time: any TimeSource
    private let scope: TaskScope
    /// Whether guests wait for `open` after each beginning of a link.
    private let opensLater: Bool
    /// Called with a message about odd events. The lock is held, so it must not call back.
    private let onNote: @Sendable (String) -> Void
    private let bearers: BearerRequest
    /// How the device takes the exchange of the MTU.
    private let mtuHistory: MTUHistory
    let news = LinkEvent()
    private let state: Mutex<State>
    /// Ends when everything is withdrawn from the device.
    private let finished: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)
    /// Signals that the last guest has left. Only the latest signal matters.
    private let departures: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

    /// Creates a link that is not there yet.
    ///
    /// - Parameters:
    ///   - keptValues: The maximum number of values of each characteristic that are kept while no client listens; 0
    ///     for none.
    ///   - opensLater: Whether the owner prepares and encrypts each link before guests may use it, and calls `open`
    ///     then.
    ///   - device: The device, if it is known.
    ///   - bearers: The exchange of the MTU that is wanted. Enhanced bearers are opened for the owner.
    ///   - store: Where it is remembered that the device takes no exchange of the MTU; `nil` for nowhere.
    ///   - time: The clock of its deadlines.
    ///   - scope: The scope of its receive loop and its timer.
    ///   - onOddity: Called, with a lock held, when the device does not take the exchange of the MTU.
    ///   - onNote: Called, with a lock held, when something odd has happened.
    package init(
        keeping keptValues: Int = 0,
        opensLater: Bool = false,
        to device: DeviceAddress? = nil,
        bearers: BearerRequest = BearerRequest(),
        store: (any DatabaseStore)? = nil,
        time: any TimeSource,
        scope: TaskScope,
        onOddity: @escaping @Sendable (LinkDiagnostic) -> Void = { _ in },
        onNote: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.opensLater = opensLater
        self.bearers = bearers
        self.time = time
        self.scope = scope
        self.onNote = onNote
        mtuHistory = device.map { MTUHistory(of: $0, in: store, scope: scope, report: onOddity) } ?? MTUHistory()
        state = Mutex(State(bearer: SharedBearer(keeping: keptValues), idleSince: time.now, lastUse: time.now))
        finished = AsyncStream<Void>.makeStream()
        departures = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The time of the clock, from which the ages of values are computed.
    var now: Instant { time.now }

    /// The device at the other end of the present link; `nil` if there is none.
    var peer: DeviceAddress? { state.withLock { $0.device }?.peer }

    /// The handle of the present link; `nil` if there is none, or if it has no handle.
    var connectionHandle: UInt16? { state.withLock { $0.device }?.connectionHandle }

    package var status: Status {
        state.withLock { state in
            Status(
                isUp: state.device != nil,
                mtu: state.bearer.mtu,
                guests: state.clients.values.count(where: \.isGuest),
                kept: state.bearer.kept.count,
                dropped: state.bearer.kept.droppedCount,
                security: state.device?.security ?? .none
            )
        }
    }

    // MARK: - The device

    /// Takes over the channel of a new link. A link that is still there ends, with the channels of its clients.
    func begin(_ channel: any ATTChannel) {
        let limit = min(channel.maximumMTU, bearers.largestMTU)
        // Before the receive loop, which would otherwise drop the first PDUs, or end the link before it has begun.
        let (number, replaced) = state.withLock { state in
            let replaced = state.device
            if let replaced {
                let error = RadioError(.closedLocally, during: Self.operation(replaced.peer))
                execute(state.bearer.linkEnded(error), &state)
                state.lanes = [:]
            }
            state.lastLink += 1
            state.device = channel
            state.isOpen = false
            let isLeftOut = mtuHistory.isRefused || bearers.exchange == .never
            let patience = isLeftOut ? nil : mtuHistory.patience
            let begin = state.bearer.linkBegan(maximumMTU: limit, exchangePatience: patience, now: time.now)
            execute(begin, &state)
            return (state.lastLink, replaced)
        }
        replaced?.close()
        let isStarted = scope.spawn { [self] in
            do throws(RadioError) {
                while true {
                    for pdu in try await channel.receiveWaiting() { received(pdu, on: number) }
                }
            } catch {
                ended(channel, number, error)
            }
        }
        guard isStarted else {
            return ended(channel, number, RadioError(.cancelled, during: Self.operation(channel.peer)))
        }
        if !opensLater { open() }
    }

    /// Lets guests use the present link. Does nothing without one.
    package func open() {
        let waiters = state.withLock { state -> Waiters<Bool> in
            guard state.device != nil else { return .init() }
            state.isOpen = true
            return state.waiters.takeAll()
        }
        waiters.resume(returning: true)
    }

    /// Takes a PDU of a link, unless another link has taken its place.
    private func received(_ pdu: [UInt8], on number: Int) {
        state.withLock { state in
            guard state.lastLink == number else { return }
            let wasExchanging = state.bearer.isExchanging
            mtuHistory.answered()
            execute(state.bearer.deviceSent(pdu, now: time.now), &state)
            if wasExchanging, !state.bearer.isExchanging { mtuHistory.exchanged() }
        }
    }

    /// Ends the channel of a link. If no other link has taken its place, the channels of all clients end with it.
    private func ended(_ channel: any ATTChannel, _ number: Int, _ error: RadioError) {
        channel.close()
        state.withLock { state in
            guard state.lastLink == number else { return }
            if state.bearer.isExchanging, error.meansHangUp {
                // The exchange is the first request, so that nothing else proves the link. Two hang-ups do.
                _ = mtuHistory.failed(.hungUp, isProven: mtuHistory.needsProof)
            }
            state.device = nil
            state.lanes = [:]
            state.isOpen = false
            execute(state.bearer.linkEnded(error), &state)
        }
    }

    /// Ends the channels of all clients, removes their subscriptions at the device, and closes the link.
    ///
    /// - Parameter reason: The reason that the clients get.
    package func close(_ reason: RadioError.Cause) async {
        let peer = state.withLock { $0.device?.peer }
        let error = RadioError(reason, during: Self.operation(peer))
        handle { $0.close(error, now: $1) }
        let events = finished.stream
        await scope.cleanUp(time) { for await _ in events {} }
        state.withLock { $0.device }?.close()
    }

    private static func operation(_ peer: DeviceAddress?) -> String {
        peer.map { "connection to \($0.address)" } ?? "connection"
    }

    // MARK: - Enhanced bearers

    /// Opens enhanced bearers of the present link for all clients. Returns a channel for each to the owner, whose requests
    /// take turns with those of the others; the channel ends with the bearer.
    func openBearers(_ count: Int, on device: any ATTChannel) async throws(RadioError) -> [any L2CAPChannel] {
        let number = state.withLock { $0.lastLink }
        return try await device.openEnhancedBearers(count).compactMap { take($0, of: number) }
    }

    /// Takes a bearer over; `nil` if it is of no use.
    private func take(_ channel: any L2CAPChannel, of link: Int) -> SharedBearerChannel? {
        let mtu = min(channel.sendMTU, channel.receiveMTU)
        let taken = state.withLock { state -> (lane: SharedBearer.LaneID, channel: SharedBearerChannel)? in
            let lane = state.lastLane + 1
            guard state.lastLink == link, let actions = state.bearer.laneOpened(lane, mtu: mtu, now: time.now) else {
                return nil
            }
            state.lastLane = lane
            let (client, queue) = addClient(isGuest: false, takesValues: false, &state)
            state.lanes[lane] = (channel, client)
            execute(actions, &state)
            return (lane, SharedBearerChannel(id: client, link: self, peer: channel.peer, mtu: mtu, queue: queue))
        }
        guard let (lane, share) = taken else {
            channel.close()
            onNote("an enhanced bearer of MTU \(mtu) is of no use beside one of \(status.mtu)")
            return nil
        }
        let isStarted = scope.spawn { [self] in
            do throws(RadioError) {
                while true {
                    for pdu in try await channel.receiveWaiting() {
                        handle { $0.deviceSent(pdu, on: lane, now: $1) }
                    }
                }
            } catch {
                laneEnded(lane)
            }
        }
        if !isStarted { laneEnded(lane) }
        return share
    }

    private func laneEnded(_ lane: SharedBearer.LaneID) {
        let client = state.withLock { state in
            let ended = state.lanes.removeValue(forKey: lane)
            execute(state.bearer.laneEnded(lane, now: time.now), &state)
            return ended?.client
        }
        if let client { leave(client) }
    }

    // MARK: - Clients

    /// A channel on the present link.
    ///
    /// - Parameter isGuest: Whether the client counts as a guest.
    func join(isGuest: Bool) throws(RadioError) -> any ATTChannel {
        let channel = state.withLock { state -> SharedATTChannel? in
            guard let device = state.device, !state.bearer.isClosing else { return nil }
            let (client, queue) = addClient(isGuest: isGuest, &state)
            return SharedATTChannel(id: client, link: self, isOwner: !isGuest, device: device, queue: queue)
        }
        guard let channel else { throw RadioError(.linkLost(nil), during: "connection") }
        return channel
    }

    private func addClient(
        isGuest: Bool,
        takesValues: Bool = true,
        _ state: inout State
    ) -> (ClientID, BoundedQueue<Delivery>) {
        state.lastClient += 1
        // Notifications are dropped first, because a client waits for each of its answers.
        let queue = BoundedQueue<Delivery>(limit: Self.queueLimit, overflow: .dropOldest) {
            $0.pdu.first == ATTOpcode.handleValueNotification.rawValue
        }
        state.clients[state.lastClient] = Client(queue: queue, isGuest: isGuest)
        if isGuest { state.idleSince = nil }
        state.bearer.clientJoined(state.lastClient, takesValues: takesValues)
        return (state.lastClient, queue)
    }

    /// A channel for a guest, as soon as there is a link.
    func join(_ device: DeviceAddress, by deadline: Instant) async throws(RadioError) -> any ATTChannel {
        let operation = Self.operation(device)
        do {
            let isUp = try await untilDeadline(deadline, time) { await self.isUp() }
            guard isUp == true else {
                throw RadioError(Task.isCancelled ? .cancelled : .connectTimedOut, during: operation)
            }
            return try join(isGuest: true)
        } catch let error as RadioError {
            throw error
        } catch {
            throw RadioError(.cancelled, during: operation)
        }
    }

    /// Waits for a link. Returns `false` if the task was cancelled.
    private func isUp() async -> Bool {
        await state.answer(ifCancelled: false) { $0.isOpen ? true : nil }
    }

    /// Counts a guest that uses the link beside its attributes, until it leaves.
    func use() -> ClientID {
        state.withLock { state in
            let (client, _) = addClient(isGuest: true, takesValues: false, &state)
            state.clients[client]?.hasSent = true
            return client
        }
    }

    func send(_ pdu: [UInt8], from client: ClientID) {
        state.withLock { state in
            state.clients[client]?.hasSent = true
            execute(state.bearer.clientSent(pdu, client, now: time.now), &state)
        }
    }

    /// Removes a client. Its subscriptions and prepared writes are withdrawn from the device.
    func leave(_ client: ClientID) {
        state.withLock { state in
            guard let left = state.clients.removeValue(forKey: client) else { return }
            left.queue.finish(RadioError(.closedLocally, during: Self.operation(state.device?.peer)))
            noteDeparture(of: left, &state)
            execute(state.bearer.clientLeft(client, now: time.now), &state)
        }
    }

    /// Begins the time without guests, if the last one has left. A guest that has sent nothing does not restart
    /// it.
    private func noteDeparture(of client: Client, _ state: inout State) {
        if client.isGuest, client.hasSent { state.lastUse = time.now }
        guard state.idleSince == nil, !state.clients.values.contains(where: \.isGuest) else { return }
        state.idleSince = state.lastUse
        departures.continuation.yield()
    }

    /// Returns when there was no guest for that long, from now on. Throws if the task is cancelled. For one caller.
    package func untilIdle(for duration: Duration) async throws {
        let start = time.now
        while true {
            try Task.checkCancellation()
            if let since = state.withLock({ $0.idleSince }).map({ max($0, start) }) {
                guard since + duration > time.now else { return }
                try await time.sleep(until: since + duration)
            } else {
                for await _ in departures.stream { break }
            }
        }
    }

    // MARK: - Actions

    private func handle(_ event: (inout SharedBearer, Instant) -> [SharedBearer.Action]) {
        state.withLock { state in execute(event(&state.bearer, time.now), &state) }
    }

    /// Carries out actions under the lock, and sets the timer for the next deadline.
    private func execute(_ actions: [SharedBearer.Action], _ state: inout State) {
        for action in actions {
            switch action {
            case .sendToDevice(let pdu):
                do throws(RadioError) {
                    try state.device?.send(pdu)
                } catch {
                    // PDUs that arrived before the failure are still delivered; the end of the link follows them.
                    state.device?.hangUp(error)
                }
            case .sendOnLane(let pdu, let lane):
                do throws(RadioError) {
                    try state.lanes[lane]?.channel.send(pdu)
                } catch {
                    state.lanes[lane]?.channel.hangUp(error)
                }
            case .closeLane(let lane): state.lanes[lane]?.channel.close()
            case .send(let pdu, let client): state.clients[client]?.queue.push((pdu, nil))
            case .sendKept(let value, let client): state.clients[client]?.queue.push((value.pdu, value.arrival))
            case .countDropped(let count, let client): state.clients[client]?.queue.countDropped(count)
            case .end(let client, let error):
                let broken = RadioError(.system(call: "receive", errno: "EPROTO"), during: "shared link")
                guard let ended = state.clients.removeValue(forKey: client) else { continue }
                ended.queue.finish(error ?? broken)
                noteDeparture(of: ended, &state)
            case .closeLink(let failure):
                let operation = "\(Self.operation(state.device?.peer)): \(failure)"
                state.device?.hangUp(RadioError(.closedLocally, during: operation))
            case .giveUpExchange:
                _ = mtuHistory.failed(.silent(mtuHistory.patience), isProven: false)
                // As a loss, after which the link is made again.
                state.device?.hangUp(RadioError(.linkLost(nil), during: Self.operation(state.device?.peer)))
            case .report(let note): onNote("\(note)")
            case .finished: finished.continuation.finish()
            }
        }
        state.timer.arm(state.bearer.nextDeadline, in: scope, time) { [self] in timerFired() }
    }

    /// Reports to the bearer that its deadline has come.
    private func timerFired() {
        state.withLock { state in
            state.timer.fired()
            execute(state.bearer.timerFired(now: time.now), &state)
        }
    }
}
