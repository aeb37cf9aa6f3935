// SPDX-License-Identifier: MIT

/// Resets the controller. It must never be sent to a shared adapter, because it ends all connections, scans and
/// advertisements of all programs.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.3.2
public struct HCIReset: HCIParameterlessCommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.baseband, 0x0003)
    public static let name = "Reset"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(5, 7)

    /// Creates the command.
    public init() {}
}
