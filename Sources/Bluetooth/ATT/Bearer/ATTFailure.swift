// SPDX-License-Identifier: MIT

/// Identifies a request or an indication in a bearer. The caller chooses the number, and uses each once.
public struct ATTTransactionID: RawRepresentable, Hashable, Sendable {
    /// The number that the caller has chosen.
    public let rawValue: UInt64

    /// Creates an identifier.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The failure of a request or an indication.
public enum ATTFailure: Error, Equatable, Sendable {
    /// The server refused it.
    case errorResponse(ATTErrorResponse)
    /// The peer did not answer within 30 s, and the bearer has ended.
    case timedOut
    /// The bearer was closed.
    case closed
    /// The caller cancelled it.
    case cancelled
    /// The response is not a valid one.
    case invalidResponse(ATTInvalidResponse)
    /// It is longer than the MTU, and was not sent.
    case tooLong(octets: Int, mtu: UInt16)
    /// Too many others wait, and it was not sent.
    case queueFull
    /// The client has requested an MTU exchange before, which is allowed once on a bearer; it was not sent.
    case mtuAlreadyExchanged
}

extension ATTFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .errorResponse(let error):
            "ATT 0x\(Hex.string(error.code.rawValue, minimumDigits: 2)) \(error.code)"
        case .timedOut: "no answer within 30 s"
        case .closed: "the connection was closed"
        case .cancelled: "cancelled"
        case .invalidResponse(let response): response.description
        case .tooLong(let octets, let mtu): "\(octets) octets are more than the MTU of \(mtu)"
        case .queueFull: "too many requests are waiting"
        case .mtuAlreadyExchanged: "the MTU was exchanged before"
        }
    }
}

/// An invalid response, with its first octets as evidence.
public struct ATTInvalidResponse: Equatable, Sendable, CustomStringConvertible {
    /// The fault of a response.
    public enum Problem: Equatable, Sendable {
        /// It answers another request than the outstanding one.
        case wrongOpcode
        /// Its parameters are malformed.
        case malformed(DecodeError)
        /// It is longer than the size that this side has offered.
        case tooLong(octets: Int, limit: UInt16)
    }

    /// The request that it was received for.
    public let request: ATTOpcode
    /// The response's own opcode.
    public let opcode: ATTOpcode
    /// The fault.
    public let problem: Problem
    /// Its first octets, at most 16.
    public let firstOctets: [UInt8]

    /// Records the fault.
    public init(request: ATTOpcode, problem: Problem, octets: [UInt8]) {
        self.request = request
        self.problem = problem
        opcode = ATTOpcode(octets.first ?? 0)
        firstOctets = Array(octets.prefix(16))
    }

    public var description: String {
        let what = "invalid answer to \(request)"
        return switch problem {
        case .wrongOpcode: "\(what): \(opcode) (\(Hex.string(firstOctets)))"
        case .malformed(let error): "\(what): \(error) (\(Hex.string(firstOctets)))"
        case .tooLong(let octets, let limit): "\(what): \(octets) octets where at most \(limit) are allowed"
        }
    }
}
