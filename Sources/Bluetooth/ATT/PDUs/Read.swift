// SPDX-License-Identifier: MIT

/// Asks for an attribute's value.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.4.3
public struct ReadRequest: ATTRequestFormat {
    public typealias Response = ReadResponse

    public static let opcode = ATTOpcode.readRequest
    public static let name = "Read Request"

    /// The attribute's handle.
    public let handle: Handle

    /// A request for this attribute's value.
    public init(handle: Handle) { self.handle = handle }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        handle = try Handle(from: &reader)
    }

    public func encodeParameters(into writer: inout ByteWriter) { writer.append(handle) }

    public var parametersText: String { "\(handle)" }

    public var handleInError: Handle { handle }
}

/// An attribute's value, or as much of it as fits into the MTU.
///
/// The PDU has no length field for the value, so that only a Read Blob Request shows whether a value of MTU − 1 octets
/// goes on.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.4.4
public struct ReadResponse: ATTResponseFormat {
    public static let opcode = ATTOpcode.readResponse
    public static let name = "Read Response"

    /// The value. If it has MTU − 1 octets, it may be cut.
    public let value: [UInt8]

    /// A response with this value.
    public init(value: [UInt8]) { self.value = value }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        value = reader.rest()
    }

    public func encodeParameters(into writer: inout ByteWriter) { writer.append(value) }

    public var parametersText: String { ATTText.value(value) }
}
