// SPDX-License-Identifier: MIT

/// Writes an attribute's value without a response.
///
/// A server that cannot write the value ignores the command, because there is no response for an error.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.5.3
public struct WriteCommand: ATTPDUFormat, ATTValueFormat {
    public static let opcode = ATTOpcode.writeCommand
    public static let name = "Write Command"
    public static let kind = ATTPDUKind.command

    /// The attribute's handle.
    public let handle: Handle
    /// Its new value.
    public let value: [UInt8]

    /// A command to write this value.
    public init(handle: Handle, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }
}
