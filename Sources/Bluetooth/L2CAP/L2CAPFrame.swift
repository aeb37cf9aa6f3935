// SPDX-License-Identifier: MIT

/// The number of an L2CAP channel.
///
/// Spec: Core 5.4, Vol 3, Part A, 2.1
public struct L2CAPChannelID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 0x0004: the Attribute Protocol on an LE link.
    public static let att = Self(rawValue: 0x0004)
    /// 0x0005: signalling on an LE link.
    public static let leSignaling = Self(rawValue: 0x0005)
    /// 0x0006: the Security Manager on an LE link.
    public static let securityManager = Self(rawValue: 0x0006)

    /// `0x0004`
    public var description: String { "0x" + Hex.string(rawValue, minimumDigits: 4) }
}

/// A B-frame: the octets of a channel with their length and the channel's number before them.
///
/// Spec: Core 5.4, Vol 3, Part A, 3.1
public struct L2CAPFrame: Hashable, Sendable {
    /// The number of octets before the payload.
    public static let headerLength = 4

    /// The channel.
    public let channel: L2CAPChannelID
    /// The octets, at most 65,535.
    public let payload: [UInt8]

    /// Creates a frame. Cuts the payload after 65,535 octets, because the length field has 16 bits.
    public init(_ channel: L2CAPChannelID, _ payload: [UInt8]) {
        self.channel = channel
        self.payload = Array(payload.prefix(65_535))
    }
}

extension L2CAPFrame: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let length = try reader.uint16("PDU length")
        channel = L2CAPChannelID(rawValue: try reader.uint16("channel ID"))
        payload = try reader.bytes(Int(length), "information payload")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint16(UInt16(clamping: payload.count))
        writer.uint16(channel.rawValue)
        writer.append(payload)
    }
}

extension HCIACLPacket {
    /// The packet that carries a whole frame on an LE link: as its first part, with the packet boundary flag of the
    /// direction.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 5.4.2
    ///
    /// - Parameters:
    ///   - frame: The frame.
    ///   - connection: The connection.
    ///   - isFromHost: Whether the host sends it to the controller.
    public init(_ frame: L2CAPFrame, on connection: ConnectionHandle, isFromHost: Bool) {
        self.init(connection, flags: isFromHost ? 0b00 : 0b10, data: frame.encoded())
    }
}
