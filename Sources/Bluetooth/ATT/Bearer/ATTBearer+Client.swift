// SPDX-License-Identifier: MIT

// Reception of PDUs: their distribution, and the part that concerns a client.
extension ATTBearer {
    /// Processes a PDU of any kind.
    public mutating func pduReceived(_ bytes: [UInt8], now: Instant) -> [Action] {
        // A response after the deadline is too late, even if the timer has not fired yet.
        let overdue = timerFired(now: now)
        guard !isClosed else { return overdue }
        // A PDU without an opcode cannot be answered, not even by an error.
        guard let first = bytes.first else { return [.report(.emptyPDU)] }
        let opcode = ATTOpcode(first)
        switch ATTCatalog.format(of: opcode)?.kind {
        // An unknown opcode may be a request of a later version, which needs an answer.
        case .request, nil: return requestReceived(opcode, bytes)
        case .command: return commandReceived(opcode, bytes)
        case .confirmation: return confirmationReceived(bytes, now: now)
        case .response: return responseReceived(opcode, bytes, now: now)
        case .notification: return notificationReceived(opcode, bytes)
        case .indication: return indicationReceived(opcode, bytes)
        }
    }

    /// The report about a PDU that is too long; `nil` if its length is allowed.
    func oversized(_ bytes: [UInt8]) -> ATTDiagnostic? {
        // The size that this side has offered counts, not the agreed one: a peer may send before it knows the
        // agreement.
        guard bytes.count > Int(maximumMTU) else { return nil }
        return .oversizedPDU(ATTOpcode(bytes[0]), octets: bytes.count, limit: maximumMTU)
    }

    // MARK: - Values sent without a request

    private func notificationReceived(_ opcode: ATTOpcode, _ bytes: [UInt8]) -> [Action] {
        if let problem = oversized(bytes) { return [.report(problem)] }
        do {
            return [.received(try ATTServerPDU(decoding: bytes))]
        } catch {
            return [.report(.malformedPDU(opcode, error))]
        }
    }

    /// Confirms before the value is examined, because the specification requires a confirmation even if the handle or
    /// the value is invalid. Without it the peer's next indication would wait for 30 s and end the bearer.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.7.2
    private func indicationReceived(_ opcode: ATTOpcode, _ bytes: [UInt8]) -> [Action] {
        [.send(HandleValueConfirmation().encoded())] + notificationReceived(opcode, bytes)
    }

    // MARK: - Responses

    private mutating func responseReceived(_ opcode: ATTOpcode, _ bytes: [UInt8], now: Instant) -> [Action] {
        guard let outstanding = requests.outstanding else {
            // Some devices answer an exchange twice. The second answer belongs to no request, and does no harm.
            let isDuplicate = opcode == .exchangeMTUResponse && answeredOpcodes.contains(.exchangeMTURequest)
            return [.report(isDuplicate ? .duplicateMTUResponse : .unsolicitedResponse(opcode))]
        }
        let request = outstanding.entry.pdu
        if opcode == .errorResponse { return errorReceived(bytes, request: request, now: now) }
        guard opcode == request.responseOpcode else {
            // A second answer to the exchange must not end the request that is outstanding now.
            if opcode == .exchangeMTUResponse, answeredOpcodes.contains(.exchangeMTURequest) {
                return [.report(.duplicateMTUResponse)]
            }
            // A wrong response cannot be matched with any request, so that nothing on this bearer can be
            // trusted any more.
            return end(.invalidResponse(.init(request: request.opcode, problem: .wrongOpcode, octets: bytes)))
        }
        // The rest of a value can be requested. Any other response that is too long fails its request.
        let taken = opcode.bringsPartOfValue ? Array(bytes.prefix(Int(maximumMTU))) : bytes
        let isCut = taken.count < bytes.count
        let reports = isCut ? [Action.report(.valueCut(opcode, octets: bytes.count, limit: maximumMTU))] : []
        return reports
            + complete(taken, of: request, now: now) { () throws(DecodeError) in
                switch try ATTServerPDU(decoding: taken) {
                case .response(let response): .success(response)
                case .error(let error): .failure(.errorResponse(error))
                case .notification, .indication, .multipleNotification, .unknown:
                    .failure(.invalidResponse(.init(request: request.opcode, problem: .wrongOpcode, octets: bytes)))
                }
            }
    }

    private mutating func errorReceived(_ bytes: [UInt8], request: ATTRequest, now: Instant) -> [Action] {
        var reports: [Action] = []
        // A malformed error is decoded again below, where it fails the request.
        if let error = try? ATTErrorResponse(decoding: bytes) {
            if error.requestOpcode != request.opcode {
                // An error for a request that was answered before does not concern the present one.
                if answeredOpcodes.contains(error.requestOpcode) { return [.report(.lateError(error))] }
                // Some devices name another opcode in their errors. There is only one request that they can
                // mean.
                reports.append(.report(.misnamedError(error, takenFor: request.opcode)))
            }
            // The code is reserved and gives no reason, but the request is refused nevertheless.
            if error.code.rawValue == 0x00 { reports.append(.report(.errorWithoutCode(error))) }
        }
        return reports
            + complete(bytes, of: request, now: now) { () throws(DecodeError) in
                .failure(.errorResponse(try ATTErrorResponse(decoding: bytes)))
            }
    }

    /// Completes the outstanding request with its response, and sends the next request.
    private mutating func complete(
        _ bytes: [UInt8],
        of request: ATTRequest,
        now: Instant,
        answer: () throws(DecodeError) -> Result<ATTResponse, ATTFailure>
    ) -> [Action] {
        guard let finished = requests.finish() else { return [] }
        // Noted before the next request replaces `requestMTU`. If the MTU has become smaller since the request, the
        // peer may have used the smaller one.
        responseMTU = min(requestMTU, mtu)
        // Remembered, so that a late error about it is recognised.
        answeredOpcodes.insert(request.opcode)
        let result: Result<ATTResponse, ATTFailure>
        if bytes.count > Int(maximumMTU) {
            let problem = ATTInvalidResponse.Problem.tooLong(octets: bytes.count, limit: maximumMTU)
            result = .failure(.invalidResponse(.init(request: request.opcode, problem: problem, octets: bytes)))
        } else {
            do {
                result = try answer()
            } catch {
                result = .failure(
                    .invalidResponse(.init(request: request.opcode, problem: .malformed(error), octets: bytes))
                )
            }
        }
        // Also if the request was cancelled, because the peer uses the agreed size from now on.
        if case .exchangeMTU(let request) = request, case .success(.exchangeMTU(let response)) = result {
            sizes.agreed(ours: request.clientRxMTU, theirs: response.serverRxMTU)
        }
        let outcome: Action =
            // The caller no longer waits for the answer, but no other request could be sent before it.
            finished.isAbandoned
            ? .report(.lateAnswer(ATTOpcode(bytes[0]))) : .completed(finished.entry.id, result)
        // The wire is free now.
        return [outcome] + sendNextRequest(now: now)
    }
}

extension ATTOpcode {
    /// Whether the response carries a value or a part of one, so that the rest can be requested. If such a response is
    /// longer than the local limit, the excess is cut off: only the first (ATT_MTU − 1) octets of a value belong there.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.4.4 and 3.4.4.6
    fileprivate var bringsPartOfValue: Bool { self == .readResponse || self == .readBlobResponse }
}
