// SPDX-License-Identifier: MIT

/// The peer's requests: the one that the local server processes, and those that came before its answer.
struct ATTPeerRequests: Sendable {
    /// A request, or the refusal of a malformed one.
    enum Entry: Sendable {
        case request(ATTRequest)
        case refusal(ATTErrorResponse)
    }

    private enum State: Sendable {
        case idle
        case serving(ATTRequest)
    }

    /// The maximum number of requests that wait for the answer to the current one. A client must not send any of them,
    /// so none of those beyond the limit is owed an answer.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.3.2
    static let limit = 8

    private var state = State.idle
    private var early: [Entry] = []

    /// The request that the local server processes.
    var served: ATTRequest? {
        switch state {
        case .idle: nil
        case .serving(let request): request
        }
    }

    /// Queues a request. Returns `false` if the queue is full.
    mutating func append(_ entry: Entry) -> Bool {
        // A peer sends one request at a time. One that sends many is not queued without limit.
        guard early.count < Self.limit else { return false }
        early.append(entry)
        return true
    }

    /// Takes the first request from the queue; `nil` if the queue is empty or a request is being processed.
    mutating func popFirst() -> Entry? {
        switch state {
        case .idle: early.isEmpty ? nil : early.removeFirst()
        case .serving: nil
        }
    }

    mutating func began(_ request: ATTRequest) { state = .serving(request) }

    mutating func finish() { state = .idle }
}

// The server's part: requests, commands and their answers.
extension ATTBearer {
    /// Answers the request that was handed out last.
    ///
    /// If the answer belongs to another request or is longer than the MTU, Unlikely Error is sent instead, because a
    /// client without an answer would give up the connection after 30 s.
    public mutating func respond(_ answer: ATTAnswer) -> [Action] {
        // The application may answer after the end of the link.
        guard !isClosed else { return [] }
        guard let request = peerRequests.served else { return [.report(.answerWithoutRequest)] }
        peerRequests.finish()
        return send(answer, to: request) + serveNext()
    }

    mutating func requestReceived(_ opcode: ATTOpcode, _ bytes: [UInt8]) -> [Action] {
        // Read as a whole before it waits, so that a refusal keeps its place among the answers.
        var reports: [ATTDiagnostic] = []
        guard let entry = read(opcode, bytes, &reports) else { return reports.map { .report($0) } }
        if peerRequests.served != nil { reports.append(.pipelinedRequest(opcode)) }
        // A dropped request gets no answer: a report that it was refused or waits would not be true.
        if !peerRequests.append(entry) { reports = [.requestDropped(opcode)] }
        return reports.map { .report($0) } + serveNext()
    }

    /// The entry for a request; `nil` if there is nothing to answer.
    private func read(
        _ opcode: ATTOpcode,
        _ bytes: [UInt8],
        _ reports: inout [ATTDiagnostic]
    ) -> ATTPeerRequests.Entry? {
        func refusal(_ code: ATTErrorCode) -> ATTPeerRequests.Entry {
            .refusal(ATTErrorResponse(requestOpcode: opcode, handle: .invalid, code: code))
        }
        do {
            switch try ATTClientPDU(decoding: bytes) {
            case .request(let request):
                guard let problem = oversized(bytes) else { return .request(request) }
                reports.append(problem)
                return refusal(.invalidPDU)
            // Bit 6 of an opcode distinguishes commands from requests, even if the opcode is unknown. Spec: Core 5.4,
            // Vol 3, Part F, 3.3.1
            case .unknown where !opcode.isCommand:
                reports.append(.unknownRequest(opcode))
                return refusal(.requestNotSupported)
            // A command has no answer.
            case .unknown, .command, .confirmation:
                reports.append(.unknownCommand(opcode))
                return nil
            }
        } catch {
            reports.append(.malformedPDU(opcode, error))
            return refusal(.invalidPDU)
        }
    }

