// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// A device as its links see it: a bearer for each, the GATT server behind them, the firmware behind that, and its faults.
///
/// A pure machine: PDUs and the passing of time go in, PDUs come out.
struct DeviceMachine: Sendable {
    /// What is to be done after an event.
    enum Action: Sendable, Equatable {
        /// Send a PDU to a client.
        case send(GATTServer.ClientID, [UInt8])
        /// End a client's link.
        case hangUp(GATTServer.ClientID, HCIStatus)
        /// Tell, who wants to know, what was asked and answered.
        case exchanged(DeviceExchange)
    }

    /// One link.
    private struct Session: Sendable {
        var bearer: ATTBearer
        /// The request that the server has.
        var served: ATTRequest?
        /// How many PDUs came.
        var received = 0
        var isSilent = false
        /// When the link breaks by itself.
        var lapses: Instant?
    }

    /// An answer that a slow device still thinks about.
    private struct SlowAnswer: Sendable {
        let due: Instant
        let client: GATTServer.ClientID
        let answer: ATTAnswer
    }

    private var server: GATTServer
    private var firmware: any DeviceFirmware
    private let faults: DeviceFaults
    private let maximumMTU: UInt16
    private var sessions: [GATTServer.ClientID: Session] = [:]
    private var slowAnswers: [SlowAnswer] = []
    private var random: SeededGenerator
    private var timer: Instant?
    private var isStarted = false
    private var lastIndication: UInt64 = 0

    init(_ device: DeviceDefinition) {
        var configuration = GATTServer.Configuration()
        configuration.maximumMTU = device.maximumMTU
        server = GATTServer(database: device.database, configuration: configuration)
        firmware = device.firmware
        faults = device.faults
        maximumMTU = device.maximumMTU
        random = device.random
    }

    /// The MTU of a client's link: 23 until it was exchanged.
    func mtu(of client: GATTServer.ClientID) -> UInt16 { sessions[client]?.bearer.mtu ?? 23 }

    /// When `timerFired` has to be called next; never while nobody is connected.
    var nextDeadline: Instant? {
        guard !sessions.isEmpty else { return nil }
        let bearers = sessions.values.compactMap(\.bearer.nextDeadline).min()
        let lapse = sessions.values.compactMap(\.lapses).min()
        return [timer, slowAnswers.first?.due, bearers, lapse].compactMap { $0 }.min()
    }

    // MARK: - Events

    mutating func connected(_ client: GATTServer.ClientID, now: Instant) -> [Action] {
        var actions: [Action] = []
        if !isStarted {
            isStarted = true
            actions += runFirmware(now) { $0.started(&$1) }
        }
        sessions[client] = Session(
            bearer: ATTBearer(maximumMTU: maximumMTU, server: .attached),
            lapses: faults.lapse.map { now + $0.after }
        )
        return actions + perform(server.clientConnected(client), now: now)
    }

    mutating func disconnected(_ client: GATTServer.ClientID, now: Instant) -> [Action] {
        sessions[client] = nil
        slowAnswers.removeAll { $0.client == client }
        return perform(server.clientDisconnected(client), now: now)
    }

    mutating func pduReceived(_ bytes: [UInt8], from client: GATTServer.ClientID, now: Instant) -> [Action] {
        guard var session = sessions[client] else { return [] }
        session.received += 1
        if let drop = faults.drop, session.received >= drop.pdu {
            session.isSilent = true
            sessions[client] = session
            return [.hangUp(client, drop.reason)]
        }
        if let first = faults.silentFromPDU, session.received >= first { session.isSilent = true }
        guard !session.isSilent else {
            sessions[client] = session
            return []
        }
        let actions = session.bearer.pduReceived(bytes, now: now)
        sessions[client] = session
        return perform(actions, from: client, now: now)
    }

    mutating func timerFired(now: Instant) -> [Action] {
        guard !sessions.isEmpty else { return [] }
        var actions: [Action] = []
        while let first = slowAnswers.first, first.due <= now {
            slowAnswers.removeFirst()
            actions += respond(first.answer, to: first.client, now: now)
        }
        for client in sessions.keys.sorted() {
            actions += perform(sessions[client]?.bearer.timerFired(now: now) ?? [], from: client, now: now)
        }
        if let moment = timer, moment <= now {
            timer = nil
            actions += runFirmware(now) { $0.timerFired(&$1) }
        }
        return actions + lapse(now)
    }

    // MARK: - Bearers

    private mutating func perform(
        _ actions: [ATTBearer.Action],
        from client: GATTServer.ClientID,
        now: Instant
    ) -> [Action] {
        actions.flatMap { action -> [Action] in
            switch action {
            case .send(let bytes):
                return sessions[client]?.isSilent == false ? [.send(client, bytes)] : []
            case .serve(let pdu):
                let told = note(pdu, from: client)
                let mtu = mtu(of: client)
                return told + perform(server.requestReceived(pdu, from: client, mtu: mtu, security: .none), now: now)
            case .indicationConfirmed:
                return perform(server.confirmationReceived(from: client), now: now)
            case .close:
                // A device that gives a bearer up hangs up.
                return [.hangUp(client, .remoteUserTerminatedConnection)]
            case .completed, .indicationFailed, .received, .report:
                return []
            }
        }
    }

