// SPDX-License-Identifier: MIT

/// The position of a command in the controller's table of supported commands.
///
/// Spec: Core 5.4, Vol 4, Part E, 6.27
package struct HCISupportBit: Hashable, Sendable {
    /// The index of the octet, 0…63.
    package let octet: UInt8
    /// The number of the bit in the octet, 0…7.
    package let bit: UInt8

    /// Creates a position. Numbers out of range are reduced modulo 64 and 8, so that no access can leave the table.
    package init(_ octet: UInt8, _ bit: UInt8) {
        self.octet = octet & 63
        self.bit = bit & 7
    }
}

/// A controller's table of supported commands: 64 octets.
///
/// Spec: Core 5.4, Vol 4, Part E, 6.27
package struct HCISupportedCommands: Hashable, Sendable {
    private var octets: [UInt8]

    /// A table of these commands and of those that every controller must support.
    package init(_ types: [any HCICommand.Type] = []) {
        octets = [UInt8](repeating: 0, count: 64)
        for type in types {
            guard let place = type.supportBit else { continue }
            octets[Int(place.octet)] |= 1 << place.bit
        }
    }

    package func contains(_ type: any HCICommand.Type) -> Bool {
        guard let place = type.supportBit else { return true }
        return octets[Int(place.octet)] & 1 << place.bit != 0
    }
}

extension HCISupportedCommands: HCIReturnParameters {
    package init(from reader: inout ByteReader) throws(DecodeError) {
        octets = try reader.bytes(64, "Supported_Commands")
    }

    package func encode(into writer: inout ByteWriter) { writer.append(octets) }

    package var details: String { Hex.string(octets) }
}
