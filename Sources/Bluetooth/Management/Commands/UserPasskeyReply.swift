// SPDX-License-Identifier: MIT

/// Answers a User Passkey Request with the passkey. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, User Passkey Reply Command
public struct UserPasskeyReply: ManagementCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x001E)
    public static let name = "User Passkey Reply"

    public typealias ReturnParameters = ManagementAddress

    /// The device.
    public var device: ManagementAddress
    /// The passkey: 0 to 999,999.
    public var passkey: UInt32

    /// Creates the command.
    public init(_ device: ManagementAddress, passkey: UInt32) {
        self.device = device
        self.passkey = passkey
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        device = try ManagementAddress(from: &reader)
        passkey = try reader.uint32("passkey")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(device)
        writer.uint32(passkey)
    }

    /// The device. A trace does not show the passkey.
    public var details: String { "\(device)" }
}
