// SPDX-License-Identifier: GPL-2.0-or-later

@testable import Bluetooth

/// Procedures, one after the other on one bearer, against a peer whose answers are the input's to choose. The first octets
/// choose the procedures; each step says what happens when a request was sent: the right answer of a real server, that
/// answer with some octets changed, other octets, something unasked before it, silence, or a caller that gives up.
/// When the steps are used up, the peer answers as it should.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let settings = input.octet()
    let choices = [input.octet(), input.octet(), input.octet()]
    var host = Host(input, maximumMTU: settings & 0x01 == 0 ? 517 : 23)
    if settings & 0x02 != 0 { host.run(MTUExchange(offering: 517)) }
    for choice in choices { host.run(choice: choice, argument: settings) }
    host.finish()
}

private struct Host {
    private var input: FuzzInput
    private var bearer: ATTBearer
    private var peer = Peer()
    private var now = Instant.zero
    private var lastID: UInt64 = 0
    private var waiting: Set<ATTTransactionID> = []
    private var results: [ATTTransactionID: Result<ATTResponse, ATTFailure>] = [:]
    /// Whether a request is on the wire.
    private var isWaiting = false
    /// The last requests that the peer has not answered as it should.
    private var unanswered: [[UInt8]] = []
    private var bound = Bound(0x2_0000, "the client")

    init(_ input: FuzzInput, maximumMTU: UInt16) {
        self.input = input
        bearer = ATTBearer(maximumMTU: maximumMTU)
    }

    mutating func run(choice: UInt8, argument: UInt8) {
        let handle = Handle(UInt16(choice >> 4) * 3 + 1)
        let range = argument & 0x04 == 0 ? HandleRange.all : HandleRange(handle, 0x0040)
        let extent: DiscoveryExtent = argument & 0x08 == 0 ? .all : .firstAnswer
        let uuid: BluetoothUUID? = argument & 0x10 == 0 ? nil : 0x2902
        let value = [UInt8](repeating: argument, count: Int(argument) * 2)
        switch choice & 0x0F {
        case 0: run(DiscoverServices(primary: argument & 0x20 == 0, in: range))
        case 1: run(DiscoverServicesByUUID(0x180D, in: range, extent))
        case 2: run(DiscoverIncludedServices(in: range))
        case 3: run(DiscoverCharacteristics(in: range, uuid: uuid, extent))
        case 4: run(DiscoverDescriptors(in: range, uuid: uuid, extent))
        case 5: run(ReadValue(handle))
        case 6: run(ReadByUUID(0x2A00, in: range, argument & 0x20 == 0 ? .firstAnswer : .all))
        case 7: run(ReadLongValue(handle), value: \.value)
        case 8: run(ReadMultipleValues([handle, 0x0003, 0x0005]))
        case 9: run(ReadVariableValues([handle, 0x0003, 0x0005]))
        case 10: run(WriteValue(Array(value.prefix(20)), to: handle))
        case 11: run(WriteLongValue(value, to: handle))
        case 12: run(ReliableWrite([HandleValue(handle, value), HandleValue(0x0003, [1, 2, 3])]))
        case 13: run(MTUExchange(offering: 517))
        case 14: run(ReadLongValue(handle, knowing: Array(repeating: 0, count: 22)), value: \.value)
        default: _ = try? WriteWithoutResponse(value, to: handle).command(mtu: bearer.mtu)
        }
    }

    private mutating func run(_ procedure: ReadLongValue, value: (GATTLongValue) -> [UInt8]) {
        guard let output = run(procedure) else { return }
        check(value(output).count <= GATTLimits.maximumValueLength, "a value beyond 512 octets")
    }

    /// Runs a procedure to its end, as a connection does.
    @discardableResult
    mutating func run<Procedure: GATTProcedure>(_ procedure: Procedure) -> Procedure.Output? {
        var procedure = procedure
        var step = procedure.start(mtu: bearer.mtu)
        var requests = 0
        while true {
            switch step {
            case .done(let output): return output
            case .failed(let error):
                _ = error.description
                return nil
            case .send(let request):
                requests += 1
                check(requests <= 0x1_0000, "more requests than there are handles")
                switch send(request) {
                case .success(let response): step = procedure.received(.success(response), mtu: bearer.mtu)
                case .failure(.errorResponse(let error)): step = procedure.received(.failure(error), mtu: bearer.mtu)
                case .failure:
                    if let request = procedure.abort(), !bearer.isClosed { _ = send(request) }
                    return nil
                }
            }
        }
    }

    // MARK: - Requests

    private mutating func send(_ request: ATTRequest) -> Result<ATTResponse, ATTFailure> {
        lastID += 1
        let id = ATTTransactionID(rawValue: lastID)
        waiting.insert(id)
        perform(bearer.submit(request, id: id, now: now))
        while true {
            bound.step()
            if let result = results.removeValue(forKey: id) { return result }
            guard let step = input.step() else {
                answerAll()
                if results[id] == nil { silence() }
                check(results[id] != nil, "\(request) has no end")
                continue
            }
            happen(step, id)
        }
    }

