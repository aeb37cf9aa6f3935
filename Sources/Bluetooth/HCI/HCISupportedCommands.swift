// SPDX-License-Identifier: GPL-2.0-or-later

/// The place of a command in the controller's table of supported commands.
///
/// Spec: Core 5.4, Vol 4, Part E, 6.27
public struct HCISupportBit: Hashable, Sendable {
    /// The octet, 0…63.
    public let octet: UInt8
    /// The bit in the octet, 0…7.
    public let bit: UInt8

    /// Puts the two together; what lies beyond 64 octets of eight bits is folded back into them.
    public init(_ octet: UInt8, _ bit: UInt8) {
        self.octet = octet & 63
        self.bit = bit & 7
    }
}

/// A controller's table of supported commands: 64 octets.
///
/// Spec: Core 5.4, Vol 4, Part E, 6.27
public struct HCISupportedCommands: Hashable, Sendable {
    private var octets: [UInt8]

    /// A table with the commands given, and those that every controller has to know.
    public init(_ types: [any HCICommand.Type] = []) {
        octets = [UInt8](repeating: 0, count: 64)
        for type in types {
            guard let place = type.supportBit else { continue }
            octets[Int(place.octet)] |= 1 << place.bit
        }
    }

    /// Whether the controller knows a command.
    public func contains(_ type: any HCICommand.Type) -> Bool {
        guard let place = type.supportBit else { return true }
        return octets[Int(place.octet)] & 1 << place.bit != 0
    }
}

extension HCISupportedCommands: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        octets = try reader.bytes(64, "Supported_Commands")
    }

    public func encode(into writer: inout ByteWriter) { writer.append(octets) }
}
