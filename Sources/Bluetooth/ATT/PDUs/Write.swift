// SPDX-License-Identifier: MIT

/// Asks the server to write an attribute's value and to confirm that.
///
/// A value of more than MTU − 3 octets does not fit; GATT then queues its parts with Prepare Write.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.5.1
public struct WriteRequest: ATTRequestFormat, ATTValueFormat {
    public typealias Response = WriteResponse

    public static let opcode = ATTOpcode.writeRequest
    public static let name = "Write Request"

    /// The attribute's handle.
    public let handle: Handle
    /// Its new value.
    public let value: [UInt8]

    /// A request to write this value.
    public init(handle: Handle, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }

    public var handleInError: Handle { handle }
}

/// Confirms that the value was written.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.5.2
public struct WriteResponse: ATTResponseFormat, ATTEmptyFormat {
    public static let opcode = ATTOpcode.writeResponse
    public static let name = "Write Response"

    /// The response, which has no parameters.
    public init() {}
}
