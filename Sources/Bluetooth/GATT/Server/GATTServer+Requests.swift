// SPDX-License-Identifier: MIT

extension GATTServer {
    /// A client has sent a request, a command or a confirmation over a bearer with that MTU.
    ///
    /// A request waits while an earlier one on its bearer is unanswered. If too many wait, it is refused, so that memory
    /// stays bounded.
    public mutating func requestReceived(
        _ pdu: ATTClientPDU,
        from bearer: BearerID,
        mtu: UInt16,
        security: LinkSecurity
    ) -> [Action] {
        linkChanged(bearer.client, security: security)
        mtuChanged(bearer, to: mtu)
        switch pdu {
        case .confirmation:
            return confirmationReceived(from: bearer.client)
        case .command(let command):
            return perform(command, from: bearer)
        case .unknown(let opcode, _):
            if opcode.isCommand { return [] }
            let error = ATTErrorResponse(requestOpcode: opcode, handle: .invalid, code: .requestNotSupported)
            return [.respond(bearer, .failure(error))]
        case .request(let request):
            // A client sends the next request after the answer to the last one. One that does not has to wait.
            guard let state = bearers[bearer], state.pending != nil else { return perform(request, from: bearer) }
            guard state.waiting.count < configuration.waitingRequests else {
                return [.respond(bearer, .failure(request.refused(.insufficientResources)))]
            }
            bearers[bearer]?.waiting.append(request)
            return []
        }
    }

    /// The application's answer to a `read` action. It is ignored if no client waits for it any more.
    public mutating func readAnswered(_ token: Token, _ answer: Result<[UInt8], ATTRefusal>) -> [Action] {
        guard let bearer = asker(of: token), case .reading(_, var plan)? = bearers[bearer]?.pending else { return [] }
        bearers[bearer]?.pending = nil
        switch answer {
        case .success(let answer):
            // The application may hold longer values than an attribute can have.
            let value = Array(answer.prefix(GATTLimits.maximumValueLength))
            let mtu = mtu(of: bearer)
            bearers[bearer]?.begunRead = plan.begun(value, mtu: mtu)
            plan.take(value, mtu: mtu)
        case .failure(let refusal):
            guard plan.endBeforeNext() else {
                let handle = plan.remaining.first
                return finish(bearer, .failure(plan.request.refused(refusal.code, at: handle)))
            }
        }
        return advance(plan, for: bearer)
    }

    /// The application's answer to a `write` action: `nil` if it accepted the value. It is ignored if no client
    /// waits for it, as after a command.
    public mutating func writeAnswered(_ token: Token, _ refusal: ATTRefusal?) -> [Action] {
        guard let bearer = asker(of: token), case .writing(_, var plan)? = bearers[bearer]?.pending else { return [] }
        bearers[bearer]?.pending = nil
        // Only the plan of a request is kept as pending, while its first part is at the application.
        guard let part = plan.remaining.popFirst(), let request = plan.request else { return [] }
        if let refusal { return finish(bearer, .failure(request.refused(refusal.code, at: part.handle))) }
        return advance(plan, for: bearer)
    }

    /// Whether a client still waits for the answer to a question.
    public func awaits(_ token: Token) -> Bool { asker(of: token) != nil }

    private func asker(of token: Token) -> BearerID? { bearers.first { $0.value.pending?.token == token }?.key }

    func mtu(of bearer: BearerID) -> Int { Int(bearers[bearer]?.mtu ?? ATTBearer.minimumMTU) }

    /// The largest MTU of a client's bearers, over which values go to it without a request.
    func mtu(of client: ClientID) -> Int {
        Int(bearers.lazy.filter { $0.key.client == client }.map(\.value.mtu).max() ?? ATTBearer.minimumMTU)
    }

    /// Answers a request, then performs the requests that waited for it.
    mutating func finish(_ bearer: BearerID, _ answer: ATTAnswer) -> [Action] {
        // The answer comes first, and then the requests that have waited for it.
        var actions: [Action] = [.respond(bearer, answer)]
        while let state = bearers[bearer], state.pending == nil, let next = state.waiting.first {
            bearers[bearer]?.waiting.removeFirst()
            actions += perform(next, from: bearer)
        }
        return actions
    }

    private mutating func perform(_ request: ATTRequest, from bearer: BearerID) -> [Action] {
        if let error = refusalOfUnawareClient(request, from: bearer.client) {
            return [.respond(bearer, .failure(error))]
        }
        // A value that the client does not go on to read at once is asked for again.
        if !request.continuesRead { bearers[bearer]?.begunRead = nil }
        switch request {
        case .exchangeMTU:
            let response = ExchangeMTUResponse(serverRxMTU: configuration.maximumMTU)
            // The bearer answers exchanges itself; this is for servers without one.
            return [.respond(bearer, .success(.exchangeMTU(response)))]
        case .findInformation(let parameters):
            return [.respond(bearer, findInformation(parameters, for: bearer))]
        case .findByTypeValue(let parameters):
            return [.respond(bearer, findByTypeValue(parameters, for: bearer))]
        case .readByGroupType(let parameters):
            return [.respond(bearer, readByGroupType(parameters, for: bearer))]
        case .readByType(let parameters):
            return start(readByTypePlan(parameters, request, for: bearer), for: bearer)
        case .read(let parameters):
            return start(readPlan(.read, request, [parameters.handle], for: bearer.client), for: bearer)
        case .readBlob(let parameters):
            let kind = ReadPlan.Kind.blob(offset: Int(parameters.offset))
            return start(readPlan(kind, request, [parameters.handle], for: bearer.client), for: bearer)
        case .readMultiple(let parameters):
            return start(readPlan(.multiple, request, parameters.handles, for: bearer.client), for: bearer)
        case .readMultipleVariable(let parameters):
            return start(readPlan(.multipleVariable, request, parameters.handles, for: bearer.client), for: bearer)
        case .write(let parameters):
            return write(parameters.value, to: parameters.handle, .request, request, from: bearer)
        case .prepareWrite(let parameters):
            return [.respond(bearer, prepare(parameters, request, from: bearer))]
        case .executeWrite(let parameters):
            return execute(parameters.flags, request, from: bearer)
        }
    }

    private mutating func start(_ plan: Result<ReadPlan, ATTErrorResponse>, for bearer: BearerID) -> [Action] {
        switch plan {
        case .success(let plan): advance(plan, for: bearer)
        case .failure(let error): [.respond(bearer, .failure(error))]
        }
    }

    private mutating func perform(_ command: ATTCommand, from bearer: BearerID) -> [Action] {
        // A command of a client that does not know the database is ignored. Spec: Core 5.4, Vol 3, Part G,
        // 2.5.2.1
        guard acceptsCommands(from: bearer.client) else { return [] }
        switch command {
        case .write(let parameters):
            return write(parameters.value, to: parameters.handle, .command, nil, from: bearer)
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

extension GATTServerBearer.Pending {
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
