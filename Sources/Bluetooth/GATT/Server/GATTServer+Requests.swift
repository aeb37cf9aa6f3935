// SPDX-License-Identifier: MIT

extension GATTServer {
    /// A client has sent a request, a command or a confirmation.
    ///
    /// A request waits while an earlier one is unanswered. If too many wait, it is refused, so that memory stays
    /// bounded.
    public mutating func requestReceived(
        _ pdu: ATTClientPDU,
        from client: ClientID,
        mtu: UInt16,
        security: LinkSecurity
    ) -> [Action] {
        linkChanged(client, mtu: mtu, security: security)
        switch pdu {
        case .confirmation:
            return confirmationReceived(from: client)
        case .command(let command):
            return perform(command, from: client)
        case .unknown(let opcode, _):
            if opcode.isCommand { return [] }
            let error = ATTErrorResponse(requestOpcode: opcode, handle: .invalid, code: .requestNotSupported)
            return [.respond(client, .failure(error))]
        case .request(let request):
            // A client sends the next request after the answer to the last one. One that does not has to wait.
            guard let state = clients[client], state.pending != nil else { return perform(request, from: client) }
            guard state.waiting.count < configuration.waitingRequests else {
                return [.respond(client, .failure(request.refused(.insufficientResources)))]
            }
            clients[client]?.waiting.append(request)
            return []
        }
    }

    /// The application's answer to a `read` action. It is ignored if no client waits for it any more.
    public mutating func readAnswered(_ token: Token, _ answer: Result<[UInt8], ATTRefusal>) -> [Action] {
        guard let client = asker(of: token), case .reading(_, var plan)? = clients[client]?.pending else { return [] }
        clients[client]?.pending = nil
        switch answer {
        case .success(let answer):
            // The application may hold longer values than an attribute can have.
            let value = Array(answer.prefix(GATTLimits.maximumValueLength))
            let mtu = mtu(of: client)
            clients[client]?.begunRead = plan.begun(value, mtu: mtu)
            plan.take(value, mtu: mtu)
        case .failure(let refusal):
            guard plan.endBeforeNext() else {
                let handle = plan.remaining.first
                return finish(client, .failure(plan.request.refused(refusal.code, at: handle)))
            }
        }
        return advance(plan, for: client)
    }

    /// The application's answer to a `write` action: `nil` if it accepted the value. It is ignored if no client
    /// waits for it, as after a command.
    public mutating func writeAnswered(_ token: Token, _ refusal: ATTRefusal?) -> [Action] {
        guard let client = asker(of: token), case .writing(_, var plan)? = clients[client]?.pending else { return [] }
        clients[client]?.pending = nil
        // Only the plan of a request is kept as pending, while its first part is at the application.
        guard let part = plan.remaining.popFirst(), let request = plan.request else { return [] }
        if let refusal { return finish(client, .failure(request.refused(refusal.code, at: part.handle))) }
        return advance(plan, for: client)
    }

    /// Whether a client still waits for the answer to a question.
    public func awaits(_ token: Token) -> Bool { asker(of: token) != nil }

    private func asker(of token: Token) -> ClientID? { clients.first { $0.value.pending?.token == token }?.key }

    // Lengths are computed by subtraction from the MTU, and a negative one would trap.
    func mtu(of client: ClientID) -> Int {
        Int(max(ATTBearer.minimumMTU, clients[client]?.mtu ?? ATTBearer.minimumMTU))
    }

    /// Answers a request, then performs the requests that waited for it.
    mutating func finish(_ client: ClientID, _ answer: ATTAnswer) -> [Action] {
        // The answer comes first, and then the requests that have waited for it.
        var actions: [Action] = [.respond(client, answer)]
        while let state = clients[client], state.pending == nil, let next = state.waiting.first {
            clients[client]?.waiting.removeFirst()
            actions += perform(next, from: client)
        }
        return actions
    }

    private mutating func perform(_ request: ATTRequest, from client: ClientID) -> [Action] {
        if let error = refusalOfUnawareClient(request, from: client) { return [.respond(client, .failure(error))] }
        // A value that the client does not go on to read at once is asked for again.
        if !request.continuesRead { clients[client]?.begunRead = nil }
        switch request {
        case .exchangeMTU:
            let response = ExchangeMTUResponse(serverRxMTU: configuration.maximumMTU)
            // The bearer answers exchanges itself; this is for servers without one.
            return [.respond(client, .success(.exchangeMTU(response)))]
        case .findInformation(let parameters):
            return respond(client, findInformation(parameters, for: client))
        case .findByTypeValue(let parameters):
            return respond(client, findByTypeValue(parameters, for: client))
        case .readByGroupType(let parameters):
            return respond(client, readByGroupType(parameters, for: client))
        case .readByType(let parameters):
            return start(readByTypePlan(parameters, request, for: client), for: client)
        case .read(let parameters):
            return start(readPlan(.read, request, [parameters.handle], for: client), for: client)
        case .readBlob(let parameters):
            let kind = ReadPlan.Kind.blob(offset: Int(parameters.offset))
            return start(readPlan(kind, request, [parameters.handle], for: client), for: client)
        case .readMultiple(let parameters):
            return start(readPlan(.multiple, request, parameters.handles, for: client), for: client)
        case .readMultipleVariable(let parameters):
            return start(readPlan(.multipleVariable, request, parameters.handles, for: client), for: client)
        case .write(let parameters):
            return write(parameters.value, to: parameters.handle, .request, request, from: client)
        case .prepareWrite(let parameters):
            return respond(client, prepare(parameters, request, from: client))
        case .executeWrite(let parameters):
            return execute(parameters.flags, request, from: client)
        }
    }

    private func respond(_ client: ClientID, _ answer: ATTAnswer) -> [Action] {
        [.respond(client, answer)]
    }

    private mutating func start(_ plan: Result<ReadPlan, ATTErrorResponse>, for client: ClientID) -> [Action] {
        switch plan {
        case .success(let plan): advance(plan, for: client)
        case .failure(let error): [.respond(client, .failure(error))]
        }
    }

    private mutating func perform(_ command: ATTCommand, from client: ClientID) -> [Action] {
        // A command of a client that does not know the database is ignored. Spec: Core 5.4, Vol 3, Part G,
        // 2.5.2.1
        guard acceptsCommands(from: client) else { return [] }
        switch command {
        case .write(let parameters):
            return write(parameters.value, to: parameters.handle, .command, nil, from: client)
        case .signedWrite:
            // No client has given this server a signing key, so no signature is valid, and an invalid one is ignored.
            // Spec: Core 5.4, Vol 3, Part F, 3.4.5.4
            return []
        }
    }
}

extension ATTRequest {
    /// Whether the request reads a further part of a value.
    fileprivate var continuesRead: Bool {
        if case .readBlob(let parameters) = self { parameters.offset > 0 } else { false }
    }
}

extension GATTServerClient.Pending {
    /// The question that the application is working on.
    var token: GATTServer.Token {
        switch self {
        case .reading(let token, _), .writing(let token, _): token
        }
    }
}

/// An application's refusal to provide or accept a value.
public struct ATTRefusal: Error, Hashable, Sendable {
    /// The error code for the client.
    public let code: ATTErrorCode

    /// Creates a refusal; the code goes to the client unchanged.
    public init(_ code: ATTErrorCode) { self.code = code }
}
