// SPDX-License-Identifier: MIT

import Bluetooth

/// The faults of a device between its channels and their bearers: the faults that a PDU meets on its way in and on its way
/// out.
///
/// A pure state machine. An error is sent in place of the device, which does not get the request. Every other fault on
/// an answer acts when the bearer sends the answer, so that the device behaves like one with a faulty radio or stack.
struct FaultLayer: Sendable {
    enum Step: Hashable, Sendable {
        /// The bearer gets it.
        case deliver([UInt8])
        /// The client gets it.
        case send([UInt8])
        /// A request was refused with this answer, in place of the device.
        case refused(ATTRequest, ATTErrorResponse)
        case hangUp(HCIStatus)
        case report(FaultRule)
    }

    struct Later: Hashable, Sendable {
        let due: Instant
        let bearer: GATTServer.BearerID
        let step: Step
        /// Whether a pause holds it.
        var isPaused = false
    }

    /// A request that the bearer has, and the fault of its answer.
    private struct Awaited: Sendable {
        let opcode: ATTOpcode
        var verdict: FaultMachine.Verdict?
    }

    /// What waits on a bearer.
    private struct Line: Sendable {
        var awaited: [Awaited] = []
        /// The PDUs to send after the next one.
        var postponed: [[UInt8]] = []
        /// The PDUs to send when the pause ends.
        var held: [[UInt8]] = []
    }

    /// The maximum number of awaited answers and of held PDUs, for each bearer, and of delayed steps, for the whole
    /// device. What exceeds a limit is lost.
    private static let limit = 1_024

    /// The time between an answer and the end of the link after it: without it the answer would be lost with the link.
    static let farewell = Duration.milliseconds(100)

    private(set) var machine: FaultMachine
    private let labels: [String: DeviceLayout.Identity]
    private var lines: [GATTServer.BearerID: Line] = [:]
    /// The steps that happen later, the first one first.
    private var later: [Later] = []

    init(_ rules: [FaultRule], labels: [String: DeviceLayout.Identity], random: SeededGenerator) {
        // A simulated radio has a machine of its own for the other rules.
        machine = FaultMachine(rules.filter { !$0.isOfRadio }, random: random)
        self.labels = labels
    }

    /// The moment of the next call of `takeDue`.
    var nextDeadline: Instant? { later.first?.due }

    /// How much waits: PDUs and steps.
    var heldCount: Int {
        lines.values.reduce(later.count) { $0 + max($1.awaited.count, $1.held.count, $1.postponed.count) }
    }

    /// How many requests have not reached the bearer yet, and how many responses are held back.
    var waitingRequests: Int {
        let isResponse = { (pdu: [UInt8]) in
            ![HandleValueNotification.opcode, HandleValueIndication.opcode, MultipleHandleValueNotification.opcode]
                .contains { $0.rawValue == pdu.first }
        }
        let delayed = later.count { later in
            switch later.step {
            // A command has no answer.
            case .deliver(let pdu): if case .request? = try? ATTClientPDU(decoding: pdu) { true } else { false }
            case .send(let pdu): isResponse(pdu)
            // The answer to a refused request is a step of its own. The end of a link that a fault has announced is not
            // a request without an answer.
            case .refused, .hangUp, .report: false
            }
        }
        return lines.values.reduce(delayed) { $0 + $1.held.count(where: isResponse) }
    }

    // MARK: - Rules

    /// Adds a rule while the device runs.
    mutating func add(_ rule: FaultRule) {
        if !rule.isOfRadio { machine.add(rule) }
    }

    /// Takes a rule away, or all. Returns the PDUs that no rule holds back any more.
    mutating func remove(
        _ rule: FaultRule?
    ) -> (removed: [(rule: FaultRule, hasActed: Bool)], held: [(GATTServer.BearerID, [UInt8])]) {
        (machine.remove(rule), freed())
    }

    /// Ends all pauses. Returns the held PDUs.
    mutating func release() -> [(GATTServer.BearerID, [UInt8])] {
        machine.release()
        return freed()
    }

    /// Takes out what the rules that are left do not hold back, and the faults of answers to come by rules that are gone.
    private mutating func freed() -> [(GATTServer.BearerID, [UInt8])] {
        let rules = machine.rules.map(\.rule)
        let kinds = Set(rules.map(\.effect.kind))
        let (isPaused, isReordered) = (kinds.contains(.pause), kinds.contains(.reorder))
        var freed: [(GATTServer.BearerID, [UInt8])] = []
        if !isPaused {
            for waiting in later where waiting.isPaused {
                if case .send(let bytes) = waiting.step { freed.append((waiting.bearer, bytes)) }
            }
            later.removeAll(where: \.isPaused)
        }
        for bearer in lines.keys.sorted() {
            var line = lines[bearer] ?? Line()
            let waiting = (isPaused ? [] : line.held) + (isReordered ? [] : line.postponed)
            freed += waiting.map { (bearer, $0) }
            if !isPaused { line.held = [] }
            if !isReordered { line.postponed = [] }
            // Without rules, answers pass without a look at this list, whose entries would be taken for later requests.
            if rules.isEmpty { line.awaited = [] }
            for index in line.awaited.indices {
                guard let rule = line.awaited[index].verdict?.rule, !rules.contains(rule) else { continue }
                line.awaited[index].verdict = nil
            }
            lines[bearer] = line
        }
        return freed
    }

