// SPDX-License-Identifier: MIT

/// A procedure of GATT's client side as a value: each answer goes in, and the next step comes out.
///
/// It sends one request at a time and does not depend on bearers, clocks or tasks. Every loop moves forward through the
/// handles or through the value, so that a hostile server cannot keep it going.
///
/// Spec: Core 5.4, Vol 3, Part G, 4
public protocol GATTProcedure: Sendable {
    /// The result of the procedure.
    associatedtype Output: Sendable

    /// The first step.
    mutating func start(mtu: UInt16) -> GATTStep<Output>

    /// The next step, after the answer to the request sent last.
    mutating func received(_ answer: ATTAnswer, mtu: UInt16) -> GATTStep<Output>

    /// The request that restores the server's state if the procedure is abandoned now; `nil` if none is needed.
    func abort() -> ATTRequest?

    /// Whether the procedure prepares writes. A server keeps one queue of prepared writes for each client, so two such
    /// procedures must not run at the same time on a bearer: the first to execute would write the other's parts as
    /// well.
    var preparesWrites: Bool { get }
}

extension GATTProcedure {
    /// `nil`: most procedures change nothing on the server until they are done.
    public func abort() -> ATTRequest? { nil }

    /// `false`, as for most procedures.
    public var preparesWrites: Bool { false }
}

/// The next step of a procedure.
public enum GATTStep<Output: Sendable>: Sendable {
    /// Send the request, then pass the answer to `received`.
    case send(ATTRequest)
    /// The procedure is complete.
    case done(Output)
    /// The procedure has failed.
    case failed(GATTError)
}

extension GATTStep: Equatable where Output: Equatable {}

/// The reason of a procedure's failure.
public enum GATTError: Error, Hashable, Sendable {
    /// The server refused the request.
    case refused(ATTErrorResponse)
    /// The specification does not allow the server's answer.
    case invalidResponse(InvalidResponse)
    /// The value is longer than the procedure can write; both lengths in octets.
    case valueTooLong(length: Int, maximum: Int)
    /// The number of handles is less than two, or more than a request has room for.
    case unsuitableHandleCount(Int)

    /// The fault of an answer.
    public enum InvalidResponse: Hashable, Sendable {
        /// It belongs to another request.
        case unexpected(ATTOpcode)
        /// A handle lies outside of the requested range.
        case handleOutOfRange(Handle, asked: HandleRange)
        /// A handle is not greater than the one before it.
        case handleNotRising(Handle, after: Handle)
        /// A range of handles ends before it begins.
        case rangeBackwards(HandleRange)
        /// A value in a list does not have the form that its type demands.
        case malformed(DecodeError, at: Handle)
        /// More entries were found than there are handles.
        case tooManyEntries
        /// More values arrived than were asked for, or fewer although the answer was not cut.
        case valueCount(Int, asked: Int)
        /// A prepared write was echoed with a different handle, offset or value.
        case echoDiffers(Handle, offset: Int)
    }
}

extension GATTError: CustomStringConvertible {
    /// The failure in words: `insufficient authentication (0x05) at 0x0018`.
    public var description: String {
        switch self {
        case .refused(let error):
            "\(error.code) (0x\(Hex.string(error.code.rawValue, minimumDigits: 2))) at \(error.handle)"
        case .invalidResponse(let reason):
            "the device's answer is invalid: \(reason)"
        case .valueTooLong(let length, let maximum):
            "the value has \(length) octets, and at most \(maximum) can be written this way"
        case .unsuitableHandleCount(let count):
            "a request cannot ask for \(count: count, "handle")"
        }
    }
}

extension GATTError.InvalidResponse: CustomStringConvertible {
    /// The fault in words.
    public var description: String {
        switch self {
        case .unexpected(let opcode): "\(opcode) answers another request"
        case .handleOutOfRange(let handle, let asked): "\(handle) lies outside of \(asked)"
        case .handleNotRising(let handle, let previous): "\(handle) comes after \(previous)"
        case .rangeBackwards(let range): "\(range) ends before it begins"
        case .malformed(let error, let handle): "the value at \(handle) is malformed: \(error)"
        case .tooManyEntries: "more entries than there are handles"
        case .valueCount(let count, let asked): "\(count: count, "value") where \(asked) were asked for"
        case .echoDiffers(let handle, let offset): "\(handle) at offset \(offset) was echoed with other octets"
        }
    }
}
