// SPDX-License-Identifier: MIT

/// Asks the kernel for its adapters. It lists those that are set up and that no program uses exclusively. Sent without
/// an adapter; needs no privilege.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Read Controller Index List Command
public struct ReadControllerIndexList: ManagementParameterlessCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x0003)
    public static let name = "Read Controller Index List"

    /// Creates the command.
    public init() {}

    /// The adapters.
    public struct ReturnParameters: ManagementReturnParameters {
        /// The indices, in no particular order.
        public var adapters: [ManagementIndex]

        /// Creates the return parameters.
        public init(_ adapters: [ManagementIndex]) { self.adapters = adapters }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            let count = try reader.uint16("number of controllers")
            var list = try reader.slice(Int(count) * 2, "controller indices")
            adapters = []
            while !list.isAtEnd { adapters.append(ManagementIndex(rawValue: try list.uint16("controller index"))) }
        }

        public func encode(into writer: inout ByteWriter) {
            let listed = adapters.prefix(32_766)
            writer.uint16(UInt16(listed.count))
            for adapter in listed { writer.uint16(adapter.rawValue) }
        }

        public var details: String {
            adapters.isEmpty ? "none" : adapters.map(\.description).joined(separator: " ")
        }
    }
}
