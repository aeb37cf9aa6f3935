// SPDX-License-Identifier: MIT

/// Asks the kernel for the version of its management interface. Sent without an adapter; needs no privilege.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Read Management Version Information Command
package struct ReadManagementVersion: ManagementParameterlessCommand {
    package static let opcode = ManagementOpcode(rawValue: 0x0001)
    package static let name = "Read Management Version Information"

    package init() {}

    /// The version.
    package struct ReturnParameters: ManagementReturnParameters, FieldCoded {
        /// The version, which has always been 1.
        package var version: UInt8
        /// The revision, which grows with each addition.
        package var revision: UInt16

        package init(version: UInt8, revision: UInt16) {
            self.version = version
            self.revision = revision
        }

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            version = try fields(\.version, "version")
            revision = try fields(\.revision, "revision")
        }

        package var details: String { "\(version).\(revision)" }
    }
}
