// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

struct SharedClient: Sendable {
    /// A request that waits for its turn.
    enum Waiting: Sendable {
        case request(ATTRequest)
        /// The answer to a request that is not for the device, in its place among the others.
        case refusal(ATTErrorResponse)
    }

    /// In the order of their arrival.
    var waiting: [Waiting] = []
    /// Whether the request on the wire is its own.
    var isServed = false
    /// Whether its prepared writes were cancelled without its knowledge.
    var hasLostWrites = false
    /// Whether it gets values that nobody has subscribed to.
    var takesValues = true
}

extension SharedBearer {
    /// A step towards the answers of waiting requests.
    enum Step: Sendable {
        /// No request to the device is needed.
        case act([Action])
        case request(ATTRequest, Job)
    }

    // MARK: - Clients

    /// A client has come. It needs a link.
    ///
    /// - Parameter takesValues: Whether it gets values that nobody has subscribed to.
    mutating func clientJoined(_ client: ClientID, takesValues: Bool = true) {
        clients[client] = SharedClient(takesValues: takesValues)
    }

    /// Those who get a value that nobody has subscribed to.
    private var audience: [ClientID] { clients.filter(\.value.takesValues).keys.sorted() }

    /// A client has left. An answer that it waits for is dropped.
    mutating func clientLeft(_ client: ClientID, now: Instant) -> [Action] {
        guard clients.removeValue(forKey: client) != nil else { return [] }
        line.removeAll { $0 == client }
        if writes?.owner == client { writes?.isAbandoned = true }
        subscriptions.left(client)
        return advance(now: now)
    }

    mutating func clientSent(_ pdu: [UInt8], _ client: ClientID, now: Instant) -> [Action] {
        guard clients[client] != nil, let first = pdu.first else { return [] }
        let opcode = ATTOpcode(first)
        let decoded: ATTClientPDU
        do throws(DecodeError) {
            decoded = try ATTClientPDU(decoding: pdu)
        } catch {
            let note = Action.report(.malformed(error))
            // A command and a server's PDU have no answer.
            guard case .request? = ATTCatalog.format(of: opcode)?.kind else { return [note] }
            return [note] + wait(.refusal(Self.refusal(opcode, .invalidPDU)), client, now: now)
        }
        let isTooLong = pdu.count > Int(mtu)
        switch decoded {
        case .request(let request):
            // Before the exchange of the MTU it waits, and may fit then.
            guard isMTUExchanged, isTooLong else { return wait(.request(request), client, now: now) }
            return [.report(.tooLong(opcode))]
                + wait(.refusal(request.refused(.invalidPDU)), client, now: now)
        case .command: return isTooLong ? [.report(.tooLong(opcode))] : [.sendToDevice(pdu)]
        // Indications are confirmed already.
        case .confirmation: return []
        case .unknown:
            guard !opcode.isCommand else { return [] }
            return wait(.refusal(Self.refusal(opcode, .requestNotSupported)), client, now: now)
        }
    }

    /// The answer to a request that never reaches the device, as a server would give it.
    private static func refusal(_ opcode: ATTOpcode, _ code: ATTErrorCode) -> ATTErrorResponse {
        ATTErrorResponse(requestOpcode: opcode, handle: .invalid, code: code)
    }

    /// Lets a request wait. A client that sends many requests without reading answers breaks the rules, and is
    /// ended.
    private mutating func wait(_ entry: SharedClient.Waiting, _ client: ClientID, now: Instant) -> [Action] {
        guard let waiting = clients[client]?.waiting.count, waiting < Self.waitingLimit else {
            return [.end(client, nil)] + clientLeft(client, now: now)
        }
        clients[client]?.waiting.append(entry)
        lineUp(client)
        return advance(now: now)
    }

    /// Puts a client with waiting requests at the end of the line.
    private mutating func lineUp(_ client: ClientID) {
        guard let state = clients[client], !state.waiting.isEmpty, !state.isServed, !line.contains(client) else {
            return
        }
        line.append(client)
    }

    // MARK: - Turns

    /// The next step; `nil` if nothing is to be done, or not yet.
    mutating func nextStep(now: Instant) -> Step? {
        guard isMTUExchanged else {
            let offered = bearer?.maximumMTU ?? ATTBearer.minimumMTU
            return .request(.exchangeMTU(ExchangeMTURequest(clientRxMTU: offered)), .mtu)
        }
        // Before all other requests, so that the next client does not execute the parts of this one.
        if let writes, writes.isAbandoned {
            return .request(.executeWrite(ExecuteWriteRequest(flags: .cancel)), .cancelWrites)
        }
        if let step = nextConfiguration() { return step }
        for (index, client) in line.enumerated() {
            guard let first = clients[client]?.waiting.first, mayRun(first, client) else { continue }
            if case .request(.write(let write)) = first, let question = question(about: write) { return question }
            line.remove(at: index)
            clients[client]?.waiting.removeFirst()
            let step = step(first, of: client, now: now)
            lineUp(client)
            return step
        }
        return nil
    }

