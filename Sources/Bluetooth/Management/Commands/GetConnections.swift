// SPDX-License-Identifier: MIT

/// Asks the kernel for the devices to which an adapter has links, of any program. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Get Connections Command
package struct GetConnections: ManagementParameterlessCommand {
    package static let opcode = ManagementOpcode(rawValue: 0x0015)
    package static let name = "Get Connections"

    package init() {}

    /// The devices.
    package struct ReturnParameters: ManagementReturnParameters {
        /// The length of an entry in octets: six of the address, one of its type.
        private static let entryLength = 7

        /// The devices, on every transport.
        package var devices: [ManagementAddress]

        package init(_ devices: [ManagementAddress]) { self.devices = devices }

        package init(from reader: inout ByteReader) throws(DecodeError) {
            let count = try reader.uint16("connection count")
            var list = try reader.slice(Int(count) * Self.entryLength, "connections")
            devices = []
            while !list.isAtEnd { devices.append(try ManagementAddress(from: &list)) }
        }

        package func encode(into writer: inout ByteWriter) {
            // The length field of a packet has 16 bits: 9,000 entries of 7 octets fit.
            let listed = devices.prefix(9_000)
            writer.uint16(UInt16(listed.count))
            for device in listed { writer.append(device) }
        }

        package var details: String {
            devices.isEmpty ? "none" : devices.map(\.description).joined(separator: " ")
        }
    }
}