    private mutating func respond(_ answer: ATTAnswer, to client: GATTServer.ClientID, now: Instant) -> [Action] {
        let request = sessions[client]?.served
        sessions[client]?.served = nil
        let actions = perform(sessions[client]?.bearer.respond(answer) ?? [], from: client, now: now)
        guard let request else { return actions }
        return [.exchanged(DeviceExchange(client: client, request: .request(request), answer: answer))] + actions
    }

    /// A command is told at once; a request, which the bearer hands out one at a time, with its answer.
    private mutating func note(_ pdu: ATTClientPDU, from client: GATTServer.ClientID) -> [Action] {
        guard case .request(let request) = pdu else {
            return [.exchanged(DeviceExchange(client: client, request: pdu, answer: nil))]
        }
        sessions[client]?.served = request
        return []
    }

    // MARK: - Server

    private mutating func perform(_ actions: [GATTServer.Action], now: Instant) -> [Action] {
        actions.flatMap { perform($0, now: now) }
    }

    private mutating func perform(_ action: GATTServer.Action, now: Instant) -> [Action] {
        switch action {
        case .respond(let client, let pdu):
            guard let answer = ATTAnswer(pdu) else { return [] }
            guard faults.answerDelay > .zero else { return respond(answer, to: client, now: now) }
            slowAnswers.append(SlowAnswer(due: now + faults.answerDelay, client: client, answer: answer))
            return []
        case .notify(let client, let pdu):
            return notify(client, pdu, now: now)
        case .indicate(let client, .indication(let indication)):
            lastIndication += 1
            let id = ATTTransactionID(rawValue: lastIndication)
            let actions = sessions[client]?.bearer.submitIndication(indication, id: id, now: now) ?? []
            return perform(actions, from: client, now: now)
        case .read(let token, let request):
            return runFirmware(now) { firmware, context in
                firmware.read(request, &context)
            } then: { machine, answer in
                switch answer {
                case .answer(let value): machine.server.readAnswered(token, .success(value))
                case .refuse(let code): machine.server.readAnswered(token, .failure(ATTRefusal(code)))
                case .silence: []
                }
            }
        case .write(let token, let request):
            return runFirmware(now) { firmware, context in
                firmware.write(request, &context)
            } then: { machine, answer in
                switch answer {
                case .answer: machine.server.writeAnswered(token, nil)
                case .refuse(let code): machine.server.writeAnswered(token, ATTRefusal(code))
                case .silence: []
                }
            }
        case .valueWritten(_, let handle):
            return runFirmware(now) { $0.valueWritten(handle, &$1) }
        case .subscriptionChanged(let client, let handle, let configuration):
            return runFirmware(now) { $0.subscriptionChanged(client, handle, configuration, &$1) }
        case .indicate, .indicationConfirmed, .indicationDropped:
            return []
        }
    }

    private mutating func notify(_ client: GATTServer.ClientID, _ pdu: ATTServerPDU, now: Instant) -> [Action] {
        let actions: [ATTBearer.Action]?
        switch pdu {
        case .notification(let notification):
            actions = try? sessions[client]?.bearer.submitNotification(notification)
        case .multipleNotification(let notification):
            actions = try? sessions[client]?.bearer.submitNotification(notification)
        case .response, .error, .indication, .unknown:
            actions = nil
        }
        return perform(actions ?? [], from: client, now: now)
    }

    // MARK: - Firmware

    private mutating func runFirmware(
        _ now: Instant,
        _ event: (inout any DeviceFirmware, inout DeviceContext) -> Void
    ) -> [Action] {
        runFirmware(now, event) { _, _ in [] }
    }

    /// Runs the firmware, answers the client, and then carries out what the firmware did.
    private mutating func runFirmware<Answer>(
        _ now: Instant,
        _ event: (inout any DeviceFirmware, inout DeviceContext) -> Answer,
        then: (inout DeviceMachine, Answer) -> [GATTServer.Action]
    ) -> [Action] {
        var context = DeviceContext(now: now, database: server.database, random: random, timer: timer)
        let answer = event(&firmware, &context)
        random = context.random
        timer = context.timer
        var actions = perform(then(&self, answer), now: now)
        for effect in context.effects {
            switch effect {
            case .notify(let value, let handle): actions += perform(server.notify(value, of: handle), now: now)
            case .setValue(let value, let handle): server.setValue(value, of: handle)
            case .replaceDatabase(let new): actions += perform(server.replaceDatabase(with: new), now: now)
            case .hangUp: actions += hangUp()
            }
        }
        return actions
    }
}

extension DeviceMachine {
    /// Breaks the links whose time is up.
    private mutating func lapse(_ now: Instant) -> [Action] {
        sessions.keys.sorted().compactMap { client in
            guard let reason = faults.lapse?.reason, let due = sessions[client]?.lapses, due <= now else { return nil }
            sessions[client]?.lapses = nil
            sessions[client]?.isSilent = true
            return .hangUp(client, reason)
        }
    }

    /// Ends all links; nothing more is sent on them.
    private mutating func hangUp() -> [Action] {
        sessions.keys.sorted().map { client in
            sessions[client]?.isSilent = true
            return .hangUp(client, .remoteUserTerminatedConnection)
        }
    }
}

extension ATTAnswer {
    /// The answer in a server's PDU; `nil` where it is none.
    fileprivate init?(_ pdu: ATTServerPDU) {
        switch pdu {
        case .response(let response): self = .success(response)
        case .error(let error): self = .failure(error)
        case .notification, .indication, .multipleNotification, .unknown: return nil
        }
    }
}
