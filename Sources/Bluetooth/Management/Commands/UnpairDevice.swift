// SPDX-License-Identifier: MIT

/// Removes all keys of a device from the kernel. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Unpair Device Command
public struct UnpairDevice: ManagementCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x001B)
    public static let name = "Unpair Device"

    public typealias ReturnParameters = ManagementAddress

    /// The device, by its identity address if it is known.
    public var device: ManagementAddress
    /// Whether links to the device are closed.
    public var disconnects: Bool

    /// Creates the command.
    public init(_ device: ManagementAddress, disconnects: Bool) {
        self.device = device
        self.disconnects = disconnects
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        device = try ManagementAddress(from: &reader)
        disconnects = try reader.flag("disconnect")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(device)
        writer.flag(disconnects)
    }

    public var details: String { disconnects ? "\(device), disconnect" : "\(device)" }
}
