// SPDX-License-Identifier: MIT

package import Bluetooth

/// A packet of the kernel's management interface: a command to it or an event from it. Both have the same form; only
/// the direction distinguishes them.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Packet Structures
package struct ManagementPacket: Hashable, Sendable {
    /// The command's opcode or the event's code.
    package let code: UInt16
    package let adapter: ManagementIndex
    /// The parameters, at most 65,535 octets.
    package let parameters: [UInt8]

    /// Creates a packet. Cuts the parameters after 65,535 octets, because the length field has 16 bits.
    package init(code: UInt16, adapter: ManagementIndex, parameters: [UInt8]) {
        self.code = code
        self.adapter = adapter
        self.parameters = Array(parameters.prefix(65_535))
    }
}

extension ManagementPacket: WireDecodable, WireEncodable {
    package init(from reader: inout ByteReader) throws(DecodeError) {
        code = try reader.uint16("code")
        adapter = ManagementIndex(rawValue: try reader.uint16("controller index"))
        let length = try reader.uint16("parameter length")
        parameters = try reader.bytes(Int(length), "parameters")
    }

    package func encode(into writer: inout ByteWriter) {
        writer.uint16(code)
        writer.uint16(adapter.rawValue)
        writer.uint16(UInt16(clamping: parameters.count))
        writer.append(parameters)
    }
}

/// The opcode of a management command. Unknown values are kept.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst
package struct ManagementOpcode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }
}
