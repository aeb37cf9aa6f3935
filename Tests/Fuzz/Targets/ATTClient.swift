// SPDX-License-Identifier: GPL-2.0-or-later

@testable import Bluetooth

/// Procedures, one after the other on one bearer, against a peer whose answers the input selects. The first octets
/// select the procedures. Each step decides what follows a request: the correct answer of a real server, that answer
/// with some octets changed, other octets, a PDU without a request before it, silence, or a cancellation. After the
/// last step, the peer answers correctly.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let settings = input.octet()
    let choices = (0..<1 + input.octet() % 8).map { _ in (input.octet(), input.octet()) }
    var host = Host(input, maximumMTU: settings & 0x01 == 0 ? 517 : 23)
    if settings & 0x02 != 0 { host.exchangeMTU() }
    for (choice, argument) in choices { host.run(choice: choice, argument: argument) }
    host.finish()
}

private struct Host {
    private var input: FuzzInput
    private var bearer: ATTBearer
    private var peer = HonestServer()
    private var known = DiscoveredDatabase()
    /// Whether the peer has followed the rules so far. Then the results of procedures must be correct.
    private var isHonest = true
    private var now = Instant.zero
    private var lastID: UInt64 = 0
    private var waiting: Set<ATTTransactionID> = []
    private var results: [ATTTransactionID: Result<ATTResponse, ATTFailure>] = [:]
    /// Whether a request is outstanding.
    private var isWaiting = false
    /// The number of the peer's requests without an answer.
    private var owed = 0
    /// The last requests that the peer has not answered correctly.
    private var unanswered: [[UInt8]] = []
    private var bound = Bound(0x2_0000, "the client")

    init(_ input: FuzzInput, maximumMTU: UInt16) {
        self.input = input
        bearer = ATTBearer(maximumMTU: maximumMTU)
    }

    // MARK: - Procedures

    mutating func run(choice: UInt8, argument: UInt8) {
        let handles = RichDatabase.database.attributes
        let handle = handles[Int(choice >> 4 | argument & 0x30) % handles.count].handle
        let range = argument & 0x04 == 0 ? HandleRange.all : HandleRange(handle, 0x0040)
        let extent: DiscoveryExtent = argument & 0x08 == 0 ? .all : .firstAnswer
        let uuid: BluetoothUUID? = argument & 0x40 == 0 ? nil : 0x2902
        let value = [UInt8](repeating: argument, count: Int(argument) * 2)
        switch choice & 0x0F {
        case 0: discoverServices(primary: argument & 0x40 == 0, in: range)
        case 1: expectRising(run(DiscoverServicesByUUID(0x180D, in: range, extent))?.map(\.range.start), in: range)
        case 2: expectRising(run(DiscoverIncludedServices(in: range))?.map(\.handle), in: range)
        case 3: expectRising(run(DiscoverCharacteristics(in: range, uuid: uuid, extent))?.map(\.declaration), in: range)
        case 4: expectRising(run(DiscoverDescriptors(in: range, uuid: uuid, extent))?.map(\.handle), in: range)
        case 5:
            let value = run(ReadValue(handle))?.value
            expect(value, at: handle, longest: Int(bearer.mtu) - 1)
        case 6:
            let values = run(ReadByUUID(0x2A00, in: range, argument & 0x40 == 0 ? .firstAnswer : .all))
            expectRising(values?.map(\.handle), in: range)
        case 7:
            let value = run(ReadLongValue(handle))?.value
            expect(value, at: handle, longest: GATTLimits.maximumValueLength)
        case 8: run(ReadMultipleValues([handle, 0x0003, 0x0005]))
        case 9: run(ReadVariableValues([handle, 0x0003, 0x0005]))
        case 10 where argument & 0x40 != 0:
            let configuration = RichDatabase.configurations[Int(choice >> 4) % RichDatabase.configurations.count]
            run(WriteValue([argument & 0x03, 0], to: configuration))
        case 10: write(Array(value.prefix(20)), to: handle) { WriteValue($0, to: handle) }
        case 11: write(value, to: handle) { WriteLongValue($0, to: handle) }
        case 12: run(ReliableWrite([HandleValue(handle, value), HandleValue(0x0003, [1, 2, 3])]))
        case 13: exchangeMTU()
        case 14:
            let whole = run(ReadLongValue(handle, knowing: Array(repeating: 0, count: 22)))?.value ?? []
            check(whole.count <= GATTLimits.maximumValueLength, "a value of \(whole.count) octets")
        case 15 where argument & 0x0F < 10: question(argument, handle)
        default: _ = try? WriteWithoutResponse(value, to: handle).command(mtu: bearer.mtu)
        }
    }

    /// Offers the size that the bearer can receive, like a connection.
    mutating func exchangeMTU() { run(MTUExchange(offering: bearer.maximumMTU)) }

