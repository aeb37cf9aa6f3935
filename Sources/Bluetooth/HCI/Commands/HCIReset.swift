// SPDX-License-Identifier: MIT

/// Resets the controller. It must never be sent to a shared adapter, because it ends all connections, scans and
/// advertisements of all programs.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.3.2
package struct HCIReset: HCIParameterlessCommand {
    package static let opcode = HCIOpcode(.baseband, 0x0003)
    package static let name = "Reset"
    package static let supportBit: HCISupportBit? = HCISupportBit(5, 7)

    package init() {}
}
