// SPDX-License-Identifier: MIT

public import Bluetooth

/// A device as its links see it: the bearers of each link, then the GATT server, then the firmware, and the faults.
///
/// A client has the bearer that every link has, and may open enhanced ones beside it. Each has an MTU, a request and an
/// indication of its own. Subscriptions, prepared writes and security are the client's.
///
/// The machine is pure with one exception: it queries the security of a link when a request depends on it, because that
/// may change at any moment. PDUs and times go in, PDUs come out.
public struct DeviceMachine: Sendable {
    /// An effect that the caller must carry out.
    public enum Action: Sendable, Equatable {
        /// Send a PDU over a bearer.
        case send(GATTServer.BearerID, [UInt8])
        /// Close an enhanced bearer. The others of its client stay.
        case close(GATTServer.BearerID)
        /// End a client's link.
        case hangUp(GATTServer.ClientID, HCIStatus)
        /// Report an event to the observer.
        case report(DeviceEvent)
    }

    /// A client's link.
    struct Session: Sendable {
        let security: @Sendable () -> LinkSecurity
        /// The link is about to end: nothing more is sent or served.
        var isSilent = false
    }

    /// A bearer of a client's link.
    struct Bearer: Sendable {
        /// Knows the MTU and the unanswered indication.
        var att: ATTBearer
        /// The request in progress, and its attribute.
        var served: (request: ATTRequest, place: GATTPlace?)?
        /// The signed writes that were checked and not served yet, which faults may hold back.
        var verdicts: [[UInt8]: SignatureVerdict] = [:]
    }

    /// The most signed writes of a client that faults may hold back.
    private static let maximumVerdicts = 64

    var server: GATTServer
    /// The behaviour beyond the database.
    private var firmware: FirmwareRunner
    /// Stands between the links and the server, and may hold, change or lose PDUs.
    var faults: FaultLayer
    let maximumMTU: UInt16
    /// The additional time that each answer takes.
    private let latency: Duration
    var sessions: [GATTServer.ClientID: Session] = [:]
    var bearers: [GATTServer.BearerID: Bearer] = [:]
    /// Server Supported Features tells of no enhanced bearers, because the radio has none.
    var withholdsBearers = false
    /// Values of the firmware that were set from outside.
    var pinned: [Handle: [UInt8]] = [:]
    /// The answers that are held back, at most one for each bearer; `nil` if none are.
    var held: [(bearer: GATTServer.BearerID, answer: ATTAnswer)]?
    var delayed = DelayedAnswers()
    private var isStarted = false

    /// A device that is off. It starts with its first client.
    public init(_ device: DeviceImage) {
        var configuration = GATTServer.Configuration()
        configuration.maximumMTU = device.maximumMTU
        configuration.preparedWrites = device.preparedWrites
        server = GATTServer(database: device.database, configuration: configuration)
        firmware = FirmwareRunner(device.firmware, random: device.random)
        faults = FaultLayer(device.faults, labels: device.labels, random: device.random)
        maximumMTU = device.maximumMTU
        latency = device.responseLatency
    }

    /// The MTU of a client's link, without its enhanced bearers: 23 until the exchange.
    public func mtu(of client: GATTServer.ClientID) -> UInt16 {
        bearers[GATTServer.BearerID(client)]?.att.mtu ?? ATTBearer.minimumMTU
    }

    /// The moment of the next call of `timerFired`. Without a connection, only actions on the radio have one.
    public var nextDeadline: Instant? {
        guard !sessions.isEmpty else { return firmware.radioTimer }
        let unanswered = bearers.values.compactMap(\.att.nextDeadline).min()
        return [firmware.timer, delayed.nextDeadline, unanswered, faults.nextDeadline].compactMap { $0 }.min()
    }

    /// The number of announced answers of the firmware.
    public var replyCount: Int { delayed.replyCount }

    // MARK: - Events

    /// Switches the device on. Without this call, its first client does.
    public mutating func start(now: Instant) -> [Action] {
        guard !isStarted else { return [] }
        isStarted = true
        return runFirmware(now) { $0.started(&$1) }
    }