    private mutating func discoverServices(primary isPrimary: Bool, in range: HandleRange) {
        guard let found = run(DiscoverServices(primary: isPrimary, in: range)) else { return }
        expectRising(found.map(\.range.start), in: range)
        guard isHonest else { return }
        let real = peer.server.database.services
            .filter { $0.isPrimary == isPrimary && range.contains($0.range.start) && range.contains($0.range.end) }
        check(real.allSatisfy(found.contains), "found \(found) of \(real)")
    }

    private mutating func write<Procedure: GATTProcedure>(
        _ value: [UInt8],
        to handle: Handle,
        _ procedure: ([UInt8]) -> Procedure
    ) {
        guard run(procedure(value)) != nil, isHonest else { return }
        guard let real = peer.server.database[handle]?.value else { return }
        check(real.starts(with: value), "\(value) was written and is \(real)")
    }

    // MARK: - Questions

    /// Asks the known database a question, which takes as many procedures as it needs.
    private mutating func question(_ argument: UInt8, _ handle: Handle) {
        let service = GATTService(uuid: 0x180D, range: HandleRange(handle, 0x0100), isPrimary: true)
        let index = Int(argument >> 4)
        switch argument & 0x0F {
        case 0: ask { database throws(DiscoveryStep) in _ = try database.allServices() }
        case 1: ask { database throws(DiscoveryStep) in _ = try database.service(0x180D, index) }
        case 2: ask { database throws(DiscoveryStep) in _ = try database.service(at: handle) }
        case 3: ask { database throws(DiscoveryStep) in _ = try database.includedServices(of: service) }
        case 4: ask { database throws(DiscoveryStep) in _ = try database.characteristics(in: service.range) }
        case 5: ask { database throws(DiscoveryStep) in _ = try database.characteristic(0x2A19, index, in: .all) }
        case 6: ask { database throws(DiscoveryStep) in _ = try database.characteristic(at: handle) }
        case 7, 8:
            ask { database throws(DiscoveryStep) in
                guard let characteristic = try database.characteristic(at: handle) else { return }
                _ = try database.descriptors(of: characteristic)
                _ = try database.descriptor(0x2902, index & 1, of: characteristic)
            }
        default:
            known.forget(HandleRange(handle, Handle(handle.rawValue &+ UInt16(index))))
            checkKnown()
        }
    }

    private mutating func ask(_ question: (DiscoveredDatabase) throws(DiscoveryStep) -> Void) {
        var steps = 0
        while true {
            do throws(DiscoveryStep) {
                return try question(known)
            } catch {
                steps += 1
                check(steps <= 0x1_0000, "a question without an answer")
                let before = known
                guard let finding = finding(of: error) else { return }
                known.learn(finding, from: error)
                check(known != before, "nothing was learned by \(error)")
                checkKnown()
            }
        }
    }

    private mutating func finding(of step: DiscoveryStep) -> DiscoveryFinding? {
        switch step {
        case .services(let isPrimary, let range):
            run(DiscoverServices(primary: isPrimary, in: range, .firstAnswer)).map { .services($0) }
        case .servicesByUUID(let uuid, let range):
            run(DiscoverServicesByUUID(uuid, in: range, .firstAnswer)).map { .services($0) }
        case .includes(let range): run(DiscoverIncludedServices(in: range, .firstAnswer)).map { .includes($0) }
        case .characteristics(let range):
            run(DiscoverCharacteristics(in: range, .firstAnswer)).map { .characteristics($0) }
        case .attributes(let range): run(FindAttributes(in: range, .firstAnswer)).map { .attributes($0) }
        }
    }

    /// Checks that the known database is ordered, and that it is true if the peer has followed the rules.
    private func checkKnown() {
        expectRising(known.services.map(\.range.start), in: .all)
        expectRising(known.includes.map(\.handle), in: .all)
        expectRising(known.declarations.map(\.declaration), in: .all)
        expectRising(known.attributes.map(\.handle), in: .all)
        guard isHonest else { return }
        let database = peer.server.database
        for attribute in known.attributes {
            let real = database[attribute.handle]?.type
            check(real == attribute.uuid, "\(attribute) is \(String(describing: real))")
        }
        check(known.services.allSatisfy(database.services.contains), "\(known.services)")
        let missed = database.services.first {
            $0.isPrimary && known.coverage.primaryServices.contains($0.range.start) && !known.services.contains($0)
        }
        check(missed == nil, "\(String(describing: missed)) was missed")
        let declared = known.declarations.map(\.declaration)
        for real in database.characteristics() where known.coverage.characteristics.contains(real.declaration) {
            check(declared.contains(real.declaration), "\(real) was missed")
        }
    }

    // MARK: - Invariants of results

    private func expect(_ value: [UInt8]?, at handle: Handle, longest: Int) {
        guard let value else { return }
        check(value.count <= max(longest, 516), "a value of \(value.count) octets")
        guard isHonest, let attribute = peer.server.database[handle] else { return }
        switch attribute.storage {
        case .fixed(let real), .stored(let real, _):
            check(value == Array(real.prefix(longest)), "\(handle) is \(real), not \(value)")
        case .handler: check(value == HonestServer.applicationValue, "\(value) from an application")
        case .clientConfiguration, .clientSupportedFeatures, .databaseHash: break
        }
    }

