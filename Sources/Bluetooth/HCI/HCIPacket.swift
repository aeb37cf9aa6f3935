// SPDX-License-Identifier: MIT

/// A packet between host and controller with its packet indicator as first octet, as a raw HCI socket carries it.
///
/// Spec: Core 5.4, Vol 4, Part A, 2
package enum HCIPacket: Hashable, Sendable {
    /// 0x01: a command to the controller.
    case command(HCICommandPacket)
    /// 0x02: data of a connection.
    case acl(HCIACLPacket)
    /// 0x04: an event from the controller.
    case event(HCIEventPacket)
    /// Another kind of packet: its indicator, and the octets after it.
    case other(indicator: UInt8, [UInt8])
}

extension HCIPacket: WireDecodable, WireEncodable {
    package init(from reader: inout ByteReader) throws(DecodeError) {
        switch try reader.uint8("packet indicator") {
        case 0x01: self = .command(try HCICommandPacket(from: &reader))
        case 0x02: self = .acl(try HCIACLPacket(from: &reader))
        case 0x04: self = .event(try HCIEventPacket(from: &reader))
        case let indicator: self = .other(indicator: indicator, reader.rest())
        }
    }

    package func encode(into writer: inout ByteWriter) {
        switch self {
        case .command(let packet):
            writer.uint8(0x01)
            writer.append(packet)
        case .acl(let packet):
            writer.uint8(0x02)
            writer.append(packet)
        case .event(let packet):
            writer.uint8(0x04)
            writer.append(packet)
        case .other(let indicator, let bytes):
            writer.uint8(indicator)
            writer.append(bytes)
        }
    }
}

/// An encoded command: opcode and parameters.
///
/// Spec: Core 5.4, Vol 4, Part E, 5.4.1
package struct HCICommandPacket: Hashable, Sendable {
    package let opcode: HCIOpcode
    /// The parameters, at most 255 octets.
    package let parameters: [UInt8]

    /// Creates a packet. Parameters beyond 255 octets are cut off, because the length field has one octet.
    package init(_ opcode: HCIOpcode, parameters: [UInt8]) {
        self.opcode = opcode
        self.parameters = Array(parameters.prefix(255))
    }
}

extension HCICommandPacket: WireDecodable, WireEncodable {
    package init(from reader: inout ByteReader) throws(DecodeError) {
        opcode = try HCIOpcode(from: &reader)
        let length = try reader.uint8("parameter total length")
        parameters = try reader.bytes(Int(length), "command parameters")
    }

    package func encode(into writer: inout ByteWriter) {
        writer.append(opcode)
        writer.uint8(UInt8(clamping: parameters.count))
        writer.append(parameters)
    }
}

/// An encoded event: code and parameters.
///
/// Spec: Core 5.4, Vol 4, Part E, 5.4.4
package struct HCIEventPacket: Hashable, Sendable {
    package let code: HCIEventCode
    /// The parameters, at most 255 octets.
    package let parameters: [UInt8]

    /// Creates a packet. Parameters beyond 255 octets are cut off, because the length field has one octet.
    package init(_ code: HCIEventCode, parameters: [UInt8]) {
        self.code = code
        self.parameters = Array(parameters.prefix(255))
    }
}

extension HCIEventPacket: WireDecodable, WireEncodable {
    package init(from reader: inout ByteReader) throws(DecodeError) {
        code = HCIEventCode(rawValue: try reader.uint8("event code"))
        let length = try reader.uint8("parameter total length")
        parameters = try reader.bytes(Int(length), "event parameters")
    }

    package func encode(into writer: inout ByteWriter) {
        writer.uint8(code.rawValue)
        writer.uint8(UInt8(clamping: parameters.count))
        writer.append(parameters)
    }
}

/// Data of a connection: an L2CAP frame or a fragment of one.
///
/// Spec: Core 5.4, Vol 4, Part E, 5.4.2
package struct HCIACLPacket: Hashable, Sendable {
    package let connection: ConnectionHandle
    /// The two bits of the packet boundary flag and, above them, the two of the broadcast flag.
    package let flags: UInt8
    /// The data, at most 65,535 octets.
    package let data: [UInt8]

    /// Creates a packet. Data beyond 65,535 octets are cut off, because the length field has two octets.
    package init(_ connection: ConnectionHandle, flags: UInt8, data: [UInt8]) {
        self.connection = connection
        self.flags = flags & 0x0F
        self.data = Array(data.prefix(65_535))
    }
}

extension HCIACLPacket: WireDecodable, WireEncodable {
    package init(from reader: inout ByteReader) throws(DecodeError) {
        let word = try reader.uint16("connection handle")
        // A handle has 12 bits; the four bits above it are the flags.
        connection = ConnectionHandle(rawValue: word & 0x0FFF)
        flags = UInt8(word >> 12)
        let length = try reader.uint16("data total length")
        data = try reader.bytes(Int(length), "ACL data")
    }

    package func encode(into writer: inout ByteWriter) {
        writer.uint16(connection.rawValue & 0x0FFF | UInt16(flags) << 12)
        writer.uint16(UInt16(clamping: data.count))
        writer.append(data)
    }
}
