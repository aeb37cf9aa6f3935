// SPDX-License-Identifier: MIT

/// Asks the kernel for its adapters. It lists those that are set up and that no program uses exclusively. Sent without
/// an adapter; needs no privilege.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Read Controller Index List Command
package struct ReadControllerIndexList: ManagementParameterlessCommand {
    package static let opcode = ManagementOpcode(rawValue: 0x0003)
    package static let name = "Read Controller Index List"

    package init() {}

    /// The adapters.
    package struct ReturnParameters: ManagementReturnParameters {
        /// The indices, in no particular order.
        package var adapters: [ManagementIndex]

        package init(_ adapters: [ManagementIndex]) { self.adapters = adapters }

        package init(from reader: inout ByteReader) throws(DecodeError) {
            let count = try reader.uint16("number of controllers")
            var list = try reader.slice(Int(count) * 2, "controller indices")
            adapters = []
            while !list.isAtEnd { adapters.append(ManagementIndex(rawValue: try list.uint16("controller index"))) }
        }

        package func encode(into writer: inout ByteWriter) {
            let listed = adapters.prefix(32_766)
            writer.uint16(UInt16(listed.count))
            for adapter in listed { writer.uint16(adapter.rawValue) }
        }

        package var details: String {
            adapters.isEmpty ? "none" : adapters.map(\.description).joined(separator: " ")
        }
    }
}