    /// Checks that found handles are in the requested range, in ascending order and without repetition.
    private func expectRising(_ handles: [Handle]?, in range: HandleRange) {
        guard let handles else { return }
        check(handles.allSatisfy(range.contains), "\(handles) outside of \(range)")
        check(zip(handles, handles.dropFirst()).allSatisfy { $0 < $1 }, "\(handles) do not rise")
    }

    /// Runs a procedure to its end, like a connection.
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
                    if let request = procedure.abort(), !bearer.isClosed { _ = send(request, mayCancel: false) }
                    return nil
                }
            }
        }
    }

    // MARK: - Requests

    private mutating func send(_ request: ATTRequest, mayCancel: Bool = true) -> Result<ATTResponse, ATTFailure> {
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
            happen(step, mayCancel ? id : nil)
        }
    }

    private mutating func happen(_ step: FuzzInput.Step, _ id: ATTTransactionID?) {
        let first = step.bytes.first ?? 0
        switch step.kind & 0x0F {
        case 0, 8: answerAll()
        case 1, 2: answer(changedBy: step.bytes)
        case 3:
            unanswered = []
            isHonest = false
            receive(step.bytes)
        case 4, 11:
            // The server behind the peer does not know of such an MTU, so it counts as a lie.
            if case .response? = Self.kind(of: step.bytes) { isHonest = false }
            if step.bytes.first == ATTOpcode.exchangeMTURequest.rawValue { isHonest = false }
            receive(step.bytes)
        case 5: if let id { perform(bearer.cancel(id)) }
        case 6: silence()
        case 9:
            let handle = RichDatabase.notifying[Int(first) % RichDatabase.notifying.count]
            for pdu in peer.notify(Array(step.bytes.dropFirst()), of: handle) { receive(pdu) }
        case 10:
            isHonest = false
            for pdu in peer.become(RichDatabase.others[Int(first) % RichDatabase.others.count]) { receive(pdu) }
        default:
            if !step.bytes.isEmpty, first & 0x07 == 0 {
                perform(bearer.channelClosed())
            } else {
                now = now + .milliseconds(Int64(first) * 100)
                perform(bearer.timerFired(now: now))
            }
        }
    }

    /// Lets time pass until the transaction times out.
    private mutating func silence() {
        guard let deadline = bearer.nextDeadline else { return }
        now = max(now, deadline)
        perform(bearer.timerFired(now: now))
        check(bearer.isClosed, "the bearer outlives its deadline")
    }

    private mutating func answerAll() {
        while !unanswered.isEmpty {
            bound.step()
            for answer in peer.answers(to: unanswered.removeFirst()) { receive(answer) }
        }
    }

    private mutating func answer(changedBy changes: [UInt8]) {
        guard !unanswered.isEmpty else { return }
        isHonest = false
        for answer in peer.answers(to: unanswered.removeFirst()) { receive(changed(answer, by: changes)) }
    }

    private mutating func receive(_ bytes: [UInt8]) {
        let actions = bearer.pduReceived(bytes, now: now)
        switch Self.kind(of: bytes) {
        case .request: if !bearer.isClosed { owed += 1 }
        case nil: if !bearer.isClosed, let first = bytes.first, !ATTOpcode(first).isCommand { owed += 1 }
        case .response, .command, .notification, .indication, .confirmation: break
        }
        perform(actions)
        check(owed == 0 || bearer.isClosed, "\(owed) requests of the peer are not answered")
    }

    private static func kind(of bytes: [UInt8]) -> ATTPDUKind? {
        bytes.first.flatMap { ATTCatalog.format(of: ATTOpcode($0))?.kind }
    }

    private mutating func perform(_ actions: [ATTBearer.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes): sent(bytes)
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

    private mutating func sent(_ bytes: [UInt8]) {
        check(bytes.count <= Int(bearer.mtu), "\(bytes.count) octets sent where \(bearer.mtu) are allowed")
        check((try? ATTPDU(decoding: bytes))?.encoded() == bytes, "sent what cannot be read: \(bytes)")
        switch Self.kind(of: bytes) {
        case .request:
            check(!isWaiting, "a request before the answer to the last one")
            isWaiting = true
            unanswered = unanswered.suffix(3) + [bytes]
        case .response:
            owed -= 1
            check(owed >= 0, "\(bytes) answers nothing")
        case .confirmation:
            for pdu in peer.answers(to: bytes) { receive(pdu) }
        case .command, .notification, .indication, nil: check(false, "a client sends \(bytes)")
        }
    }

    mutating func finish() {
        perform(bearer.channelClosed())
        check(waiting.isEmpty, "nobody told \(waiting.count) requests")
        check(bearer.nextDeadline == nil, "a closed bearer has a deadline")
    }
}