    // MARK: - Links

    mutating func connected(_ client: GATTServer.ClientID, now: Instant) -> [Step] {
        guard !machine.isEmpty, let verdict = machine.decide(.connect, of: client, now: now) else { return [] }
        guard case .drop(let drop) = verdict.effect else { return [] }
        return [.report(verdict.rule)] + end(client, drop, after: drop.delay, now: now)
    }

    mutating func disconnected(_ client: GATTServer.ClientID) {
        lines = lines.filter { $0.key.client != client }
        later.removeAll { $0.bearer.client == client }
        machine.disconnected(client)
    }

    /// A bearer has ended, and its link has not.
    mutating func closed(_ bearer: GATTServer.BearerID) {
        lines[bearer] = nil
        later.removeAll { $0.bearer == bearer }
    }

    /// Ends a link, at once or later.
    private mutating func end(
        _ client: GATTServer.ClientID,
        _ drop: FaultEffect.Drop,
        after delay: Duration,
        now: Instant
    ) -> [Step] {
        guard delay > .zero else { return [.hangUp(drop.reason)] }
        // On the bearer that lasts as long as the link.
        postpone(.hangUp(drop.reason), GATTServer.BearerID(client), until: now + delay)
        return []
    }

    // MARK: - Time

    private mutating func postpone(
        _ step: Step,
        _ bearer: GATTServer.BearerID,
        until due: Instant,
        isPaused: Bool = false
    ) {
        guard later.count < Self.limit else { return }
        let new = Later(due: due, bearer: bearer, step: step, isPaused: isPaused)
        later.insert(new, at: later.firstIndex { $0.due > due } ?? later.count)
    }

    mutating func takeDue(now: Instant) -> Later? {
        guard let first = later.first, first.due <= now else { return nil }
        return later.removeFirst()
    }

    // MARK: - On the way in

    mutating func received(
        _ bytes: [UInt8],
        from bearer: GATTServer.BearerID,
        _ database: GATTDatabase,
        now: Instant
    ) -> [Step] {
        guard !machine.isEmpty, let pdu = try? ATTClientPDU(decoding: bytes) else { return [.deliver(bytes)] }
        guard let operation = FaultRule.Operation(pdu, database) else { return [.deliver(bytes)] }
        let isAnswered = if case .command = pdu { false } else { true }
        let verdict = machine.decide(operation, of: bearer.client, now: now, isAnswered: isAnswered) { target in
            FaultConcern(pdu: pdu, operation: operation, database: database, labels: labels).includes(target)
        }
        let reports = verdict.map { [Step.report($0.rule)] } ?? []
        switch pdu {
        case .request(let request): return reports + receive(request, bytes, bearer, verdict, database, now: now)
        case .command: return reports + receive(command: bytes, bearer, verdict, now: now)
        case .confirmation, .unknown: return [.deliver(bytes)]
        }
    }

    /// Applies a fault to a request. Faults on the answer are noted with the request, because they act when the
    /// bearer sends it.
    private mutating func receive(
        _ request: ATTRequest,
        _ bytes: [UInt8],
        _ bearer: GATTServer.BearerID,
        _ verdict: FaultMachine.Verdict?,
        _ database: GATTDatabase,
        now: Instant
    ) -> [Step] {
        switch verdict?.effect {
        case .error(let code, let delay):
            let code = code.map { ATTErrorCode($0) } ?? .unlikelyError
            let answer = request.refused(code, at: request.firstFound(in: database))
            let steps = [Step.refused(request, answer), .send(answer.encoded())]
            guard delay > .zero else { return steps }
            for step in steps { postpone(step, bearer, until: now + delay) }
            return []
        case .lose:
            return []
        case .drop(let drop) where drop.moment == .before:
            return end(bearer.client, drop, after: drop.delay, now: now)
        default:
            var line = lines[bearer] ?? Line()
            // A client that sends requests without waiting for answers would make the list grow without end.
            if line.awaited.count >= Self.limit { line.awaited.removeFirst() }
            line.awaited.append(Awaited(opcode: request.opcode, verdict: verdict))
            lines[bearer] = line
            return [.deliver(bytes)]
        }
    }

