// SPDX-License-Identifier: MIT

/// Asks for an attribute's value from an offset on.
///
/// An offset at the end of the value is allowed and reads no octets; an offset after it is refused with Invalid Offset.
/// A server may refuse with Attribute Not Long if the whole value fits into a Read Response.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.4.5
public struct ReadBlobRequest: ATTRequestFormat {
    public typealias Response = ReadBlobResponse

    public static let opcode = ATTOpcode.readBlobRequest
    public static let name = "Read Blob Request"

    /// The attribute's handle.
    public let handle: Handle
    /// The position of the first octet to read.
    public let offset: UInt16

    /// A request for part of this attribute's value.
    public init(handle: Handle, offset: UInt16) {
        self.handle = handle
        self.offset = offset
    }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        handle = try Handle(from: &reader)
        offset = try reader.uint16("value offset")
    }

    public func encodeParameters(into writer: inout ByteWriter) {
        writer.append(handle)
        writer.uint16(offset)
    }

    public var parametersText: String { "\(handle) offset \(offset)" }

    public var handleInError: Handle { handle }
}

/// Part of an attribute's value.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.4.6
public struct ReadBlobResponse: ATTResponseFormat {
    public static let opcode = ATTOpcode.readBlobResponse
    public static let name = "Read Blob Response"

    /// The value from the offset on. If it has fewer than MTU − 1 octets, this is its end.
    public let value: [UInt8]

    /// A response with this part.
    public init(value: [UInt8]) { self.value = value }

    public init(parameters reader: inout ByteReader) throws(DecodeError) {
        value = reader.rest()
    }

    public func encodeParameters(into writer: inout ByteWriter) { writer.append(value) }

    public var parametersText: String { ATTText.value(value) }
}
