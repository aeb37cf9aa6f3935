// SPDX-License-Identifier: MIT

/// Starts and stops legacy advertising.
///
/// Connectable advertising also ends when a central connects.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.9
public struct LESetAdvertisingEnable: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x000A)
    public static let name = "LE Set Advertising Enable"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(26, 1)

    /// Whether to advertise (Advertising_Enable).
    public var isEnabled: Bool

    /// Creates the command.
    public init(isEnabled: Bool) { self.isEnabled = isEnabled }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        isEnabled = try reader.flag("Advertising_Enable")
    }

    public func encode(into writer: inout ByteWriter) { writer.flag(isEnabled) }

    public var details: String { isEnabled ? "on" : "off" }
}
