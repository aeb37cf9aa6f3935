// SPDX-License-Identifier: MIT

public import Bluetooth

/// A device as its links see it: a bearer for each link, then the GATT server, then the firmware, and the faults.
///
/// The machine is pure with one exception: it queries the security of a link when a request depends on it, because that
/// may change at any moment. PDUs and times go in, PDUs come out.
public struct DeviceMachine: Sendable {
    /// An effect that the caller must carry out.
    public enum Action: Sendable, Equatable {
        /// Send a PDU to a client.
        case send(GATTServer.ClientID, [UInt8])
        /// End a client's link.
        case hangUp(GATTServer.ClientID, HCIStatus)
        /// Report an event to the observer.
        case report(DeviceEvent)
    }

    /// A client's link.
    struct Session: Sendable {
        /// The bearer of the link, which knows its MTU and its unanswered indication.
        var bearer: ATTBearer
        let security: @Sendable () -> LinkSecurity
        /// The request in progress, and its attribute.
        var served: (request: ATTRequest, place: GATTPlace?)?
        /// The link is about to end: nothing more is sent or served.
        var isSilent = false
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
    /// The largest MTU that the device accepts.
    private let maximumMTU: UInt16
    /// The additional time that each answer takes.
    private let latency: Duration
    var sessions: [GATTServer.ClientID: Session] = [:]
    /// Values of the firmware that were set from outside.
    var pinned: [Handle: [UInt8]] = [:]
    /// The answers that are held back, at most one for each client; `nil` if none are.
    var held: [(client: GATTServer.ClientID, answer: ATTAnswer)]?
    /// The answers that wait for their time.
    private var delayed = DelayedAnswers()
    private var isStarted = false
    /// The number of the last indication, by which its confirmation is recognised.
    private var lastIndication: UInt64 = 0

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

    /// The MTU of a client's link: 23 until the exchange.
    public func mtu(of client: GATTServer.ClientID) -> UInt16 { sessions[client]?.bearer.mtu ?? 23 }

    /// The moment of the next call of `timerFired`. Without a connection, only actions on the radio have one.
    public var nextDeadline: Instant? {
        guard !sessions.isEmpty else { return firmware.radioTimer }
        let bearers = sessions.values.compactMap(\.bearer.nextDeadline).min()
        return [firmware.timer, delayed.nextDeadline, bearers, faults.nextDeadline].compactMap { $0 }.min()
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
        sessions[client] = Session(
            bearer: ATTBearer(maximumMTU: maximumMTU, server: .attached),
            security: security
        )
        actions += perform(faults.connected(client, now: now), of: client, now: now)
        actions += runFirmware(now) { $0.connected(client, &$1) }
        return actions
            + perform(server.clientConnected(client, security: security(), identity: identity), now: now)
    }

    /// A client's link has ended.
    public mutating func disconnected(_ client: GATTServer.ClientID, now: Instant) -> [Action] {
        sessions[client] = nil
        faults.disconnected(client)
        delayed.removeAnswers(to: client)
        held?.removeAll { $0.client == client }
        let actions = server.clientDisconnected(client)
        delayed.removeReplies(unless: { server.awaits($0) })
        return perform(actions, now: now) + runFirmware(now) { $0.disconnected(client, &$1) }
    }

    /// Processes a PDU of a client.
    ///
    /// - Parameters:
    ///   - bytes: The PDU.
    ///   - client: The client.
    ///   - signature: The verdict on a signed write; `nil` if there is no key to check it with.
    ///   - now: The time.
    public mutating func pduReceived(
        _ bytes: [UInt8],
        from client: GATTServer.ClientID,
        signature: SignatureVerdict? = nil,
        now: Instant
    ) -> [Action] {
        guard let session = sessions[client], !session.isSilent else { return [] }
        if signature != nil, session.verdicts.count >= Self.maximumVerdicts { sessions[client]?.verdicts = [:] }
        if session.verdicts[bytes] != nil || signature != nil { sessions[client]?.verdicts[bytes] = signature }
        return perform(faults.received(bytes, from: client, server.database, now: now), of: client, now: now)
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
            actions += respond(slow.answer, to: slow.client, now: now)
        }
        while let reply = delayed.takeReply(now: now) {
            actions += perform(answer(reply), now: now)
        }
        while let later = faults.takeDue(now: now) {
            actions += perform([later.step], of: later.client, now: now)
        }
        for client in sessions.keys.sorted() {
            actions += perform(sessions[client]?.bearer.timerFired(now: now) ?? [], from: client, now: now)
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
        return (removed, held.flatMap { client, bytes in perform([.send(bytes)], of: client, now: now) })
    }

