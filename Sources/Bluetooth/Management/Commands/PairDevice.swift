// SPDX-License-Identifier: MIT

/// Pairs with a device: connects if necessary, and completes when the keys are there or the pairing has failed. Needs
/// `CAP_NET_ADMIN`.
///
/// The kernel sends requests to the user as events, which must be answered by commands before this one completes. The
/// returned address is the identity address, if the device has distributed one.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Pair Device Command
public struct PairDevice: ManagementCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x0019)
    public static let name = "Pair Device"

    public typealias ReturnParameters = ManagementAddress

    /// The device.
    public var device: ManagementAddress
    /// The input and output of the machine for this pairing.
    public var capability: IOCapability

    /// Creates the command.
    public init(_ device: ManagementAddress, capability: IOCapability) {
        self.device = device
        self.capability = capability
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        device = try ManagementAddress(from: &reader)
        capability = try reader.value("IO capability")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(device)
        writer.uint8(capability.rawValue)
    }

    public var details: String { "\(device), \(capability)" }
}
