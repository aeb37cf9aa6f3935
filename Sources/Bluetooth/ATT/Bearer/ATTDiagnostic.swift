// SPDX-License-Identifier: MIT

/// A violation of the rules that the bearer survives. It is counted, and shown on request.
public enum ATTDiagnostic: Equatable, Sendable {
    /// A PDU without an opcode; dropped.
    case emptyPDU
    /// A PDU longer than allowed; dropped. A request is refused, and an indication is confirmed nevertheless.
    case oversizedPDU(ATTOpcode, octets: Int, limit: UInt16)
    /// A value longer than the local limit; cut to the limit.
    case valueCut(ATTOpcode, octets: Int, limit: UInt16)
    /// A PDU with malformed parameters; dropped. A request is refused, and an indication is confirmed nevertheless.
    case malformedPDU(ATTOpcode, DecodeError)
    /// A response without an outstanding request; ignored.
    case unsolicitedResponse(ATTOpcode)
    /// A second Exchange MTU Response; ignored.
    case duplicateMTUResponse
    /// The answer to a cancelled request or indication; ignored.
    case lateAnswer(ATTOpcode)
    /// An Error Response about a request that was answered before, during another request; ignored.
    case lateError(ATTErrorResponse)
    /// An Error Response about a request that was never made; taken as the answer to the outstanding one.
    case misnamedError(ATTErrorResponse, takenFor: ATTOpcode)
    /// An Error Response with the reserved code 0x00; taken as an error.
    case errorWithoutCode(ATTErrorResponse)
    /// A confirmation without an outstanding indication; ignored.
    case unexpectedConfirmation
    /// An indication that was not confirmed within 30 s. It ends the bearer.
    case unconfirmedIndication
    /// A request that the specification does not define; refused.
    case unknownRequest(ATTOpcode)
    /// A command that the specification does not define; ignored.
    case unknownCommand(ATTOpcode)
    /// A signed write; ignored, because there is no key to check the signature with.
    case signedWriteIgnored(Handle)
    /// A signed write; ignored, because of what the check of its signature has found.
    case signatureRefused(Handle, SignatureVerdict)
    /// A request before the answer to the previous one; it waits for its turn.
    case pipelinedRequest(ATTOpcode)
    /// A request beyond the limit of waiting ones; dropped.
    case requestDropped(ATTOpcode)
    /// A second Exchange MTU Request; answered like the first.
    case repeatedMTURequest
    /// An answer of the local server without a request; not sent.
    case answerWithoutRequest
    /// An answer of the local server that does not fit the request or the MTU; Unlikely Error was sent instead.
    case answerReplaced(ATTOpcode, request: ATTOpcode)
}

extension ATTDiagnostic {
    /// Whether a value that the peer has sent unasked was dropped.
    public var isLostUpdate: Bool {
        switch self {
        case .oversizedPDU(let opcode, _, _), .malformedPDU(let opcode, _):
            [.handleValueNotification, .handleValueIndication, .multipleHandleValueNotification].contains(opcode)
        default: false
        }
    }
}

extension ATTDiagnostic: CustomStringConvertible {
    public var description: String {
        switch self {
        case .emptyPDU: "dropped an empty PDU"
        case .oversizedPDU(let opcode, let octets, let limit):
            "\(opcode.fate) \(opcode) of \(octets) octets where at most \(limit) are allowed"
        case .valueCut(let opcode, let octets, let limit):
            "took \(limit) octets of \(opcode), which has \(octets)"
        case .malformedPDU(let opcode, let error): "\(opcode.fate) malformed \(opcode): \(error)"
        case .unsolicitedResponse(let opcode): "ignored \(opcode) to no request"
        case .duplicateMTUResponse: "ignored a second Exchange MTU Response"
        case .lateAnswer(.handleValueConfirmation): "ignored a confirmation of a cancelled indication"
        case .lateAnswer(let opcode): "ignored \(opcode) to a cancelled request"
        case .lateError(let error): "ignored \(error) about a request answered before"
        case .misnamedError(let error, let request): "took \(error) as the answer to \(request)"
        case .errorWithoutCode(let error): "took \(error) as an error although it names none"
        case .unexpectedConfirmation: "ignored a confirmation of no indication"
        case .unconfirmedIndication: "gave up: an indication was not confirmed within 30 s"
        case .unknownRequest(let opcode): "refused request \(opcode)"
        case .unknownCommand(let opcode): "ignored command \(opcode)"
        case .signedWriteIgnored(let handle): "ignored a signed write to \(handle): no key"
        case .signatureRefused(let handle, .replayed):
            "ignored a signed write to \(handle): its number was used before, so it is a replay"
        case .signatureRefused(let handle, _): "ignored a signed write to \(handle): its signature is wrong"
        case .pipelinedRequest(let opcode): "\(opcode) came before the last request was answered"
        case .requestDropped(let opcode): "dropped \(opcode): too many requests at once"
        case .repeatedMTURequest: "the peer exchanged the MTU again"
        case .answerWithoutRequest: "not sent: an answer to no request"
        case .answerReplaced(let opcode, let request): "not sent: \(opcode), which does not fit \(request)"
        }
    }
}

extension ATTOpcode {
    /// What happens to a PDU that cannot be carried out: only a request is answered, with an error.
    fileprivate var fate: String {
        if case .request? = ATTCatalog.format(of: self)?.kind { "refused" } else { "dropped" }
    }
}