    /// The next request that is for one client only, and may overtake those of others.
    mutating func takePlainRequest() -> (ATTRequest, ClientID)? {
        for (index, client) in line.enumerated() {
            guard case .request(let request)? = clients[client]?.waiting.first, request.isPlain else { continue }
            line.remove(at: index)
            clients[client]?.waiting.removeFirst()
            clients[client]?.isServed = true
            return (request, client)
        }
        return nil
    }

    /// The bearer of a request has ended before the answer.
    mutating func lost(_ request: ATTRequest, of client: ClientID) -> [Action] {
        guard request.mayBeRepeated else { return pass(request.refused(.unlikelyError).encoded(), to: client) }
        guard clients[client] != nil else { return [] }
        clients[client]?.isServed = false
        clients[client]?.waiting.insert(.request(request), at: 0)
        lineUp(client)
        return []
    }

    /// The next write of a descriptor whose value differs from the clients' wishes; `nil` if there is none.
    private mutating func nextConfiguration() -> Step? {
        while let (descriptor, value) = subscriptions.difference() {
            switch types.isConfiguration(descriptor) {
            case true?:
                let write = WriteRequest(handle: descriptor, value: value.encoded)
                return .request(.write(write), .configuration(descriptor, value, for: nil, before: []))
            case false?:
                // On this link the handle belongs to another attribute, or the device does not reveal its type.
                let isKept = subscriptions.isKept(descriptor)
                subscriptions.gaveUp(descriptor)
                if isKept { return .act([.report(.configurationRefused(descriptor))]) }
            // On a new link the handle may be that of another attribute, to which nothing must be written.
            case nil: return .request(Self.question(descriptor), .type(descriptor))
            }
        }
        return nil
    }

    /// Whether a request may be sent while another client prepares writes.
    private func mayRun(_ entry: SharedClient.Waiting, _ client: ClientID) -> Bool {
        guard let owner = writes?.owner, owner != client, case .request(let request) = entry else { return true }
        switch request {
        case .prepareWrite, .executeWrite: return false
        default: return true
        }
    }

    /// The step for the first request of a client. Some never reach the device: the MTU is known already, and a
    /// configuration is united with those of the other clients.
    private mutating func step(_ entry: SharedClient.Waiting, of client: ClientID, now: Instant) -> Step {
        switch entry {
        case .refusal(let error): return .act([.send(error.encoded(), to: client)])
        case .request(.exchangeMTU):
            return .act([.send(ExchangeMTUResponse(serverRxMTU: mtu).encoded(), to: client)])
        case .request(.prepareWrite(let request)):
            if let refusal = refusalOfLostWrites(.prepareWrite(request), client) { return refusal }
            let deadline = now + Self.preparedWriteTimeout
            if writes == nil { writes = PreparedWrites(owner: client, deadline: deadline) }
            // A part on the wire is a use of the queue, too.
            writes?.deadline = deadline
            return send(.prepareWrite(request), for: client)
        case .request(.executeWrite(let request)):
            if let refusal = refusalOfLostWrites(.executeWrite(request), client) { return refusal }
            // The queue must not be taken away while the device executes it, or the success would be called a loss.
            writes?.deadline = now + Self.preparedWriteTimeout
            return send(.executeWrite(request), for: client)
        case .request(.write(let write)):
            // Two octets that look like a configuration may be the value of another attribute.
            guard let value = write.configuration, types.isConfiguration(write.handle) == true else {
                return send(.write(write), for: client)
            }
            return configure(write.handle, value, for: client)
        case .request(let request): return send(request, for: client)
        }
    }

    private mutating func send(_ request: ATTRequest, for client: ClientID) -> Step {
        clients[client]?.isServed = true
        return .request(request, .request(request, client))
    }

    /// The refusal for a client whose prepared writes were cancelled; `nil` if they were not. The client gets it once.
    private mutating func refusalOfLostWrites(_ request: ATTRequest, _ client: ClientID) -> Step? {
        guard clients[client]?.hasLostWrites == true else { return nil }
        clients[client]?.hasLostWrites = false
        return .act([.send(request.refused(.unlikelyError).encoded(), to: client)])
    }

    mutating func answered(
        _ request: ATTRequest,
        of client: ClientID,
        _ result: Result<ATTResponse, ATTFailure>,
        _ answer: [UInt8]?,
        now: Instant
    ) -> [Action] {
        if writes?.owner == client {
            switch (request, result) {
            case (.prepareWrite, .success):
                writes?.parts += 1
                writes?.deadline = now + Self.preparedWriteTimeout
            // Nothing is in the queue, so no Execute Write is needed to cancel it.
            case (.prepareWrite, .failure): if writes?.parts == 0 { writes = nil }
            case (.executeWrite, _): writes = nil
            default: break
            }
        }
        return pass(answer, to: client)
    }

