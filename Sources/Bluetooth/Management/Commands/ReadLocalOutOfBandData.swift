// SPDX-License-Identifier: MIT

/// Asks for the adapter's out-of-band data, to give it to another device. Needs `CAP_NET_ADMIN`, and a powered adapter.
/// The data is valid until the adapter is powered off.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Read Local Out Of Band Data Command
package struct ReadLocalOutOfBandData: ManagementParameterlessCommand {
    package static let opcode = ManagementOpcode(rawValue: 0x0020)
    package static let name = "Read Local Out Of Band Data"

    package typealias ReturnParameters = OutOfBandData

    package init() {}
}