    /// Applies a fault to a command. It has no answer, so only faults on its arrival have an effect.
    private mutating func receive(
        command bytes: [UInt8],
        _ bearer: GATTServer.BearerID,
        _ verdict: FaultMachine.Verdict?,
        now: Instant
    ) -> [Step] {
        switch verdict?.effect {
        case .error, .lose:
            return []
        case .duplicate:
            return [.deliver(bytes), .deliver(bytes)]
        case .delay(let delay):
            postpone(.deliver(bytes), bearer, until: now + delay)
            return []
        case .drop(let drop):
            let arrived = drop.moment == .after ? [Step.deliver(bytes)] : []
            return arrived + end(bearer.client, drop, after: drop.delay, now: now)
        case .noAnswer, .wrongOpcode, .truncate, .oversize, .reorder, .pause, .report, nil:
            return [.deliver(bytes)]
        }
    }

    // MARK: - On the way out

    mutating func pduSent(
        _ bytes: [UInt8],
        to bearer: GATTServer.BearerID,
        _ database: GATTDatabase,
        now: Instant
    ) -> [Step] {
        guard !machine.isEmpty, let pdu = try? ATTServerPDU(decoding: bytes) else { return [.send(bytes)] }
        if let (handles, isIndication) = pdu.update {
            let verdict = machine.decide(isIndication ? .indicate : .notify, of: bearer.client, now: now) { target in
                FaultConcern.handles(of: target, database, labels).contains { handles.contains($0) }
            }
            return (verdict.map { [.report($0.rule)] } ?? []) + send(bytes, to: bearer, verdict, now: now)
        }
        let verdict = pdu.answeredRequest.flatMap { takeVerdict(on: $0, of: bearer) }
        return send(bytes, to: bearer, verdict, now: now)
    }

    /// The fault of the answer to the first request with that opcode. Requests before it got none.
    private mutating func takeVerdict(on opcode: ATTOpcode, of bearer: GATTServer.BearerID) -> FaultMachine.Verdict? {
        guard let index = lines[bearer]?.awaited.firstIndex(where: { $0.opcode == opcode }) else { return nil }
        defer { lines[bearer]?.awaited.removeFirst(index + 1) }
        return lines[bearer]?.awaited[index].verdict
    }

    /// Applies a fault to an answer or to a value that the device sends.
    private mutating func send(
        _ bytes: [UInt8],
        to bearer: GATTServer.BearerID,
        _ verdict: FaultMachine.Verdict?,
        now: Instant
    ) -> [Step] {
        switch verdict?.effect {
        case nil, .error, .report:
            return transmit([bytes], to: bearer)
        case .wrongOpcode, .truncate, .oversize:
            return transmit([verdict?.effect.damage(bytes) ?? bytes], to: bearer)
        case .duplicate:
            return transmit([bytes, bytes], to: bearer)
        case .noAnswer, .lose:
            return []
        case .delay(let delay):
            postpone(.send(bytes), bearer, until: now + delay)
            return []
        case .pause:
            if let end = verdict?.pauseEnd {
                postpone(.send(bytes), bearer, until: end, isPaused: true)
            } else {
                Self.keep(bytes, in: &lines[bearer, default: Line()].held)
            }
            return []
        case .reorder:
            Self.keep(bytes, in: &lines[bearer, default: Line()].postponed)
            return []
        case .drop(let drop):
            switch drop.moment {
            case .before: return end(bearer.client, drop, after: drop.delay, now: now)
            case .after:
                return transmit([bytes], to: bearer) + end(bearer.client, drop, after: farewell(drop), now: now)
            }
        }
    }

    /// Appends a PDU to a list of a bearer, up to the limit. The bearer may have no entry before: a client that has sent no
    /// request since the first rule still gets updates.
    private static func keep(_ bytes: [UInt8], in list: inout [[UInt8]]) {
        if list.count < limit { list.append(bytes) }
    }

    private func farewell(_ drop: FaultEffect.Drop) -> Duration { max(drop.delay, Self.farewell) }

    /// Sends PDUs, and then those that were waiting for another one.
    private mutating func transmit(_ pdus: [[UInt8]], to bearer: GATTServer.BearerID) -> [Step] {
        let postponed = lines[bearer]?.postponed ?? []
        if !postponed.isEmpty { lines[bearer]?.postponed = [] }
        return (pdus + postponed).map { .send($0) }
    }
}

extension ATTRequest {
    /// The attribute that the error of a read by type is about: the first one that it finds. `nil` for discovery, and for
    /// other requests, which name it.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.4.1
    fileprivate func firstFound(in database: GATTDatabase) -> Handle? {
        guard case .readByType(let request) = self, !request.attributeType.isDeclaration else { return nil }
        return database.attributes(in: request.range).first { $0.type == request.attributeType }?.handle
    }
}
