// SPDX-License-Identifier: MIT

/// Asks the kernel for the version of its management interface. Sent without an adapter; needs no privilege.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Read Management Version Information Command
public struct ReadManagementVersion: ManagementParameterlessCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x0001)
    public static let name = "Read Management Version Information"

    /// Creates the command.
    public init() {}

    /// The version.
    public struct ReturnParameters: ManagementReturnParameters {
        /// The version, which has always been 1.
        public var version: UInt8
        /// The revision, which grows with each addition.
        public var revision: UInt16

        /// Creates the return parameters.
        public init(version: UInt8, revision: UInt16) {
            self.version = version
            self.revision = revision
        }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            version = try reader.uint8("version")
            revision = try reader.uint16("revision")
        }

        public func encode(into writer: inout ByteWriter) {
            writer.uint8(version)
            writer.uint16(revision)
        }

        public var details: String { "\(version).\(revision)" }
    }
}