    /// Passes an answer to its client, which may send the next request then.
    private mutating func pass(_ answer: [UInt8]?, to client: ClientID) -> [Action] {
        guard clients[client] != nil else { return [] }
        clients[client]?.isServed = false
        lineUp(client)
        return answer.map { [.send($0, to: client)] } ?? []
    }

    // MARK: - Subscriptions

    /// The question whether an attribute is a CCCD; `nil` if that is known, or if the value is none of a CCCD.
    private func question(about write: WriteRequest) -> Step? {
        guard write.configuration != nil, types.isConfiguration(write.handle) == nil else { return nil }
        return .request(Self.question(write.handle), .type(write.handle))
    }

    /// The request for the type of one attribute.
    private static func question(_ handle: Handle) -> ATTRequest {
        .findInformation(FindInformationRequest(range: HandleRange(handle, handle)))
    }

    /// The step for a write of a CCCD: the union of all wishes is written, if it has changed.
    private mutating func configure(_ descriptor: Handle, _ value: ClientConfiguration, for client: ClientID) -> Step {
        let before = subscriptions.wish(of: client, for: descriptor)
        switch subscriptions.write(value, to: descriptor, by: client) {
        case .write(let value):
            clients[client]?.isServed = true
            let write = WriteRequest(handle: descriptor, value: value.encoded)
            return .request(.write(write), .configuration(descriptor, value, for: client, before: before))
        case .none:
            return .act([.send(WriteResponse().encoded(), to: client)] + takeKept(descriptor, for: client))
        }
    }

    /// The device has answered the write of a CCCD.
    mutating func configured(
        _ descriptor: Handle,
        _ value: ClientConfiguration,
        for client: ClientID?,
        before: ClientConfiguration,
        _ result: Result<ATTResponse, ATTFailure>,
        _ answer: [UInt8]?
    ) -> [Action] {
        let isAccepted = if case .success = result { true } else { false }
        if isAccepted { subscriptions.accepted(value, at: descriptor) }
        guard let client else {
            if isAccepted { return [] }
            subscriptions.gaveUp(descriptor)
            return [.report(.configurationRefused(descriptor))]
        }
        // The subscriptions of a client that has left in the meantime are withdrawn already.
        if !isAccepted, clients[client] != nil { subscriptions.refused(client, descriptor, before: before) }
        return pass(answer, to: client) + (isAccepted ? takeKept(descriptor, for: client) : [])
    }

    mutating func takeKept(_ descriptor: Handle, for client: ClientID) -> [Action] {
        guard !subscriptions.wish(of: client, for: descriptor).isEmpty else { return [] }
        let taken = kept.take(descriptor)
        let dropped: [Action] = taken.dropped > 0 ? [.countDropped(taken.dropped, for: client)] : []
        return dropped + taken.values.map { .sendKept($0, to: client) }
    }

    mutating func received(_ value: ATTServerPDU, _ pdu: [UInt8], now: Instant) -> [Action] {
        switch value {
        case .notification(let notification): return pass(pdu, from: notification.handle, now: now)
        case .indication(let indication):
            let actions = pass(pdu, from: indication.handle, now: now)
            // Service Changed has this length. It concerns all clients, and a bonded device sends it without a
            // subscription on this link.
            guard indication.value.count == 4 else { return actions }
            types = SharedTypes()
            subscriptions.databaseMayHaveChanged()
            return audience.map { .send(pdu, to: $0) }
        case .multipleNotification(let notification):
            return notification.values.flatMap {
                let pdu = HandleValueNotification(handle: $0.handle, value: $0.value).encoded()
                return pass(pdu, from: $0.handle, now: now)
            }
        case .response, .error, .unknown: return []
        }
    }

    /// Passes a value to the clients that have subscribed, or keeps it if there is none. A value without a known
    /// descriptor goes to all clients.
    private mutating func pass(_ pdu: [UInt8], from value: Handle, now: Instant) -> [Action] {
        guard
            let descriptor = subscriptions.descriptor(ofValueAt: value),
            !types.isBound(between: value, and: descriptor)
        else {
            return audience.map { .send(pdu, to: $0) }
        }
        let listeners = subscriptions.listeners(at: descriptor)
        if listeners.isEmpty, subscriptions.isKept(descriptor) { kept.keep(pdu, at: descriptor, now: now) }
        return listeners.map { .send(pdu, to: $0) }
    }
}

extension ATTRequest {
    /// Whether it concerns no other client of the device.
    fileprivate var isPlain: Bool {
        switch self {
        case .write(let write): write.configuration == nil
        case .exchangeMTU, .prepareWrite, .executeWrite: false
        case .findInformation, .findByTypeValue, .readByType, .read, .readBlob, .readMultiple, .readByGroupType,
            .readMultipleVariable:
            true
        }
    }
}

extension WriteRequest {
    /// The value as one of a CCCD; `nil` if it cannot be one.
    fileprivate var configuration: ClientConfiguration? {
        guard value.count == 2, value[0] <= 3, value[1] == 0 else { return nil }
        return ClientConfiguration(rawValue: UInt16(value[0]))
    }
}
