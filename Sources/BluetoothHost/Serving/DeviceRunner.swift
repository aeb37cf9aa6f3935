// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothDevices

/// A client's link as the device sees it.
public protocol DeviceLink: Sendable {
    /// The client's identity address; `nil` if it is unknown.
    var identity: DeviceAddress? { get }

    /// The present security of the link.
    var security: LinkSecurity { get }

    /// Sends a PDU to the client. It is lost if the link has ended; `DeviceRunner.disconnected` reports that.
    func send(_ pdu: [UInt8], now: @autoclosure () -> Instant)

    /// Suspends until the link has sent what it was given. Throws if it has ended.
    func drained() async throws(RadioError)

    /// Ends the link.
    func hangUp(_ reason: HCIStatus)
}

/// A running device. It carries PDUs between its links and its machine, and wakes the machine at its deadlines.
public actor DeviceRunner {
    private let device: DeviceImage
    private var machine: DeviceMachine
    private var links: [GATTServer.ClientID: any DeviceLink] = [:]
    private var channels: [GATTServer.BearerID: any L2CAPChannel] = [:]
    /// The pace of each bearer.
    private var paces: [GATTServer.BearerID: NotificationPace] = [:]
    private var dropped: [GATTServer.ClientID: DroppedValues] = [:]
    /// Each is finished when there may be room for a value again.
    private var waitingForRoom: [AsyncStream<Never>.Continuation] = []
    /// Wakes the machine at its next deadline.
    private var timer = DeadlineTimer()
    /// The clock of the world or of the machine.
    private let time: any TimeSource
    private let scope: TaskScope
    private let onEvent: (@Sendable (DeviceEvent) -> Void)?
    /// Answers for the program beside the device; `nil` if there is none.
    private let onQuestion: QuestionHandler?
    /// The questions that `onQuestion` was not called with yet, in the order of the machine, each with the identity
    /// address of its client.
    private var questions: [(question: HookQuestion, identity: DeviceAddress?)] = []
    /// Stores the memories of the device; `nil` if they are not stored.
    private var onMemories: MemoryHandler?
    /// The count of changes that `onMemories` was called for.
    private var reportedMemoryChanges: UInt64 = 0

    package typealias MemoryHandler = @Sendable ([DeviceAddress: GATTServer.ClientState]) -> Void

    /// Answers for the program beside the device; with the identity address of the client, if it is known.
    ///
    /// The calls begin in the order of the requests. One may begin before an earlier one has returned.
    public typealias QuestionHandler = @Sendable (HookQuestion, DeviceAddress?) async -> HookAnswer

    /// Creates a device that starts with its first client, or with `start`; its timers run in the scope.
    public init(
        _ device: DeviceImage,
        time: any TimeSource,
        scope: TaskScope,
        onEvent: (@Sendable (DeviceEvent) -> Void)? = nil,
        onQuestion: QuestionHandler? = nil
    ) {
        self.device = device
        machine = DeviceMachine(device)
        self.time = time
        self.scope = scope
        self.onEvent = onEvent
        self.onQuestion = onQuestion
    }

    /// Restores the memories of bonded clients from an earlier run, before the first client. `handler` gets the
    /// memories after each change.
    package func recall(
        _ memories: [DeviceAddress: GATTServer.ClientState],
        _ handler: @escaping MemoryHandler
    ) {
        machine.recall(memories)
        onMemories = handler
    }

    package var memories: [DeviceAddress: GATTServer.ClientState] { machine.memories }

    /// A client that came as a stranger was recognised, as after a pairing.
    package func identified(_ client: GATTServer.ClientID, as identity: DeviceAddress) {
        machine.identified(client, as: identity)
        reportMemories()
    }

    /// Starts the device before its first client, so that its timed actions on the radio begin on time.
    public func start() { perform(machine.start(now: now)) }

    /// A client has connected.
    public func connected(_ client: GATTServer.ClientID, over link: any DeviceLink) {
        links[client] = link
        paces[GATTServer.BearerID(client)] = NotificationPace()
        perform(machine.connected(client, as: link.identity, security: { link.security }, now: now))
    }

    /// A client's link has ended.
    public func disconnected(_ client: GATTServer.ClientID) {
        // A device that was restarted has forgotten its clients.
        guard links.removeValue(forKey: client) != nil else { return }
        channels = channels.filter { $0.key.client != client }
        paces = paces.filter { $0.key.client != client }
        perform(machine.disconnected(client, now: now))
        if let rest = dropped[client]?.rest() { onEvent?(.dropped(client, rest)) }
        dropped[client] = nil
        if machine.nextDeadline == nil { timer.stop() }
    }

    /// A client has sent a PDU over the bearer that every link has.
    ///
    /// - Parameters:
    ///   - bytes: The PDU.
    ///   - client: The client.
    ///   - signature: The verdict on a signed write; `nil` if there is no key to check it with.
    public func received(
        _ bytes: [UInt8],
        from client: GATTServer.ClientID,
        signature: SignatureVerdict? = nil
    ) {
        perform(machine.pduReceived(bytes, from: GATTServer.BearerID(client), signature: signature, now: now))
    }

    // MARK: - Enhanced bearers

    /// A client has connected, on a radio whose links have that many enhanced bearers at most. Returns whether the client may
    /// open any: the device must not tell of them where there are none.
    package func connected(
        _ client: GATTServer.ClientID,
        over link: any DeviceLink,
        bearerLimit: Int
    ) -> Bool {
        if bearerLimit == 0 { machine.withholdEnhancedBearers() }
        connected(client, over: link)
        return machine.hasEnhancedBearers
    }

    /// A client has opened an enhanced bearer. Returns its identifier until `closed`; `nil` if the channel has to be closed.
    package func opened(_ channel: any L2CAPChannel, by client: GATTServer.ClientID) -> GATTServer.BearerID? {
        let bearer = machine.bearerOpened(by: client, mtu: min(channel.receiveMTU, channel.sendMTU))
        if let bearer {
            channels[bearer] = channel
            paces[bearer] = NotificationPace()
        }
        return bearer
    }

    /// A client has sent a PDU over an enhanced bearer.
    package func received(_ bytes: [UInt8], over bearer: GATTServer.BearerID) {
        perform(machine.pduReceived(bytes, from: bearer, now: now))
    }

    /// The channel of an enhanced bearer has ended.
    package func closed(_ bearer: GATTServer.BearerID) {
        channels[bearer] = nil
        paces[bearer] = nil
        perform(machine.bearerClosed(bearer, now: now))
    }

    /// Sends a PDU over a bearer: a notification at the pace of its channel, and everything else at once.
    private func send(_ bytes: [UInt8], over bearer: GATTServer.BearerID) {
        guard NotificationPace.concerns(bytes), let verdict = paces[bearer]?.take(bytes) else {
            return hand(bytes, over: bearer)
        }
        switch verdict {
        case .send:
            hand(bytes, over: bearer)
            watchPace(of: bearer)
        case .wait: break
        case .drop: drop(1, for: bearer.client)
        }
    }

    /// Has the channel of a bearer report when it has sent everything.
    private func watchPace(of bearer: GATTServer.BearerID) {
        guard paces[bearer]?.wantsReport == true else { return }
        let (link, channel) = (links[bearer.client], channels[bearer])
        paces[bearer]?.asked()
        scope.spawn { [weak self] in
            do throws(RadioError) {
                if bearer.number > 0 { try await channel?.drained() } else { try await link?.drained() }
            } catch {
                // One that has ended takes nothing more.
                return
            }
            await self?.drained(bearer)
        }
    }

    /// The channel of a bearer has sent everything, and gets what waits.
    private func drained(_ bearer: GATTServer.BearerID) {
        let next = paces[bearer]?.reported { [machine] pdu in
            guard let handle = NotificationPace.handle(of: pdu) else { return false }
            return machine.subscribers(of: handle).contains(bearer.client)
        }
        for pdu in next ?? [] { hand(pdu, over: bearer) }
        watchPace(of: bearer)
        roomMayBeMade()
    }

    private func drop(_ count: Int, for client: GATTServer.ClientID) {
        guard let told = dropped[client, default: DroppedValues()].add(count) else { return }
        onEvent?(.dropped(client, told))
    }

    private func hand(_ bytes: [UInt8], over bearer: GATTServer.BearerID) {
        guard bearer.number > 0 else { links[bearer.client]?.send(bytes, now: time.now); return }
        guard let channel = channels[bearer] else { return }
        do throws(RadioError) {
            try channel.send(bytes)
        } catch {
            // It has ended, or its client takes nothing.
            channel.hangUp(error)
        }
    }

    // MARK: - Control from outside

    /// Changes a value, and sends it to the clients that have subscribed. Returns `false` if the attribute cannot have
    /// that value: `DeviceMachine.setValue`.
    ///
    /// - Parameters:
    ///   - value: The octets, at most 512.
    ///   - find: Finds the attribute; the result is then `nil` if there is none.
    public func setValue(_ value: [UInt8], of find: @Sendable (GATTDatabase) -> Handle?) -> Bool? {
        guard let handle = find(machine.database) else { return nil }
        guard let actions = machine.setValue(value, of: handle, now: now) else { return false }
        perform(actions)
        return true
    }

    /// Ends all links.
    public func hangUp(_ reason: HCIStatus) { perform(machine.hangUp(reason)) }

    /// Holds answers back, or sends those that were held back.
    public func setPaused(_ isPaused: Bool) {
        if isPaused { machine.pause() } else { perform(machine.release(now: now)) }
    }

    /// Whether answers are held back.
    public var isPaused: Bool { machine.isPaused }

    /// Restarts the device: `DeviceMachine.restart(as:now:)`.
    public func restart() {
        let actions = machine.restart(as: device, now: now)
        perform(actions)
        links = [:]
        channels = [:]
        paces = [:]
        dropped = [:]
        roomMayBeMade()
    }

    /// Sends a value to the subscribed clients, and leaves the value of the database as it is.
    ///
    /// - Parameters:
    ///   - value: The octets.
    ///   - find: Finds the value's attribute; the result is then `nil` if there is none.
    /// - Returns: The number of clients that are subscribed, and get the value therefore.
    public func send(_ value: [UInt8], of find: @Sendable (GATTDatabase) -> Handle?) -> Int? {
        guard let handle = find(machine.database) else { return nil }
        let subscribers = machine.subscribers(of: handle).count
        perform(machine.send(value, of: handle, now: now))
        return subscribers
    }

    /// Why a value was not sent, for which a client had no room.
    package enum NoRoom: Error { case cancelled, timedOut }

    /// Calls a function that sends a value, when it is dropped for none of the subscribed clients.
    ///
    /// - Parameters:
    ///   - find: Finds the value's attribute.
    ///   - limit: How long it waits.
    package func withRoom<Value: Sendable>(
        for find: @Sendable (GATTDatabase) -> Handle?,
        within limit: Duration,
        _ body: @Sendable (isolated DeviceRunner) -> Value
    ) async throws(NoRoom) -> Value {
        var end: Instant?
        while let handle = find(machine.database), !hasRoom(forValueOf: handle) {
            let deadline = end ?? time.now + limit
            if end != nil, time.now >= deadline { throw .timedOut }
            end = deadline
            let (made, waiter) = AsyncStream<Never>.makeStream()
            waitingForRoom.append(waiter)
            // The deadline ends the stream as well.
            _ = try? await untilDeadline(deadline, time) { for await _ in made {} }
            waitingForRoom.removeAll { $0 == waiter }
            if Task.isCancelled { throw .cancelled }
        }
        return body(self)
    }

    private func hasRoom(forValueOf handle: Handle) -> Bool {
        guard machine.hasRoomForIndication(of: handle) else { return false }
        let full = paces.filter(\.value.isFull).keys.map(\.client)
        return full.isEmpty || !machine.subscribers(of: handle).contains(where: full.contains)
    }

    /// Lets those that wait for room look again.
    private func roomMayBeMade() {
        for waiter in waitingForRoom { waiter.finish() }
        waitingForRoom = []
    }

    /// The number of clients that are subscribed to a characteristic; `nil` if there is none.
    ///
    /// - Parameter find: Finds the value's attribute.
    public func subscribers(of find: @Sendable (GATTDatabase) -> Handle?) -> Int? {
        find(machine.database).map { machine.subscribers(of: $0).count }
    }

    /// The number of requests that have no answer yet.
    public var waitingRequests: Int { machine.waitingRequests }

    /// The attributes, with the values that the database holds.
    public var database: GATTDatabase { machine.database }

    /// Replaces the present database by another one of the device. Returns the existing names if none has that name.
    public func switchDatabase(to name: String?) -> [String]? {
        guard let actions = machine.switchDatabase(to: name, now: now) else { return machine.databaseNames }
        perform(actions)
        return nil
    }

    /// Adds a fault while the device runs, after the others.
    public func add(_ fault: FaultRule) { machine.add(fault) }

    /// The faults of its links, and whether each has acted.
    public var faultRules: [(rule: FaultRule, hasActed: Bool)] { machine.faultRules }

    /// Takes the last of the equal faults away, or all. Returns those that were there, and whether each had acted.
    public func removeFaults(_ fault: FaultRule?) -> [(rule: FaultRule, hasActed: Bool)] {
        let (removed, actions) = machine.removeFaults(fault, now: now)
        perform(actions)
        return removed
    }

    /// The faults of its links that never acted.
    public var unmetFaults: [FaultRule] { machine.unmetFaults }

    /// The MTU of a client's link in octets: 23 until the exchange.
    public func mtu(of client: GATTServer.ClientID) -> UInt16 { machine.mtu(of: client) }

    /// The time on the device's own clock, which begins with the program.
    private var now: Instant { .zero + (time.now - time.start) }

    /// Has a question answered, while other clients are served.
    private func ask(_ question: HookQuestion) {
        questions.append((question, links[question.client]?.identity))
        scope.spawn { [weak self] in await self?.answerNext() }
    }

    /// Has the oldest question answered, and passes the answer to the machine.
    ///
    /// The tasks of a scope begin in any order. If each had a question of its own, writes that a client sends one after
    /// the other would reach the handler in any order, too.
    private func answerNext() async {
        guard !questions.isEmpty else { return }
        let (question, identity) = questions.removeFirst()
        let answer = await onQuestion?(question, identity) ?? .refused(.unlikelyError)
        perform(machine.answered(question.question, answer, now: now))
    }

    /// Reports to the machine that its deadline has come.
    private func timerFired() {
        timer.fired()
        perform(machine.timerFired(now: now))
    }

    /// Passes the memories on if they have changed.
    private func reportMemories() {
        guard let onMemories, machine.memoryChanges != reportedMemoryChanges else { return }
        reportedMemoryChanges = machine.memoryChanges
        onMemories(machine.memories)
    }

    /// Carries out the actions of the machine, and sets the timer for its next deadline.
    private func perform(_ actions: [DeviceMachine.Action]) {
        for action in actions {
            switch action {
            case .send(let bearer, let bytes): send(bytes, over: bearer)
            case .close(let bearer): channels[bearer]?.close()
            case .hangUp(let client, let reason): links[client]?.hangUp(reason)
            case .report(.asked(let question)): ask(question)
            case .report(.dropped(let client, let count)): drop(count, for: client)
            case .report(let event): onEvent?(event)
            }
        }
        reportMemories()
        roomMayBeMade()
        let deadline = machine.nextDeadline.map { time.start + ($0 - .zero) }
        timer.arm(deadline, in: scope, time) { [weak self] in await self?.timerFired() }
    }
}
