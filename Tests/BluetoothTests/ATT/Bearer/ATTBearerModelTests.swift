// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@Suite("Any sequence of events on a bearer")
struct ATTBearerModelTests {
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func theInvariantsHold(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for run in 0..<25 {
            var model = BearerModel(
                server: run.isMultiple(of: 2) ? .attached : .none,
                label: "seed \(seed), run \(run)"
            )
            for _ in 0..<Int.random(in: 1...250, using: &generator) { model.step(&generator) }
            model.finish()
            if !model.problems.isEmpty {
                Issue.record("\(model.label): \(model.problems.joined(separator: "; "))\n\(model.log())")
                return
            }
        }
    }
}

/// A bearer together with a simple model, which predicts its behaviour.
private struct BearerModel {
    private struct OnTheWire {
        let id: ATTTransactionID
        let opcode: ATTOpcode
        let response: ATTOpcode
        let deadline: Instant
        var isAbandoned = false
    }

    let label: String
    private(set) var problems: [String] = []
    private var bearer: ATTBearer
    private let server: ATTBearer.Server
    private var now = Instant.zero
    private var nextID: UInt64 = 1
    private var completions: [ATTTransactionID: Int] = [:]
    /// The requests that were submitted and are neither sent nor completed, in order.
    private var requestLine: [(id: ATTTransactionID, bytes: [UInt8])] = []
    private var indicationLine: [(id: ATTTransactionID, bytes: [UInt8])] = []
    private var request: OnTheWire?
    private var indication: OnTheWire?
    /// The number of the peer's requests without an answer, and of its indications without a confirmation.
    private var owedAnswers = 0
    private var owedConfirmations = 0
    private var isClosed = false
    private var events: [String] = []

    init(server: ATTBearer.Server, label: String) {
        bearer = ATTBearer(maximumMTU: 100, server: server)
        self.server = server
        self.label = label
    }

    func log() -> String { events.suffix(30).joined(separator: "\n") }

    private mutating func fail(_ problem: String) { problems.append("event \(events.count): \(problem)") }

    // MARK: - Events

