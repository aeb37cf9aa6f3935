// SPDX-License-Identifier: MIT

/// Asks the server to queue a part of a value until Execute Write.
///
/// Offset and length are not checked before Execute Write, so errors about them arrive only then.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.6.1
public struct PrepareWriteRequest: ATTRequestFormat, ATTPreparedPart {
    public typealias Response = PrepareWriteResponse

    public static let opcode = ATTOpcode.prepareWriteRequest
    public static let name = "Prepare Write Request"

    /// The attribute's handle.
    public let handle: Handle
    /// The position of the part in the value, in octets.
    public let offset: UInt16
    /// The part (Part Attribute Value).
    public let value: [UInt8]

    /// A request to queue this part.
    public init(handle: Handle, offset: UInt16, value: [UInt8]) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }

    public var handleInError: Handle { handle }
}

/// Repeats the queued part, so that the client can check it.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.6.2
public struct PrepareWriteResponse: ATTResponseFormat, ATTPreparedPart {
    public static let opcode = ATTOpcode.prepareWriteResponse
    public static let name = "Prepare Write Response"

    /// The attribute's handle.
    public let handle: Handle
    /// The position of the part in the value, in octets.
    public let offset: UInt16
    /// The part (Part Attribute Value).
    public let value: [UInt8]

    /// A response that repeats this part.
    public init(handle: Handle, offset: UInt16, value: [UInt8]) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }
}
