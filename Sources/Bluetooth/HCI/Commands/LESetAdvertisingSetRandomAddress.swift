// SPDX-License-Identifier: MIT

/// Sets the random address of an advertising set.
///
/// The set must exist. A controller refuses the command with Command Disallowed while the set advertises connectably.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.52
public struct LESetAdvertisingSetRandomAddress: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0035)
    public static let name = "LE Set Advertising Set Random Address"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(36, 1)

    /// The set (Advertising_Handle).
    public var set: LEAdvertisingHandle
    /// The address (Random_Address).
    public var address: BluetoothAddress

    /// Creates the command.
    public init(_ set: LEAdvertisingHandle, _ address: BluetoothAddress) {
        self.set = set
        self.address = address
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        set = try LEAdvertisingHandle(from: &reader)
        address = BluetoothAddress(rawValue: try reader.uint48("Random_Address"))
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(set)
        writer.append(address)
    }

    public var details: String { "set \(set), \(address)" }
}
