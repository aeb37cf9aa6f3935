// SPDX-License-Identifier: MIT

/// Gives the kernel the out-of-band data of a device, for its next pairing. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Add Remote Out Of Band Data Command
public struct AddRemoteOutOfBandData: ManagementCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x0021)
    public static let name = "Add Remote Out Of Band Data"

    public typealias ReturnParameters = ManagementAddress

    /// The device.
    public var device: ManagementAddress
    /// The device's data.
    public var data: OutOfBandData

    /// Creates the command.
    public init(_ device: ManagementAddress, _ data: OutOfBandData) {
        self.device = device
        self.data = data
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        device = try ManagementAddress(from: &reader)
        data = try OutOfBandData(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(device)
        writer.append(data)
    }

    public var details: String { "\(device), \(data.details)" }
}