    /// Processes waiting requests until the server has one to answer.
    private mutating func serveNext() -> [Action] {
        var actions: [Action] = []
        // Refusals and exchanges are answered here; only one request at a time reaches the application.
        while let entry = peerRequests.popFirst() {
            switch entry {
            case .refusal(let error):
                actions.append(.send(error.encoded()))
            case .request(.exchangeMTU(let request)):
                actions += exchangeMTU(request)
            case .request(let request):
                switch server {
                // A client without attributes still has to answer: otherwise the peer would wait for 30 seconds.
                case .none:
                    actions.append(.send(request.answerOfAnEmptyDatabase.encoded()))
                case .attached:
                    peerRequests.began(request)
                    actions.append(.serve(.request(request)))
                }
            }
        }
        return actions
    }

    /// Answers the peer's MTU request. The new size applies from the PDU after the response on.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.2.2
    private mutating func exchangeMTU(_ request: ExchangeMTURequest) -> [Action] {
        guard !sizes.isFixed else {
            return [.send(ATTRequest.exchangeMTU(request).refused(.requestNotSupported).encoded())]
        }
        let isRepeated = sizes.isServed
        // A second request is a violation, but a peer without an answer would wait for 30 s and give up the bearer.
        sizes.isServed = true
        sizes.agreed(ours: sizes.offered, theirs: request.clientRxMTU)
        let response = ExchangeMTUResponse(serverRxMTU: sizes.offered)
        return (isRepeated ? [.report(.repeatedMTURequest)] : []) + [.send(response.encoded())]
    }

    private func send(_ answer: ATTAnswer, to request: ATTRequest) -> [Action] {
        switch answer {
        case .success(let response):
            let bytes = response.encoded()
            // An answer of the application that does not fit would break the peer's bearer.
            guard response.opcode == request.responseOpcode, bytes.count <= Int(mtu) else {
                return [
                    .report(.answerReplaced(response.opcode, request: request.opcode)),
                    .send(request.refused(.unlikelyError).encoded()),
                ]
            }
            return [.send(bytes)]
        case .failure(let error):
            return [.send(request.refused(error.code, at: error.handle).encoded())]
        }
    }

    mutating func commandReceived(_ opcode: ATTOpcode, _ bytes: [UInt8]) -> [Action] {
        if let problem = oversized(bytes) { return [.report(problem)] }
        do {
            let pdu = try ATTClientPDU(decoding: bytes)
            // The owner checks signatures before it passes a signed write on; here there is no key.
            if case .command(.signedWrite(let write)) = pdu { return [.report(.signedWriteIgnored(write.handle))] }
            return server == .attached ? [.serve(pdu)] : []
        } catch {
            return [.report(.malformedPDU(opcode, error))]
        }
    }

    /// Ends the outstanding indication. Octets after the opcode are ignored, because the opcode alone confirms.
    mutating func confirmationReceived(_ bytes: [UInt8], now: Instant) -> [Action] {
        // A confirmation without an indication is ignored: otherwise it would confirm the next one.
        guard let finished = indications.finish() else { return [.report(.unexpectedConfirmation)] }
        let outcome: Action =
            finished.isAbandoned
            ? .report(.lateAnswer(.handleValueConfirmation)) : .indicationConfirmed(finished.entry.id)
        return [outcome] + sendNextIndication(now: now)
    }
}

extension ATTRequest {
    /// The answer of a server without attributes.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.1.1
    fileprivate var answerOfAnEmptyDatabase: ATTErrorResponse {
        switch self {
        case .findInformation(let request): refused(request.range.isValid ? .attributeNotFound : .invalidHandle)
        case .findByTypeValue(let request): refused(request.range.isValid ? .attributeNotFound : .invalidHandle)
        case .readByType(let request): refused(request.range.isValid ? .attributeNotFound : .invalidHandle)
        case .readByGroupType(let request): refused(request.range.isValid ? .attributeNotFound : .invalidHandle)
        case .exchangeMTU, .read, .readBlob, .readMultiple, .readMultipleVariable, .write, .prepareWrite, .executeWrite:
            refused(.requestNotSupported)
        }
    }
}