    private mutating func happen(_ step: FuzzInput.Step, _ id: ATTTransactionID) {
        switch step.kind & 0x07 {
        case 0: answerAll()
        case 1, 2: answer(mutatedBy: step.bytes)
        case 3:
            unanswered = []
            receive(step.bytes)
        case 4: receive(step.bytes)
        case 5: perform(bearer.cancel(id))
        case 6: silence()
        default:
            if let first = step.bytes.first, first & 0x07 == 0 {
                perform(bearer.channelClosed())
            } else {
                now = now + .milliseconds(Int64(step.bytes.first ?? 0) * 100)
                perform(bearer.timerFired(now: now))
            }
        }
    }

    /// Nothing more comes until the transaction times out.
    private mutating func silence() {
        guard let deadline = bearer.nextDeadline else { return }
        now = max(now, deadline)
        perform(bearer.timerFired(now: now))
        check(bearer.isClosed, "the bearer outlives its deadline")
    }

    private mutating func answerAll() {
        while !unanswered.isEmpty {
            bound.step()
            let request = unanswered.removeFirst()
            for answer in peer.answers(to: request) { receive(answer) }
        }
    }

    /// The right answer, changed: pairs of an index and an octet, and at last how many octets it loses or gains.
    private mutating func answer(mutatedBy changes: [UInt8]) {
        guard !unanswered.isEmpty else { return }
        for var answer in peer.answers(to: unanswered.removeFirst()) {
            var rest = changes[...]
            while !answer.isEmpty, rest.count >= 2, let index = rest.popFirst(), let octet = rest.popFirst() {
                answer[Int(index) % answer.count] = octet
            }
            if let last = rest.popFirst() {
                if last & 0x80 == 0 {
                    answer.removeLast(min(answer.count, Int(last & 0x1F)))
                } else {
                    answer += answer.suffix(Int(last & 0x3F))
                }
            }
            receive(answer)
        }
    }

    private mutating func receive(_ bytes: [UInt8]) { perform(bearer.pduReceived(bytes, now: now)) }

    private mutating func perform(_ actions: [ATTBearer.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes):
                check(bytes.count <= Int(bearer.mtu), "\(bytes.count) octets sent where \(bearer.mtu) are allowed")
                check((try? ATTPDU(decoding: bytes))?.encoded() == bytes, "sent what cannot be read: \(bytes)")
                if let opcode = bytes.first, case .request? = ATTCatalog.format(of: ATTOpcode(opcode))?.kind {
                    check(!isWaiting, "a request before the answer to the last one")
                    isWaiting = true
                    unanswered = unanswered.suffix(3) + [bytes]
                }
            case .completed(let id, let result):
                check(waiting.remove(id) != nil, "request \(id.rawValue) is completed twice")
                results[id] = result
                switch result {
                case .success, .failure(.errorResponse), .failure(.invalidResponse): isWaiting = false
                case .failure(let failure): _ = failure.description
                }
            case .received(let pdu):
                _ = pdu.description
            case .report(let diagnostic):
                if case .lateAnswer = diagnostic { isWaiting = false }
                check(!diagnostic.description.utf8.contains(UInt8(ascii: "\n")), "a line break in a trace")
            case .close(let failure): _ = failure.description
            case .serve, .indicationConfirmed, .indicationFailed: check(false, "\(action) of a client")
            }
        }
    }

    mutating func finish() {
        perform(bearer.channelClosed())
        check(waiting.isEmpty, "nobody told \(waiting.count) requests")
        check(bearer.nextDeadline == nil, "a closed bearer has a deadline")
    }
}

/// A server that answers as it should, at once.
private struct Peer {
    private var server = RichDatabase.server
    private var bearer = ATTBearer(maximumMTU: 517, server: .attached)
    private let client = GATTServer.ClientID(0)

    mutating func answers(to request: [UInt8]) -> [[UInt8]] { perform(bearer.pduReceived(request, now: .zero)) }

    private mutating func perform(_ actions: [ATTBearer.Action]) -> [[UInt8]] {
        var sent: [[UInt8]] = []
        for action in actions {
            switch action {
            case .send(let bytes): sent.append(bytes)
            case .serve(let pdu):
                sent += perform(server.requestReceived(pdu, from: client, mtu: bearer.mtu, security: .none))
            default: break
            }
        }
        return sent
    }

    private mutating func perform(_ actions: [GATTServer.Action]) -> [[UInt8]] {
        var sent: [[UInt8]] = []
        for action in actions {
            switch action {
            case .respond(_, .response(let response)): sent += perform(bearer.respond(.success(response)))
            case .respond(_, .error(let error)): sent += perform(bearer.respond(.failure(error)))
            case .read(let token, _): sent += perform(server.readAnswered(token, .success([1, 2, 3])))
            case .write(let token, _): sent += perform(server.writeAnswered(token, nil))
            default: break
            }
        }
        return sent
    }
}