    /// Ends the pauses of faults: sends the held PDUs, and forgets the pauses.
    mutating func releaseFaults(now: Instant) -> [Action] {
        faults.release().flatMap { client, bytes in perform([.send(bytes)], of: client, now: now) }
    }

    /// Carries out the steps of the fault layer, until one of them ends the link.
    private mutating func perform(
        _ steps: [FaultLayer.Step],
        of client: GATTServer.ClientID,
        now: Instant
    ) -> [Action] {
        steps.flatMap { step -> [Action] in
            guard sessions[client]?.isSilent == false else { return [] }
            switch step {
            case .deliver(let bytes):
                if let verdict = sessions[client]?.verdicts.removeValue(forKey: bytes) {
                    return serveSigned(bytes, verdict, from: client, now: now)
                }
                let actions = sessions[client]?.bearer.pduReceived(bytes, now: now) ?? []
                return perform(actions, from: client, now: now)
            case .send(let bytes):
                return [.send(client, bytes)]
            case .refused(let request, let answer):
                let exchange = DeviceExchange(
                    client: client,
                    request: .request(request),
                    place: ATTClientPDU.request(request).handle.flatMap { server.database.place(of: $0) },
                    answer: .failure(answer)
                )
                return [.report(.exchanged(exchange))]
            case .hangUp(let reason):
                sessions[client]?.isSilent = true
                return [.hangUp(client, reason)]
            case .report(let rule):
                return [.report(.fault(client, rule))]
            }
        }
    }

    // MARK: - Bearers

    /// Carries out the actions of a bearer. Its PDUs pass the fault layer first.
    private mutating func perform(
        _ actions: [ATTBearer.Action],
        from client: GATTServer.ClientID,
        now: Instant
    ) -> [Action] {
        actions.flatMap { action -> [Action] in
            switch action {
            case .send(let bytes):
                guard sessions[client]?.isSilent == false else { return [] }
                return perform(faults.pduSent(bytes, to: client, server.database, now: now), of: client, now: now)
            case .serve(let pdu):
                return serve(pdu, to: client, now: now)
            case .indicationConfirmed:
                if let session = sessions[client], server.dependsOnSecurity(.confirmation, from: client) {
                    server.linkChanged(client, mtu: session.bearer.mtu, security: session.security())
                }
                return perform(server.confirmationReceived(from: client), now: now)
            case .indicationFailed:
                return perform(server.indicationFailed(to: client), now: now)
            case .close(let failure):
                // A device sends no requests, so the timeout is that of a confirmation. The device gives up the bearer.
                let unconfirmed: [Action] = failure == .timedOut ? [.report(.odd(client, .unconfirmedIndication))] : []
                return unconfirmed + [.hangUp(client, .remoteUserTerminatedConnection)]
            case .report(let diagnostic):
                return [.report(.odd(client, diagnostic))]
            case .completed, .received:
                return []
            }
        }
    }

    /// Passes a request or a command to the server. A command is reported at once, a request together with its answer.
    /// The bearer delivers one request at a time, so there is at most one to remember.
    private mutating func serve(_ pdu: ATTClientPDU, to client: GATTServer.ClientID, now: Instant) -> [Action] {
        guard let session = sessions[client] else { return [] }
        let place = pdu.handle.flatMap { server.database.place(of: $0) }
        var reported: [Action] = []
        if case .request(let request) = pdu {
            sessions[client]?.served = (request, place)
        } else {
            reported = [.report(.exchanged(DeviceExchange(client: client, request: pdu, place: place, answer: nil)))]
        }
        let isOfInterest = server.dependsOnSecurity(pdu, from: client)
        let security = isOfInterest ? session.security() : server.security(of: client)
        let actions = server.requestReceived(pdu, from: client, mtu: session.bearer.mtu, security: security)
        return reported + perform(actions, now: now)
    }

