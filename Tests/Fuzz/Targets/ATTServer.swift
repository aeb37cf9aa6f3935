// SPDX-License-Identifier: GPL-2.0-or-later

@testable import Bluetooth

/// Two clients with a bearer each, against one server. A step is a PDU of a client, or an event of the application, the
/// link or the clock. Bit 7 of its kind selects the client.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var bench = Bench(settings: input.octet())
    while let step = input.step() { bench.take(step) }
    bench.finish()
}

/// A connection, with the answers that its client can expect.
private struct Link {
    var bearer: ATTBearer
    /// The requests without an answer, in order. Dropped requests are not included.
    var owed: [Debt] = []
    /// The indications without a confirmation.
    var unconfirmed: Set<ATTTransactionID> = []
}

/// A request that must be answered.
private struct Debt {
    let request: [UInt8]
    /// Whether the database or the permissions have changed since. Then either answer is correct.
    var isStale = false
}

private struct Bench {
    private var server = RichDatabase.server
    private var links: [GATTServer.ClientID: Link] = [:]
    private var security = LinkSecurity.none
    private var now = Instant.zero
    /// Whether the application answers at once.
    private let isPrompt: Bool
    private let maximumMTU: UInt16
    private var questions: [GATTServer.Action] = []
    private var lastIndication: UInt64 = 0
    private var bound = Bound(100_000, "the server")

    init(settings: UInt8) {
        isPrompt = settings & 0x01 == 0
        maximumMTU = settings & 0x02 == 0 ? 517 : 23
        if settings & 0x04 != 0 { security = LinkSecurity(isEncrypted: true, isAuthenticated: true, keySize: 16) }
        connect(GATTServer.ClientID(0))
        connect(GATTServer.ClientID(1))
    }

