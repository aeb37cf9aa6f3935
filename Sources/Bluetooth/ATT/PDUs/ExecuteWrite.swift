// SPDX-License-Identifier: MIT

/// Asks the server to execute or discard the queue of prepared writes.
///
/// If one of the writes fails, the state of all attributes in the queue is undefined, because a server need not undo
/// the writes before it.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.6.3
public struct ExecuteWriteRequest: ATTRequestFormat {
    public typealias Response = ExecuteWriteResponse

    /// The action on the queue.
    public enum Flags: UInt8, Sendable {
        /// Discard all prepared writes.
        case cancel = 0x00
        /// Execute all prepared writes at once.
        case write = 0x01
    }

    public static let opcode = ATTOpcode.executeWriteRequest
    public static let name = "Execute Write Request"

    /// The action on the queue.
    public let flags: Flags

    /// A request for an action on the queue.
    public init(flags: Flags) { self.flags = flags }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        let octet = try reader.uint8("flags")
        guard let flags = Flags(rawValue: octet) else { throw DecodeError("flags", .invalid(value: UInt64(octet))) }
        self.flags = flags
    }

    public func encodeParameters(into writer: inout ByteWriter) { writer.uint8(flags.rawValue) }

    public var parametersText: String { "\(flags)" }

    public var handleInError: Handle { .invalid }
}

/// Confirms that the queue was executed or discarded.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.6.4
public struct ExecuteWriteResponse: ATTResponseFormat, ATTEmptyFormat {
    public static let opcode = ATTOpcode.executeWriteResponse
    public static let name = "Execute Write Response"

    /// The response, which has no parameters.
    public init() {}
}
