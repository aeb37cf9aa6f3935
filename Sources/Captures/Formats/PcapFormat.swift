// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

extension ByteReader {
    mutating func uint16(_ field: String, isBigEndian: Bool) throws(DecodeError) -> UInt16 {
        isBigEndian ? try uint16BigEndian(field) : try uint16(field)
    }

    mutating func uint32(_ field: String, isBigEndian: Bool) throws(DecodeError) -> UInt32 {
        isBigEndian ? try uint32BigEndian(field) : try uint32(field)
    }
}

/// The records of a pcap file, behind its header.
///
/// Spec: https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html
struct PcapFormat: CaptureFormat {
    static let headerLength = 24
    private static let recordHeaderLength = 16
    /// The numbers at the beginning of files with microseconds and with nanoseconds, in the order of the file.
    static let microseconds: UInt32 = 0xA1B2_C3D4
    static let nanoseconds: UInt32 = 0xA1B2_3C4D
    static let majorVersion: UInt16 = 2

    let link: LinkType
    private let isBigEndian: Bool
    /// The nanoseconds of a unit of a time's fraction.
    private let unit: Int64

    init(header reader: inout ByteReader, isBigEndian: Bool) throws(DecodeError) {
        self.isBigEndian = isBigEndian
        unit = try reader.uint32("magic", isBigEndian: isBigEndian) == Self.nanoseconds ? 1 : 1_000
        let version = try reader.uint16("version", isBigEndian: isBigEndian)
        guard version == Self.majorVersion else { throw DecodeError("version", .invalid(value: UInt64(version))) }
        // The minor version, two fields without a use, and the maximum length of a packet.
        _ = try reader.bytes(2 + 8 + 4, "header")
        // The upper half tells the length of a frame check sequence, which Bluetooth has none of here.
        link = LinkType(rawValue: UInt16(truncatingIfNeeded: try reader.uint32("link type", isBigEndian: isBigEndian)))
    }

    mutating func next(_ buffer: inout CaptureBuffer) throws(DecodeError) -> [CapturedRecord]? {
        guard buffer.has(Self.recordHeaderLength) else { return nil }
        let length = buffer.uint32(at: 8, isBigEndian: isBigEndian) ?? 0
        // A length beyond the limit is not waited for: the header alone is decoded, and throws.
        let isTooLong = length > BTSnoopRecord.maximumLength
        let whole = Self.recordHeaderLength + (isTooLong ? 0 : Int(length))
        guard buffer.has(whole) else { return nil }
        let isBigEndian = isBigEndian
        let (unit, link) = (unit, link)
        return [
            try buffer.decode(whole) { (reader) throws(DecodeError) in
                let seconds = try reader.uint32("seconds", isBigEndian: isBigEndian)
                let fraction = try reader.uint32("fraction of a second", isBigEndian: isBigEndian)
                let included = try reader.uint32("included length", isBigEndian: isBigEndian)
                guard !isTooLong else { throw DecodeError("included length", .invalid(value: UInt64(included))) }
                let original = try reader.uint32("original length", isBigEndian: isBigEndian)
                let octets = try reader.bytes(Int(included), "packet data")
                let nanoseconds = Int64(seconds) * 1_000_000_000 + Int64(fraction) * unit
                return CapturedRecord(
                    link.content(octets),
                    at: WallTime(nanosecondsSince1970: nanoseconds),
                    missing: max(0, Int(original) - octets.count)
                )
            }
        ]
    }
}

/// The records of a btsnoop file, behind its header.
struct BTSnoopFormat: CaptureFormat {
    let datalink: BTSnoopDatalink
    /// The number of packets that were lost so far.
    private var drops: UInt32 = 0

    init(datalink: BTSnoopDatalink) { self.datalink = datalink }

    mutating func next(_ buffer: inout CaptureBuffer) throws(DecodeError) -> [CapturedRecord]? {
        guard buffer.has(BTSnoopRecord.headerLength) else { return nil }
        let length = buffer.uint32(at: 4, isBigEndian: true) ?? 0
        // A length beyond the limit is not waited for: the header alone is decoded, and throws.
        let whole = BTSnoopRecord.headerLength + (length > BTSnoopRecord.maximumLength ? 0 : Int(length))
        guard buffer.has(whole) else { return nil }
        let record = try buffer.decode(whole, BTSnoopRecord.init(from:))
        defer { drops = record.cumulativeDrops }
        return [CapturedRecord(record, of: datalink, drops: drops)]
    }
}
