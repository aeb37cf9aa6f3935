// SPDX-License-Identifier: MIT

public import Bluetooth

/// The kind of the records in a btsnoop file. Unknown kinds are kept, so that the header of any file can be shown.
///
/// Spec: the btsnoop file format of BlueZ (src/shared/btsnoop.h) and of Frontline Test Equipment
public struct BTSnoopDatalink: RawRepresentable, Hashable, Sendable {
    /// The number in the header of the file.
    public let rawValue: UInt32

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// 1001: HCI packets without indicator. The flags of a record distinguish commands and events from data.
    public static let unencapsulatedHCI = Self(rawValue: 1_001)
    /// 1002: HCI packets with their packet indicator, as Android writes them.
    public static let h4 = Self(rawValue: 1_002)
    /// 2001: packets of the kernel's monitor socket, as btmon writes them.
    public static let linuxMonitor = Self(rawValue: 2_001)
}

extension BTSnoopDatalink: CustomStringConvertible {
    /// The name, `datalink 1003` for an unknown one.
    public var description: String {
        switch self {
        case .unencapsulatedHCI: "HCI without packet indicators"
        case .h4: "HCI UART (H4)"
        case .linuxMonitor: "Linux monitor"
        default: "datalink \(rawValue)"
        }
    }
}

/// The beginning of a btsnoop file.
public struct BTSnoopHeader: Hashable, Sendable {
    /// The number of octets: eight of `identification`, and four each of the version and the datalink.
    public static let length = 16
    /// The octets that identify such a file: `btsnoop` and a zero.
    public static let identification: [UInt8] = [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00]
    /// The only version of the format.
    public static let version: UInt32 = 1

    package static let otherFile = DecodeError("identification pattern", .inconsistent("not that of a btsnoop file"))

    /// The kind of the records.
    public let datalink: BTSnoopDatalink

    /// Creates the header of a file with such records.
    public init(_ datalink: BTSnoopDatalink) { self.datalink = datalink }
}

extension BTSnoopHeader: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        guard try reader.bytes(8, "identification pattern") == Self.identification else {
            throw Self.otherFile
        }
        let version = try reader.uint32BigEndian("version")
        guard version == Self.version else { throw DecodeError("version", .invalid(value: UInt64(version))) }
        datalink = BTSnoopDatalink(rawValue: try reader.uint32BigEndian("datalink type"))
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(Self.identification)
        writer.uint32BigEndian(Self.version)
        writer.uint32BigEndian(datalink.rawValue)
    }
}
