// SPDX-License-Identifier: MIT

/// Sets the random address for scanning, initiating and legacy advertising.
///
/// A controller refuses it with Command Disallowed during a scan, an attempt to connect or legacy advertising, because
/// the address is in use then.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.4
public struct LESetRandomAddress: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0005)
    public static let name = "LE Set Random Address"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(25, 4)

    /// The address (Random_Address).
    public var address: BluetoothAddress

    /// Creates the command.
    public init(_ address: BluetoothAddress) { self.address = address }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        address = BluetoothAddress(rawValue: try reader.uint48("Random_Address"))
    }

    public func encode(into writer: inout ByteWriter) { writer.append(address) }

    public var details: String { "\(address)" }
}