    /// A client has connected. `identity` is its identity address; `security` queries the present security of its link.
    public mutating func connected(
        _ client: GATTServer.ClientID,
        as identity: DeviceAddress? = nil,
        security: @escaping @Sendable () -> LinkSecurity = { .none },
        now: Instant
    ) -> [Action] {
        var actions = start(now: now)
        // Timers that expired without a connection must have run before the client's first request.
        actions += firmwareTimerFired(now)
        let bearer = GATTServer.BearerID(client)
        sessions[client] = Session(security: security)
        bearers[bearer] = Bearer(att: ATTBearer(maximumMTU: maximumMTU, server: .attached))
        actions += perform(faults.connected(client, now: now), of: bearer, now: now)
        actions += runFirmware(now) { $0.connected(client, &$1) }
        return actions
            + perform(server.clientConnected(client, security: security(), identity: identity), now: now)
    }

    /// A client's link has ended, and all its bearers with it.
    public mutating func disconnected(_ client: GATTServer.ClientID, now: Instant) -> [Action] {
        sessions[client] = nil
        bearers = bearers.filter { $0.key.client != client }
        faults.disconnected(client)
        delayed.removeAnswers { $0.client == client }
        held?.removeAll { $0.bearer.client == client }
        let actions = server.clientDisconnected(client)
        delayed.removeReplies(unless: { server.awaits($0) })
        return perform(actions, now: now) + runFirmware(now) { $0.disconnected(client, &$1) }
    }

    /// Processes a PDU of a client.
    ///
    /// - Parameters:
    ///   - bytes: The PDU.
    ///   - bearer: The bearer that it came over.
    ///   - signature: The verdict on a signed write; `nil` if there is no key to check it with.
    ///   - now: The time.
    public mutating func pduReceived(
        _ bytes: [UInt8],
        from bearer: GATTServer.BearerID,
        signature: SignatureVerdict? = nil,
        now: Instant
    ) -> [Action] {
        guard let state = bearers[bearer], !isSilent(bearer.client) else { return [] }
        if signature != nil, state.verdicts.count >= Self.maximumVerdicts { bearers[bearer]?.verdicts = [:] }
        if state.verdicts[bytes] != nil || signature != nil { bearers[bearer]?.verdicts[bytes] = signature }
        return perform(faults.received(bytes, from: bearer, server.database, now: now), of: bearer, now: now)
    }

    /// The program beside the device has answered. The answer is dropped if no request waits for it any more.
    public mutating func answered(_ question: GATTServer.Token, _ answer: HookAnswer, now: Instant) -> [Action] {
        runFirmware(now, asking: question) { firmware, context in
            firmware.answered(question, answer, &context)
        } then: { _, _ in
            []
        }
    }

    /// The moment `nextDeadline` has come.
    public mutating func timerFired(now: Instant) -> [Action] {
        guard !sessions.isEmpty else {
            return firmware.radioTimer.map { $0 <= now } == true ? firmwareTimerFired(now) : []
        }
        var actions: [Action] = []
        while let slow = delayed.takeSlowAnswer(now: now) {
            actions += respond(slow.answer, over: slow.bearer, now: now)
        }
        while let reply = delayed.takeReply(now: now) {
            actions += perform(answer(reply), now: now)
        }
        while let later = faults.takeDue(now: now) {
            actions += perform([later.step], of: later.bearer, now: now)
        }
        for bearer in bearers.keys.sorted() {
            actions += perform(bearers[bearer]?.att.timerFired(now: now) ?? [], from: bearer, now: now)
        }
        return actions + firmwareTimerFired(now)
    }

    /// Calls the firmware if its moment has come. It asks for a new one in that call.
    private mutating func firmwareTimerFired(_ now: Instant) -> [Action] {
        guard firmware.takeTimer(now: now) else { return [] }
        return runFirmware(now) { $0.timerFired(&$1) }
    }

    // MARK: - Faults

    /// The rules that never acted.
    public var unmetFaults: [FaultRule] { faults.machine.unmet }

    /// How many PDUs and steps faults hold back.
    var heldCount: Int { faults.heldCount }

