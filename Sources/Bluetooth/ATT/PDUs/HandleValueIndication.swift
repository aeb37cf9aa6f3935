// SPDX-License-Identifier: MIT

/// A value that the server sends without a request. The server waits for the client's confirmation.
///
/// Until then the server sends no further indication. Without a confirmation in 30 s the bearer is unusable.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.7.2
public struct HandleValueIndication: ATTPDUFormat, ATTValueFormat {
    public static let opcode = ATTOpcode.handleValueIndication
    public static let name = "Handle Value Indication"
    public static let kind = ATTPDUKind.indication

    /// The attribute's handle.
    public let handle: Handle
    /// Its value. If it has MTU − 3 octets, it may be cut.
    public let value: [UInt8]

    /// An indication of this value.
    public init(handle: Handle, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }
}

/// Confirms an indication.
///
/// It has no handle, because only one indication can be unconfirmed.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.7.3
public struct HandleValueConfirmation: ATTPDUFormat, ATTEmptyFormat {
    public static let opcode = ATTOpcode.handleValueConfirmation
    public static let name = "Handle Value Confirmation"
    public static let kind = ATTPDUKind.confirmation

    /// The confirmation, which has no parameters.
    public init() {}
}