    mutating func step(_ generator: inout SeededGenerator) {
        guard problems.isEmpty else { return }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<20: submitRequest(&generator)
        case 20..<26: submitIndication(&generator)
        case 26..<32: cancel(&generator)
        case 32..<34: push()
        case 34..<54: answer(&generator)
        case 54..<60: receive(hex: "1E", "confirmation")
        case 60..<72: receive(peerPDU(&generator), "peer")
        case 72..<75: receive(generator.octets(upTo: 30), "random")
        case 75..<85: respond(&generator)
        case 85..<92:
            now = now + .milliseconds(Int.random(in: 0...4000, using: &generator))
        case 92..<98:
            events.append("timer at \(now)")
            observe(bearer.timerFired(now: now))
        case 98 where Int.random(in: 0..<8, using: &generator) == 0: close(&generator)
        default:
            // Just before the deadline the timer must have no effect.
            guard let deadline = bearer.nextDeadline, deadline > now else { return }
            let before = deadline + .nanoseconds(-1)
            if bearer.timerFired(now: before) != [] { fail("fired before its deadline") }
        }
    }

    mutating func finish() {
        events.append("channel closed")
        isClosed = true
        observe(bearer.channelClosed())
        for (id, count) in completions where count != 1 { fail("\(id) was completed \(count) times") }
        if bearer.nextDeadline != nil { fail("a deadline is left") }
    }

    private mutating func newID() -> ATTTransactionID {
        defer { nextID += 1 }
        let id = ATTTransactionID(rawValue: nextID)
        completions[id] = 0
        return id
    }

    private mutating func submitRequest(_ generator: inout SeededGenerator) {
        let id = newID()
        let value = [UInt8](repeating: 7, count: Int.random(in: 0...120, using: &generator))
        let choices: [ATTRequest] = [
            .reading(0x0001), .writing(0x0002, value), .discovering, .offeringMTU(100),
            .readByType(ReadByTypeRequest(range: .all, attributeType: 0x2A19)),
        ]
        let request = choices.randomElement(using: &generator) ?? .discovering
        events.append("submit \(id.rawValue): \(request)")
        requestLine.append((id, request.encoded()))
        observe(bearer.submit(request, id: id, now: now))
    }

    private mutating func submitIndication(_ generator: inout SeededGenerator) {
        let id = newID()
        let value = [UInt8](repeating: 7, count: Int.random(in: 0...30, using: &generator))
        let indication = HandleValueIndication(handle: 0x0003, value: value)
        events.append("submit \(id.rawValue): \(indication)")
        indicationLine.append((id, indication.encoded()))
        observe(bearer.submitIndication(indication, id: id, now: now))
    }

    private mutating func cancel(_ generator: inout SeededGenerator) {
        let id = ATTTransactionID(rawValue: UInt64.random(in: nextID - min(nextID, 6)...nextID, using: &generator))
        events.append("cancel \(id.rawValue)")
        let waits = completions[id] == 0
        let actions = bearer.cancel(id)
        if actions.count != (waits ? 1 : 0) { fail("cancel gave \(actions)") }
        observe(actions)
    }

    private mutating func push() {
        events.append("notify")
        do {
            let notification = HandleValueNotification(handle: 0x0003, value: [1])
            let actions = try bearer.submitNotification(notification)
            if actions != [.send(notification.encoded())] || isClosed { fail("notification gave \(actions)") }
        } catch {
            if !isClosed || error != .closed { fail("notification failed: \(error)") }
        }
    }

    /// An answer to the outstanding request: correct, wrong, malformed, repeated or late.
    private mutating func answer(_ generator: inout SeededGenerator) {
        let opcode = request?.opcode ?? .readRequest
        let response = request?.response ?? .readResponse
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<9:
            receive(
                [response.rawValue] + [0x06, 0x01, 0x00, 0x02, 0x00, 0x0F, 0x18].prefix(body(of: response)),
                "answer"
            )
        case 9..<14: receive([0x01, opcode.rawValue, 0x01, 0x00, 0x0A], "error")
        case 14: receive([0x01, 0x00, 0x00, 0x00, 0x00], "nameless error")
        case 15: receive([0x01, 0x08, 0x01, 0x00, 0x0A], "maybe late error")
        case 16: receive(hex: "03 6400", "MTU response")
        case 17: receive([response.rawValue] + generator.octets(upTo: 120), "odd answer")
        case 18 where Int.random(in: 0..<4, using: &generator) == 0: receive(hex: "19", "wrong answer")
        default: receive([0x01], "truncated error")
        }
    }

    private func body(of response: ATTOpcode) -> Int {
        switch response {
        case .writeResponse: 0
        case .exchangeMTUResponse: 2
        default: 7
        }
    }

    private func peerPDU(_ generator: inout SeededGenerator) -> [UInt8] {
        let choices = [
            "0A 0100", "0A 0100", "12 0300 01", "02 4000", "08 0100 FFFF 192A", "BF 00", "0A 01", "52 0300 01",
            "D2 0300 01 000000000000000000000000", "FF", "1B 0300 07", "1B 03", "1D 0300 07", "1D", "", "23 0300 0000",
        ]
        return octets(choices.randomElement(using: &generator) ?? "")
    }

    private mutating func receive(hex: String, _ name: String) { receive(octets(hex), name) }

    private mutating func receive(_ bytes: [UInt8], _ name: String) {
        events.append("receive \(Hex.string(bytes)) (\(name)) at \(now)")
        if !isClosed, let first = bytes.first {
            switch ATTCatalog.format(of: ATTOpcode(first))?.kind {
            case .request: owedAnswers += 1
            case nil where !ATTOpcode(first).isCommand: owedAnswers += 1
            case .indication: owedConfirmations += 1
            case .command, .confirmation, .response, .notification, nil: break
            }
        }
        observe(bearer.pduReceived(bytes, now: now))
        if server == .none, owedAnswers != 0, !isClosed { fail("\(owedAnswers) requests of the peer have no answer") }
        if owedConfirmations != 0, !isClosed { fail("an indication was not confirmed") }
    }

    private mutating func respond(_ generator: inout SeededGenerator) {
        events.append("respond")
        let answers: [ATTAnswer] = [
            .success(.read(ReadResponse(value: [1]))), .success(.write(WriteResponse())),
            .failure(ATTErrorResponse(requestOpcode: .readRequest, handle: 0x0001, code: .unlikelyError)),
        ]
        observe(bearer.respond(answers[Int.random(in: 0..<answers.count, using: &generator)]))
    }

    private mutating func close(_ generator: inout SeededGenerator) {
        let isLocal = Bool.random(using: &generator)
        events.append(isLocal ? "close" : "channel closed")
        if !isLocal { isClosed = true }
        observe(isLocal ? bearer.close() : bearer.channelClosed())
    }

    // MARK: - Checking the actions

    private mutating func observe(_ actions: [ATTBearer.Action]) {
        events.append("  → \(actions)")
        for action in actions { observe(action) }
        if bearer.isClosed != isClosed { fail("closed: \(bearer.isClosed), should be \(isClosed)") }
        let deadline = isClosed ? nil : [request?.deadline, indication?.deadline].compactMap { $0 }.min()
        if bearer.nextDeadline != deadline {
            fail("next deadline \(String(describing: bearer.nextDeadline)), should be \(String(describing: deadline))")
        }
    }

    private mutating func observe(_ action: ATTBearer.Action) {
        switch action {
        case .send(let bytes): sent(bytes)
        case .completed(let id, let result):
            let isCancelled = result == .failure(.cancelled)
            ended(id, wasCancelled: isCancelled, on: \.request, line: \.requestLine)
        case .indicationConfirmed(let id):
            ended(id, wasCancelled: false, on: \.indication, line: \.indicationLine)
        case .indicationFailed(let id, let failure):
            ended(id, wasCancelled: failure == .cancelled, on: \.indication, line: \.indicationLine)
        case .report(.lateAnswer(.handleValueConfirmation)):
            if indication?.isAbandoned != true { fail("swallowed a confirmation that somebody waits for") }
            indication = nil
        case .report(.lateAnswer):
            if request?.isAbandoned != true { fail("swallowed an answer that somebody waits for") }
            request = nil
        case .report(.requestDropped): owedAnswers -= 1
        case .report: break
        case .received, .serve:
            if isClosed { fail("handed on after the end: \(action)") }
            if case .serve = action, server == .none { fail("handed to no server") }
        case .close:
            if isClosed { fail("closed twice") }
            isClosed = true
        }
    }

    private mutating func sent(_ bytes: [UInt8]) {
        if isClosed { fail("sent after the end") }
        if bytes.count > Int(bearer.mtu) { fail("sent \(bytes.count) octets, MTU \(bearer.mtu)") }
        let opcode = ATTOpcode(bytes.first ?? 0)
        switch ATTCatalog.format(of: opcode)?.kind {
        case .request(let response):
            if request != nil { fail("two requests on the wire") }
            guard let first = requestLine.first, first.bytes == bytes else { return fail("sent out of order") }
            requestLine.removeFirst()
            request = OnTheWire(id: first.id, opcode: opcode, response: response, deadline: now + .seconds(30))
        case .indication:
            if indication != nil { fail("two indications on the wire") }
            guard let first = indicationLine.first, first.bytes == bytes else { return fail("sent out of order") }
            indicationLine.removeFirst()
            indication = OnTheWire(id: first.id, opcode: opcode, response: opcode, deadline: now + .seconds(30))
        case .response:
            owedAnswers -= 1
            if owedAnswers < 0 { fail("answered what nobody asked") }
        case .confirmation:
            owedConfirmations -= 1
            if owedConfirmations < 0 { fail("confirmed what nobody indicated") }
        case .command, .notification, nil: fail("sent by itself: \(ATTPDU.describe(bytes))")
        }
    }

    private mutating func ended(
        _ id: ATTTransactionID,
        wasCancelled: Bool,
        on wire: WritableKeyPath<Self, OnTheWire?>,
        line: WritableKeyPath<Self, [(id: ATTTransactionID, bytes: [UInt8])]>
    ) {
        completions[id, default: 100] += 1
        if completions[id] != 1 { fail("\(id.rawValue) was completed again") }
        if self[keyPath: wire]?.id == id {
            if wasCancelled {
                self[keyPath: wire]?.isAbandoned = true
            } else {
                self[keyPath: wire] = nil
            }
        } else if let index = self[keyPath: line].firstIndex(where: { $0.id == id }) {
            self[keyPath: line].remove(at: index)
        } else {
            fail("\(id.rawValue) ended, but was neither in line nor on the wire")
        }
    }
}
