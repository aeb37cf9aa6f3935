// SPDX-License-Identifier: GPL-2.0-or-later

/// Resets the controller: every connection, scan and advertisement of every program ends. Never sent to a shared adapter.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.3.2
public struct HCIReset: HCIParameterlessCommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.baseband, 0x0003)
    public static let name = "Reset"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(5, 7)

    /// Makes the command.
    public init() {}
}