    /// Serves a signed write if its signature is right.
    private mutating func serveSigned(
        _ bytes: [UInt8],
        _ verdict: SignatureVerdict,
        from client: GATTServer.ClientID,
        now: Instant
    ) -> [Action] {
        guard let session = sessions[client], bytes.count <= Int(maximumMTU),
            let pdu = try? ATTClientPDU(decoding: bytes), case .command(.signedWrite(let write)) = pdu
        else { return perform(sessions[client]?.bearer.pduReceived(bytes, now: now) ?? [], from: client, now: now) }
        let place = server.database.place(of: write.handle)
        let exchange = DeviceExchange(client: client, request: pdu, place: place, answer: nil, signature: verdict)
        let reported = Action.report(.exchanged(exchange))
        guard case .valid(let isAuthenticated) = verdict else {
            return [reported, .report(.odd(client, .signatureRefused(write.handle, verdict)))]
        }
        let actions = server.signedWriteReceived(
            write,
            from: client,
            mtu: session.bearer.mtu,
            security: session.security(),
            isAuthenticated: isAuthenticated
        )
        return [reported] + perform(actions, now: now)
    }

    mutating func respond(_ answer: ATTAnswer, to client: GATTServer.ClientID, now: Instant) -> [Action] {
        guard held == nil else {
            held?.append((client, answer))
            return []
        }
        let served = sessions[client]?.served
        sessions[client]?.served = nil
        let actions = perform(sessions[client]?.bearer.respond(answer) ?? [], from: client, now: now)
        guard let (request, place) = served else { return actions }
        let exchange = DeviceExchange(client: client, request: .request(request), place: place, answer: answer)
        return [.report(.exchanged(exchange))] + actions
    }

    // MARK: - Server

    private mutating func perform(_ actions: [GATTServer.Action], now: Instant) -> [Action] {
        actions.flatMap { perform($0, now: now) }
    }

    /// Carries out an action of the server. Answers wait for the device's latency, if it has one.
    private mutating func perform(_ action: GATTServer.Action, now: Instant) -> [Action] {
        switch action {
        case .respond(let client, let answer):
            guard latency > .zero else { return respond(answer, to: client, now: now) }
            delayed.add(DelayedAnswers.SlowAnswer(due: now + latency, client: client, answer: answer))
            return []
        case .notify(let client, let pdu):
            let actions = try? sessions[client]?.bearer.submitNotification(pdu)
            return perform(actions ?? [], from: client, now: now)
        case .notifySeveral(let client, let pdu):
            let actions = try? sessions[client]?.bearer.submitNotification(pdu)
            return perform(actions ?? [], from: client, now: now)
        case .indicate(let client, let indication):
            lastIndication += 1
            let id = ATTTransactionID(rawValue: lastIndication)
            let actions = sessions[client]?.bearer.submitIndication(indication, id: id, now: now) ?? []
            return perform(actions, from: client, now: now)
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
        case .indicationConfirmed, .indicationDropped:
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
        for (client, session) in sessions { server.mtuChanged(client, to: session.bearer.mtu) }
        for client in server.guardedSubscribers(of: handle) {
            guard let session = sessions[client] else { continue }
            server.linkChanged(client, mtu: session.bearer.mtu, security: session.security())
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
            let room = Int(sessions.values.map(\.bearer.mtu).min() ?? 23) - 3
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
            return perform(server.replaceDatabase(with: new), now: now)
        case .reply(let reply):
            guard reply.due > now else { return perform(answer(reply), now: now) }
            if server.awaits(reply.question) { delayed.add(reply) }
            return []
        case .hangUp:
            // Nothing more is sent on the links.
            return sessions.keys.sorted().map { client in
                sessions[client]?.isSilent = true
                return .hangUp(client, .remoteUserTerminatedConnection)
            }
        case .leave(let time):
            return sessions.keys.sorted().map { client in
                sessions[client]?.isSilent = true
                return .hangUp(client, .connectionTimeout)
            } + [.report(.left(for: time))]
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
