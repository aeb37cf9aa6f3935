// SPDX-License-Identifier: GPL-2.0-or-later

/// Something odd on a bearer that it survives: to be counted, and told to whoever asks for details.
public enum ATTDiagnostic: Equatable, Sendable {
    /// A PDU without even an opcode; dropped.
    case emptyPDU
    /// A PDU longer than the peer may send; dropped.
    case oversizedPDU(ATTOpcode, octets: Int, limit: UInt16)
    /// A value longer than what we can receive, of which that much was taken.
    case valueCut(ATTOpcode, octets: Int, limit: UInt16)
    /// A PDU whose parameters cannot be read; dropped. A request is refused, an indication confirmed nevertheless.
    case malformedPDU(ATTOpcode, DecodeError)
    /// A response, or an Error Response, where no request was outstanding; ignored.
    case unsolicitedResponse(ATTOpcode)
    /// A second answer to the one Exchange MTU Request; ignored.
    case duplicateMTUResponse
    /// The answer to a request that was cancelled; swallowed.
    case lateAnswer(ATTOpcode)
    /// An Error Response about a request that was answered before, while another one is outstanding; ignored.
    case lateError(ATTErrorResponse)
    /// An Error Response about a request that was never made; taken as the answer to the one outstanding.
    case misnamedError(ATTErrorResponse, takenFor: ATTOpcode)
    /// An Error Response with the reserved code 0x00; taken as the error that it wants to be.
    case errorWithoutCode(ATTErrorResponse)
    /// A confirmation where no indication was outstanding; ignored.
    case unexpectedConfirmation
    /// An indication that was not confirmed within 30 s; that ends the bearer.
    case unconfirmedIndication
    /// A request that the specification does not define; refused.
    case unknownRequest(ATTOpcode)
    /// A command that the specification does not define; ignored.
    case unknownCommand(ATTOpcode)
    /// A signed write, for which there is no key; ignored.
    case signedWriteIgnored(Handle)
    /// A request before the last one was answered; it waits for its turn.
    case pipelinedRequest(ATTOpcode)
    /// A request while too many wait for their turn; dropped.
    case requestDropped(ATTOpcode)
    /// A second Exchange MTU Request; answered like the first.
    case repeatedMTURequest
    /// Our server answered where the peer had asked nothing; not sent.
    case answerWithoutRequest
    /// Our server's answer does not fit the request, or is longer than the MTU; Unlikely Error was sent in its place.
    case answerReplaced(ATTOpcode, request: ATTOpcode)
}

extension ATTDiagnostic: CustomStringConvertible {
    public var description: String {
        switch self {
        case .emptyPDU: "dropped an empty PDU"
        case .oversizedPDU(let opcode, let octets, let limit):
            "dropped \(opcode) of \(octets) octets where at most \(limit) are allowed"
        case .valueCut(let opcode, let octets, let limit):
            "took \(limit) octets of \(opcode), which has \(octets)"
        case .malformedPDU(let opcode, let error): "dropped malformed \(opcode): \(error)"
        case .unsolicitedResponse(let opcode): "ignored \(opcode) to no request"
        case .duplicateMTUResponse: "ignored a second Exchange MTU Response"
        case .lateAnswer(let opcode): "ignored \(opcode) to a cancelled request"
        case .lateError(let error): "ignored \(error) about a request answered before"
        case .misnamedError(let error, let request): "took \(error) as the answer to \(request)"
        case .errorWithoutCode(let error): "took \(error) as an error although it names none"
        case .unexpectedConfirmation: "ignored a confirmation of no indication"
        case .unconfirmedIndication: "gave up: an indication was not confirmed within 30 s"
        case .unknownRequest(let opcode): "refused request \(opcode)"
        case .unknownCommand(let opcode): "ignored command \(opcode)"
        case .signedWriteIgnored(let handle): "ignored a signed write to \(handle): no key"
        case .pipelinedRequest(let opcode): "\(opcode) came before the last request was answered"
        case .requestDropped(let opcode): "dropped \(opcode): too many requests at once"
        case .repeatedMTURequest: "the peer exchanged the MTU again"
        case .answerWithoutRequest: "not sent: an answer to no request"
        case .answerReplaced(let opcode, let request): "not sent: \(opcode), which does not fit \(request)"
        }
    }
}