    /// Adds a fault while the device runs, after the others.
    public mutating func add(_ fault: FaultRule) { faults.add(fault) }

    /// The faults of its links, and whether each has acted.
    public var faultRules: [(rule: FaultRule, hasActed: Bool)] { faults.machine.rules }

    /// Takes the last of the equal faults away, or all. Returns those that were there, with whether each had acted, and what the
    /// links get that a pause held back.
    public mutating func removeFaults(
        _ fault: FaultRule?,
        now: Instant
    ) -> (removed: [(rule: FaultRule, hasActed: Bool)], [Action]) {
        let (removed, held) = faults.remove(fault)
        return (removed, held.flatMap { bearer, bytes in perform([.send(bytes)], of: bearer, now: now) })
    }

    /// Ends the pauses of faults: sends the held PDUs, and forgets the pauses.
    mutating func releaseFaults(now: Instant) -> [Action] {
        faults.release().flatMap { bearer, bytes in perform([.send(bytes)], of: bearer, now: now) }
    }

    // MARK: - Server

    mutating func perform(_ actions: [GATTServer.Action], now: Instant) -> [Action] {
        actions.flatMap { perform($0, now: now) }
    }

    /// Carries out an action of the server. Answers wait for the device's latency, if it has one.
    private mutating func perform(_ action: GATTServer.Action, now: Instant) -> [Action] {
        switch action {
        case .respond(let bearer, let answer):
            guard latency > .zero else { return respond(answer, over: bearer, now: now) }
            delayed.add(DelayedAnswers.SlowAnswer(due: now + latency, bearer: bearer, answer: answer))
            return []
        case .notify(let client, let pdu):
            guard let bearer = widestBearer(of: client) else { return [] }
            return perform((try? bearers[bearer]?.att.submitNotification(pdu)) ?? [], from: bearer, now: now)
        case .notifySeveral(let client, let pdu):
            guard let bearer = widestBearer(of: client) else { return [] }
            return perform((try? bearers[bearer]?.att.submitNotification(pdu)) ?? [], from: bearer, now: now)
        case .indicate(let client, let indication):
            return indicate(indication, to: client, now: now)
        case .read(let token, let request):
            if let value = pinned[request.handle] {
                return perform(server.readAnswered(token, .success(value)), now: now)
            }
            return runFirmware(now, asking: token) { firmware, context in
                firmware.read(request, &context)
            } then: { machine, answer in
                switch answer {
                case .answer(let value): machine.server.readAnswered(token, .success(value))
                case .refuse(let code): machine.server.readAnswered(token, .failure(ATTRefusal(code)))
                case .later, .silence: []
                }
            }
        case .write(let token, let request):
            pinned[request.handle] = nil
            return runFirmware(now, asking: token) { firmware, context in
                firmware.write(request, &context)
            } then: { machine, answer in
                switch answer {
                case .answer: machine.server.writeAnswered(token, nil)
                case .refuse(let code): machine.server.writeAnswered(token, ATTRefusal(code))
                case .later, .silence: []
                }
            }
        case .valueWritten(_, let handle):
            return runFirmware(now) { $0.valueWritten(handle, &$1) }
        case .subscriptionChanged(let client, let handle, let configuration):
            return runFirmware(now) { $0.subscriptionChanged(client, handle, configuration, &$1) }
        case .indicationDropped(let client, _):
            // With room, it is one that was not confirmed.
            return server.hasRoomForIndication(to: client) ? [] : [.report(.dropped(client, 1))]
        case .indicationConfirmed:
            return []
        }
    }

    // MARK: - Firmware

    private mutating func runFirmware(
        _ now: Instant,
        _ event: (inout any DeviceFirmware, inout DeviceContext) -> Void
    ) -> [Action] {
        runFirmware(now, asking: nil, event) { _, _ in [] }
    }

