// SPDX-License-Identifier: GPL-2.0-or-later

/// Names a request or an indication in a bearer; whoever submits it chooses the number, and uses each once.
public struct ATTTransactionID: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// Takes the number as it is.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Why a request or an indication came to no good end.
public enum ATTFailure: Error, Equatable, Sendable {
    /// The server refused it.
    case errorResponse(ATTErrorResponse)
    /// The peer did not answer within 30 s, and the bearer is no more.
    case timedOut
    /// The bearer closed.
    case closed
    /// Whoever submitted it took it back.
    case cancelled
    /// What came as the answer is none.
    case invalidResponse(ATTInvalidResponse)
    /// It is longer than the MTU, and was not sent.
    case tooLong(octets: Int, mtu: UInt16)
    /// Too many others were waiting, and it was not sent.
    case queueFull
    /// The client has asked for the MTU before, which it may do once on a bearer; it was not sent.
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

/// An answer that cannot be taken for one, with the evidence.
public struct ATTInvalidResponse: Equatable, Sendable, CustomStringConvertible {
    /// What is wrong with it.
    public enum Problem: Equatable, Sendable {
        /// It answers another request than the one outstanding.
        case wrongOpcode
        /// Its parameters cannot be read.
        case malformed(DecodeError)
        /// It is longer than what we said we can receive.
        case tooLong(octets: Int, limit: UInt16)
    }

    /// The request that it came in answer to.
    public let request: ATTOpcode
    /// Its own opcode.
    public let opcode: ATTOpcode
    /// What is wrong with it.
    public let problem: Problem
    /// Its first octets, 16 at most.
    public let firstOctets: [UInt8]

    /// Keeps the evidence.
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
