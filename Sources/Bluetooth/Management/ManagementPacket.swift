// SPDX-License-Identifier: GPL-2.0-or-later

/// A packet of the kernel's management interface: a command to it, or an event from it. Which of the two it is only the direction
/// tells.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Packet Structures
public struct ManagementPacket: Hashable, Sendable {
    /// Which command or event.
    public let code: UInt16
    /// The adapter that it is about.
    public let adapter: ManagementIndex
    /// Its parameters, 65,535 octets at most.
    public let parameters: [UInt8]

    /// The octets in front of the parameters.
    public static let headerLength = 6

    /// Puts the three together; parameters beyond 65,535 octets, which no packet can carry, are cut off.
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

    /// Takes the number as it is.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The adapter of that number; a number that no adapter can have is no adapter.
    public init(_ index: Int) { rawValue = UInt16(exactly: index) ?? 0xFFFF }

    /// 0xFFFF: no adapter, but the kernel.
    public static let none = Self(rawValue: 0xFFFF)

    /// `hci0`; `kernel` for no adapter.
    public var description: String { self == .none ? "kernel" : "hci\(rawValue)" }
}
