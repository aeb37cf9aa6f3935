// SPDX-License-Identifier: MIT

/// A packet of the kernel's management interface: a command to it or an event from it. Both have the same form; only
/// the direction distinguishes them.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Packet Structures
public struct ManagementPacket: Hashable, Sendable {
    /// The command's opcode or the event's code.
    public let code: UInt16
    /// The adapter that the packet concerns.
    public let adapter: ManagementIndex
    /// The parameters, at most 65,535 octets.
    public let parameters: [UInt8]

    /// The number of octets before the parameters.
    public static let headerLength = 6

    /// Creates a packet. Cuts the parameters after 65,535 octets, because the length field has 16 bits.
    public init(code: UInt16, adapter: ManagementIndex, parameters: [UInt8]) {
        self.code = code
        self.adapter = adapter
        self.parameters = Array(parameters.prefix(65_535))
    }
}

extension ManagementPacket: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        code = try reader.uint16("code")
        adapter = ManagementIndex(rawValue: try reader.uint16("controller index"))
        let length = try reader.uint16("parameter length")
        parameters = try reader.bytes(Int(length), "parameters")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint16(code)
        writer.uint16(adapter.rawValue)
        writer.uint16(UInt16(clamping: parameters.count))
        writer.append(parameters)
    }
}

/// The number of an adapter, or no adapter.
public struct ManagementIndex: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The index of an adapter; `none` if no adapter can have the number.
    public init(_ index: Int) { rawValue = UInt16(exactly: index) ?? 0xFFFF }

    /// 0xFFFF: the kernel, not an adapter.
    public static let none = Self(rawValue: 0xFFFF)

    /// `hci0`; `kernel` for no adapter.
    public var description: String { self == .none ? "kernel" : "hci\(rawValue)" }
}
