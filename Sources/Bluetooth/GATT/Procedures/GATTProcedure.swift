// SPDX-License-Identifier: GPL-2.0-or-later

/// A procedure of GATT's client side as a value: told each answer, it says what to do next.
///
/// It sends one request at a time and knows nothing of bearers, clocks or tasks. Every loop moves forward through the
/// handles or through the value, so that no server, however hostile, can keep it going.
///
/// Spec: Core 5.4, Vol 3, Part G, 4
public protocol GATTProcedure: Sendable {
    /// What the procedure finds out.
    associatedtype Output: Sendable

    /// The first step.
    mutating func start(mtu: UInt16) -> GATTStep<Output>

    /// The next step, after the answer to the request sent last.
    mutating func received(_ answer: ATTAnswer, mtu: UInt16) -> GATTStep<Output>

    /// What has to be sent to leave the server as it was, if the procedure is given up now; `nil` where nothing has.
    func abort() -> ATTRequest?

    /// Whether it prepares writes. A server keeps one queue of them for each client: of two such procedures at a time on a
    /// bearer, the first to execute would write the other's parts as well.
    var preparesWrites: Bool { get }
}

extension GATTProcedure {
    /// Most procedures leave nothing behind.
    public func abort() -> ATTRequest? { nil }

    /// Most procedures do not.
    public var preparesWrites: Bool { false }
}

/// What a procedure wants next.
public enum GATTStep<Output: Sendable>: Sendable {
    /// Send this and hand in the answer.
    case send(ATTRequest)
    /// All was done.
    case done(Output)
    /// It cannot be done.
    case failed(GATTError)
}

extension GATTStep: Equatable where Output: Equatable {}

/// Why a procedure has failed.
public enum GATTError: Error, Hashable, Sendable {
    /// The server has refused the request.
    case refused(ATTErrorResponse)
    /// The server's answer is not one that the specification allows.
    case invalidResponse(InvalidResponse)
    /// The value is longer than what can be written this way.
    case valueTooLong(length: Int, maximum: Int)
    /// More handles are asked for than a request has room for, or fewer than two.
    case unsuitableHandleCount(Int)

    /// What is wrong with an answer.
    public enum InvalidResponse: Hashable, Sendable {
        /// It answers another request.
        case unexpected(ATTOpcode)
        /// A handle lies outside of what was asked for.
        case handleOutOfRange(Handle, asked: HandleRange)
        /// A handle does not lie behind the one before it.
        case handleNotRising(Handle, after: Handle)
        /// A range of handles ends before it begins.
        case rangeBackwards(HandleRange)
        /// A value in a list cannot be what it has to be.
        case malformed(DecodeError, at: Handle)
        /// More was found than there are handles.
        case tooManyEntries
        /// More values came than were asked for, or, uncut, fewer.
        case valueCount(Int, asked: Int)
        /// A prepared write was echoed with other octets.
        case echoDiffers(Handle, offset: Int)
    }
}

extension GATTError: CustomStringConvertible {
    /// What happened, in words: `insufficient authentication (0x05) at 0x0018`.
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
    /// What is wrong, in words.
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
