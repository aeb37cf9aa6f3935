// SPDX-License-Identifier: MIT

/// A value that the server sends without a request. It is not confirmed.
///
/// It is unreliable, because a receiver without room may discard it and no side notices that.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.7.1
public struct HandleValueNotification: ATTPDUFormat, ATTValueFormat {
    public static let opcode = ATTOpcode.handleValueNotification
    public static let name = "Handle Value Notification"
    public static let kind = ATTPDUKind.notification

    /// The attribute's handle.
    public let handle: Handle
    /// Its value. If it has MTU − 3 octets, it may be cut.
    public let value: [UInt8]

    /// The longest value in octets that a notification or indication carries.
    public static func maximumLength(mtu: UInt16) -> Int { Int(mtu) - 3 }

    /// A notification of this value.
    public init(handle: Handle, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }
}