    mutating func take(_ step: FuzzInput.Step) {
        let client = GATTServer.ClientID(UInt32(step.kind >> 7))
        let first = step.bytes.first ?? 0
        switch step.kind & 0x0F {
        case 0...4: receive(step.bytes, from: client)
        case 5: receive(Self.pdu(madeOf: step.bytes), from: client)
        case 6:
            let handle = RichDatabase.configurations[Int(first) % RichDatabase.configurations.count].rawValue
            let wanted = step.bytes.count > 1 ? step.bytes[1] : 1
            let request = [0x12, UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8), wanted, 0]
            receive(request, from: client)
        case 7:
            let number = Int(first) % (RichDatabase.others.count + 1)
            let database = number == 0 ? RichDatabase.database : RichDatabase.others[number - 1]
            makeStale()
            perform(server.replaceDatabase(with: database))
        case 8:
            // Reconnects with the same identity, because the fate of its subscriptions depends on the link's security.
            disconnect(client)
            connect(client, as: DeviceAddress(BluetoothAddress(rawValue: UInt64(client.rawValue)), .public))
        case 9: answer(step.bytes)
        case 10: notify(step.bytes)
        case 11:
            makeStale()
            security = .decoded(first)
        case 12:
            disconnect(client)
            connect(client)
        case 13:
            now = now + .milliseconds(Int64(first) * 256)
            perform(links[client]?.bearer.timerFired(now: now) ?? [], of: client)
        case 14: server.setValue(Array(step.bytes.dropFirst()), of: Self.valueHandle(first))
        default: notifySeveral(step.bytes)
        }
        if isPrompt { answerAll() }
        checkBounds()
    }

    /// Lets the application answer everything. Then every request must have exactly one answer.
    mutating func finish() {
        answerAll()
        for (client, link) in links where !link.bearer.isClosed {
            check(link.owed.isEmpty, "client \(client.rawValue) waits for answers to \(link.owed)")
        }
        for client in links.keys.sorted() { disconnect(client) }
        check(server.clients.isEmpty && server.bearers.isEmpty, "a client is left behind")
    }

    // MARK: - Events

    private mutating func connect(_ client: GATTServer.ClientID, as identity: DeviceAddress? = nil) {
        links[client] = Link(bearer: ATTBearer(maximumMTU: maximumMTU, server: .attached))
        perform(server.clientConnected(client, security: security, identity: identity))
    }

    private mutating func disconnect(_ client: GATTServer.ClientID) {
        perform(links[client]?.bearer.channelClosed() ?? [], of: client)
        check(links[client]?.unconfirmed.isEmpty ?? true, "nobody told of an indication")
        links[client] = nil
        perform(server.clientDisconnected(client))
    }

    private mutating func receive(_ bytes: [UInt8], from client: GATTServer.ClientID) {
        if let pdu = try? ATTPDU(decoding: bytes) { check(pdu.encoded() == bytes, "\(pdu) is written differently") }
        check(!ATTPDU.describe(bytes).utf8.contains(UInt8(ascii: "\n")), "a line break in a trace")
        guard let actions = links[client]?.bearer.pduReceived(bytes, now: now) else { return }
        let isDropped = actions.contains { action in
            guard case .report(.requestDropped) = action else { return false }
            return true
        }
        if Self.wantsAnswer(bytes), !isDropped, links[client]?.bearer.isClosed == false {
            links[client]?.owed.append(Debt(request: bytes))
        }
        perform(actions, of: client)
    }

    private mutating func answer(_ bytes: [UInt8]) {
        guard !questions.isEmpty else { return }
        let question = questions.remove(at: Int(bytes.first ?? 0) % questions.count)
        perform(question, with: bytes)
    }

    private mutating func answerAll() {
        while let question = questions.first {
            bound.step()
            questions.removeFirst()
            perform(question, with: [0, 1, 2, 3])
        }
    }

    private mutating func notify(_ bytes: [UInt8]) {
        let handle = RichDatabase.notifying[Int(bytes.first ?? 0) % RichDatabase.notifying.count]
        perform(server.notify(Array(bytes.dropFirst()), of: handle))
    }

    private mutating func notifySeveral(_ bytes: [UInt8]) {
        let values = bytes.prefix(6).map {
            HandleValue(
                RichDatabase.notifying[Int($0) % RichDatabase.notifying.count],
                Array(repeating: $0, count: Int($0 & 0x0F))
            )
        }
        perform(server.notify(values))
    }

    // MARK: - Actions

    private mutating func perform(_ actions: [ATTBearer.Action], of client: GATTServer.ClientID) {
        for action in actions {
            bound.step()
            switch action {
            case .send(let bytes): sent(bytes, to: client)
            case .serve(let pdu):
                let mtu = links[client]?.bearer.mtu ?? 23
                perform(server.requestReceived(pdu, from: .init(client), mtu: mtu, security: security))
            case .indicationConfirmed(let id):
                check(links[client]?.unconfirmed.remove(id) != nil, "an indication is confirmed twice")
                perform(server.confirmationReceived(from: client))
            case .indicationFailed(let id, _):
                check(links[client]?.unconfirmed.remove(id) != nil, "an indication ends twice")
            case .completed: check(false, "a request is completed that nobody made")
            case .received(let pdu): _ = pdu.description
            case .close(let failure): _ = failure.description
            case .report(let diagnostic): _ = diagnostic.description
            }
        }
    }

    private mutating func perform(_ actions: [GATTServer.Action]) {
        for action in actions {
            bound.step()
            perform(action)
        }
    }

    private mutating func perform(_ action: GATTServer.Action) {
        switch action {
        case .respond(let bearer, let answer): respond(answer, to: bearer.client)
        case .notify(let client, let value):
            perform((try? links[client]?.bearer.submitNotification(value)) ?? [], of: client)
        case .notifySeveral(let client, let values):
            perform((try? links[client]?.bearer.submitNotification(values)) ?? [], of: client)
        case .indicate(let client, let indication):
            guard let link = links[client] else { return }
            let size = indication.encoded().count
            check(size <= Int(link.bearer.maximumMTU), "an indication of \(size) octets")
            lastIndication += 1
            let id = ATTTransactionID(rawValue: lastIndication)
            links[client]?.unconfirmed.insert(id)
            perform(links[client]?.bearer.submitIndication(indication, id: id, now: now) ?? [], of: client)
        case .read, .write: questions.append(action)
        case .valueWritten(_, let handle):
            check((server.database[handle]?.value?.count ?? 0) <= GATTLimits.maximumValueLength, "a value beyond 512")
        case .subscriptionChanged, .indicationConfirmed, .indicationDropped: break
        }
    }

    private mutating func perform(_ question: GATTServer.Action, with bytes: [UInt8]) {
        let value = Array(bytes.dropFirst())
        let isRefused = (bytes.first ?? 0) & 0x80 != 0
        let refusal = ATTRefusal(ATTErrorCode(value.first ?? 0x80))
        switch question {
        case .read(let token, _):
            perform(server.readAnswered(token, isRefused ? .failure(refusal) : .success(value)))
            check(server.readAnswered(token, .success(value)).isEmpty, "an answer counts twice")
        case .write(let token, let context):
            check(context.offset + context.value.count <= GATTLimits.maximumValueLength, "a write beyond 512")
            perform(server.writeAnswered(token, isRefused ? refusal : nil))
            check(server.writeAnswered(token, nil).isEmpty, "an answer counts twice")
        default: check(false, "\(question) is no question")
        }
    }

    private mutating func respond(_ answer: ATTAnswer, to client: GATTServer.ClientID) {
        let actions = links[client]?.bearer.respond(answer) ?? []
        for action in actions {
            switch action {
            case .report(.answerReplaced), .report(.answerWithoutRequest): check(false, "\(answer): \(action)")
            default: continue
            }
        }
        perform(actions, of: client)
    }

    private mutating func sent(_ bytes: [UInt8], to client: GATTServer.ClientID) {
        guard let mtu = links[client]?.bearer.mtu else { return }
        check(bytes.count <= Int(mtu), "\(bytes.count) octets sent where \(mtu) are allowed")
        guard let pdu = try? ATTPDU(decoding: bytes) else { return check(false, "sent what cannot be read: \(bytes)") }
        switch pdu {
        case .server(.response(let response)):
            let debt = takeOwed(of: client, for: pdu)
            checkAnswer(response, to: debt.request, mtu: Int(mtu), isStale: debt.isStale)
        case .server(.error(let error)):
            let request = takeOwed(of: client, for: pdu).request
            check(error.requestOpcode.rawValue == request.first, "\(pdu) answers \(request)")
        case .server(.notification), .server(.multipleNotification), .server(.indication), .client(.confirmation): break
        case .server(.unknown), .client: check(false, "sent \(pdu)")
        }
    }

    // MARK: - Checking answers

    private mutating func takeOwed(of client: GATTServer.ClientID, for pdu: ATTPDU) -> Debt {
        check(links[client]?.owed.isEmpty == false, "\(pdu) answers nothing")
        return links[client]?.owed.removeFirst() ?? Debt(request: [])
    }

    private mutating func makeStale() {
        links = links.mapValues { link in
            var link = link
            link.owed = link.owed.map { Debt(request: $0.request, isStale: true) }
            return link
        }
    }

    /// Checks that the answer belongs to the request, and contains only true data that the client may read.
    private func checkAnswer(_ response: ATTResponse, to bytes: [UInt8], mtu: Int, isStale: Bool) {
        guard case .request(let request)? = try? ATTClientPDU(decoding: bytes) else {
            return check(false, "\(response) answers \(bytes)")
        }
        check(response.opcode == request.responseOpcode, "\(response) answers \(request)")
        switch (request, response) {
        case (.readByType(let asked), .readByType(let told)):
            checkRising(told.entries.map(\.handle), asked.range)
            if !isStale { checkReadable(told.entries.map(\.handle), asked.attributeType) }
        case (.readByGroupType(let asked), .readByGroupType(let told)):
            checkRising(told.entries.map(\.range.start), asked.range)
        case (.findInformation(let asked), .findInformation(let told)):
            checkRising(told.entries.map(\.handle), asked.range)
        case (.findByTypeValue(let asked), .findByTypeValue(let told)):
            checkRising(told.groups.map(\.start), asked.range)
        case (_, _) where isStale: break
        case (.read(let asked), .read(let told)):
            checkReadable([asked.handle])
            checkValue(told.value, asked.handle) { $0.prefix(mtu - 1) }
        case (.readBlob(let asked), .readBlob(let told)):
            checkReadable([asked.handle])
            checkValue(told.value, asked.handle) { $0.dropFirst(Int(asked.offset)).prefix(mtu - 1) }
        case (.readMultiple(let asked), .readMultiple): checkReadable(asked.handles)
        case (.readMultipleVariable(let asked), .readMultipleVariable): checkReadable(asked.handles)
        case (.write(let asked), _): checkValue(asked.value, asked.handle) { $0[...] }
        default: break
        }
    }

    private func checkReadable(_ handles: [Handle], _ type: BluetoothUUID? = nil) {
        for handle in handles {
            let attribute = server.database[handle]
            check(attribute?.permissions.readRefusal(of: security) == nil, "\(handle) may not be read")
            check(type == nil || attribute?.type == type, "\(handle) is not of the type \(type ?? 0)")
        }
    }

    private func checkValue(_ told: [UInt8], _ handle: Handle, _ part: ([UInt8]) -> ArraySlice<UInt8>) {
        guard let value = server.database[handle]?.value else { return }
        check(told == Array(part(value)), "another value at \(handle)")
    }

    private func checkRising(_ handles: [Handle], _ range: HandleRange) {
        check(!handles.isEmpty && handles.allSatisfy(range.contains), "\(handles) outside of \(range)")
        check(zip(handles, handles.dropFirst()).allSatisfy { $0 < $1 }, "\(handles) do not rise")
    }

    // MARK: - Invariants

    private func checkBounds() {
        let limits = server.configuration
        for state in server.clients.values {
            let parts = state.prepared.parts
            check(parts.count <= limits.preparedWrites, "\(parts.count) prepared writes")
            check(parts.reduce(0) { $0 + $1.value.count } <= limits.preparedOctets, "too many prepared octets")
            check(state.indicated.count <= limits.waitingIndications, "too many indications wait")
            check(state.configurations.count <= server.database.attributes.count, "too many subscriptions")
        }
        let waiting = server.bearers.values.map(\.waiting.count).max() ?? 0
        check(waiting <= limits.waitingRequests, "too many requests wait")
    }

    private static func wantsAnswer(_ bytes: [UInt8]) -> Bool {
        guard let opcode = bytes.first.map({ ATTOpcode($0) }) else { return false }
        switch ATTCatalog.format(of: opcode)?.kind {
        case .request: return true
        case nil: return !opcode.isCommand
        case .command, .confirmation, .response, .notification, .indication: return false
        }
    }

    /// A PDU with the handle of an attribute, from an opcode, the attribute's number, and the rest.
    private static func pdu(madeOf bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 2 else { return bytes }
        let handle = valueHandle(bytes[1]).rawValue
        return [bytes[0], UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8)] + bytes[2...]
    }

    private static func valueHandle(_ number: UInt8) -> Handle {
        let attributes = RichDatabase.database.attributes
        return attributes[Int(number) % attributes.count].handle
    }
}

extension LinkSecurity {
    fileprivate static func decoded(_ bits: UInt8) -> LinkSecurity {
        LinkSecurity(
            isEncrypted: bits & 0x01 != 0,
            isAuthenticated: bits & 0x02 != 0,
            isAuthorized: bits & 0x04 != 0,
            keySize: bits & 0x08 != 0 ? 16 : 7,
            hasBond: bits & 0x10 != 0
        )
    }
}