    /// Runs the firmware, answers the client, and then carries out the firmware's effects, so that the answer is sent
    /// first.
    private mutating func runFirmware<Answer>(
        _ now: Instant,
        asking question: GATTServer.Token?,
        _ event: (inout any DeviceFirmware, inout DeviceContext) -> Answer,
        then: (inout DeviceMachine, Answer) -> [GATTServer.Action]
    ) -> [Action] {
        let (answer, effects) = firmware.run(now, asking: question, of: server.database, event)
        var actions = perform(then(&self, answer), now: now)
        for effect in effects { actions += carryOut(effect, now: now) }
        return actions
    }

    /// Notifies the firmware of a changed value in the database.
    mutating func reportToFirmware(valueOf handle: Handle, now: Instant) -> [Action] {
        runFirmware(now) { $0.valueWritten(handle, &$1) }
    }

    /// Sends a value to the clients that have subscribed.
    mutating func notify(_ value: [UInt8], of handle: Handle, now: Instant) -> [Action] {
        // The bearer answers an exchange of the MTU by itself, and the server learns the MTU only with its next request.
        for (bearer, state) in bearers {
            // Nothing goes over a bearer that is about to end.
            server.mtuChanged(bearer, to: state.att.isClosed ? ATTBearer.minimumMTU : state.att.mtu)
        }
        for client in server.guardedSubscribers(of: handle) {
            guard let session = sessions[client] else { continue }
            server.linkChanged(client, security: session.security())
        }
        return perform(server.notify(value, of: handle), now: now)
    }

    /// Puts a database of that name in place of the present one; `nil` for that of the device's start. Returns `nil` if
    /// the firmware has none of that name.
    public mutating func switchDatabase(to name: String?, now: Instant) -> [Action]? {
        var isKnown = false
        let actions = runFirmware(now) { isKnown = $0.switchDatabase(to: name, &$1) }
        return isKnown ? actions : nil
    }

    /// The names of the databases that the firmware can put in place.
    public var databaseNames: [String] { firmware.databaseNames }

    private mutating func carryOut(_ effect: DeviceContext.Effect, now: Instant) -> [Action] {
        switch effect {
        case .notify(let value, let handle):
            return notify(pinned[handle] ?? value, of: handle, now: now)
        case .notifyInParts(let octets, let handle):
            // Core 5.4, Vol 3, Part F, 3.4.7.1: an opcode and a handle are before the value.
            let widest = sessions.keys.compactMap { widestBearer(of: $0) }.compactMap { bearers[$0]?.att.mtu }
            let room = Int(widest.min() ?? ATTBearer.minimumMTU) - 3
            let length = min(room, GATTLimits.maximumValueLength)
            return stride(from: 0, to: octets.count, by: length).flatMap { start in
                notify(Array(octets[start..<min(start + length, octets.count)]), of: handle, now: now)
            }
        case .setValue(let value, let handle):
            // A value that firmware makes stays as it is set, as if it were set from outside.
            if case .handler? = server.database[handle]?.storage { pinned[handle] = value }
            server.setValue(value, of: handle)
            return []
        case .replaceDatabase(let new):
            pinned = [:]
            let actions = server.replaceDatabase(with: new)
            if withholdsBearers { withholdEnhancedBearers() }
            return perform(actions, now: now)
        case .reply(let reply):
            guard reply.due > now else { return perform(answer(reply), now: now) }
            if server.awaits(reply.question) { delayed.add(reply) }
            return []
        case .hangUp:
            return hangUp(.remoteUserTerminatedConnection)
        case .leave(let time):
            return hangUp(.connectionTimeout) + [.report(.left(for: time))]
        case .appear(let guise):
            return [.report(.appeared(as: guise))]
        case .setConnectable(let isConnectable):
            return [.report(.connectable(isConnectable))]
        case .ask(let question):
            return [.report(.asked(question))]
        }
    }

    /// A token belongs to a read or to a write; the server ignores the call for the other kind.
    private mutating func answer(_ reply: DeviceContext.Reply) -> [GATTServer.Action] {
        switch reply.content {
        case .value(let value): server.readAnswered(reply.question, .success(value))
        case .accepted: server.writeAnswered(reply.question, nil)
        case .refused(let code):
            server.readAnswered(reply.question, .failure(ATTRefusal(code)))
                + server.writeAnswered(reply.question, ATTRefusal(code))
        }
    }
}
