// SPDX-License-Identifier: MIT

public import Bluetooth

/// The moment of a record: microseconds since the midnight before January 1st of the year 0.
public struct BTSnoopTimestamp: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number in the file.
    public let rawValue: Int64

    /// Keeps any value, also one that no clock has shown.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The Unix epoch, 1970-01-01T00:00:00Z.
    public static let unixEpoch = Self(rawValue: 0x00DC_DDB3_0F2F_8000)

    /// The moment that many microseconds after the Unix epoch. A sum beyond the range becomes the nearest moment in it.
    public init(microsecondsSince1970 microseconds: Int64) {
        let (sum, overflow) = Self.unixEpoch.rawValue.addingReportingOverflow(microseconds)
        rawValue = overflow ? .max : sum
    }

    /// Microseconds since the Unix epoch, negative before it. A difference beyond the range becomes the nearest number.
    public var microsecondsSince1970: Int64 {
        let (difference, overflow) = rawValue.subtractingReportingOverflow(Self.unixEpoch.rawValue)
        return overflow ? .min : difference
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// One record of a btsnoop file: a packet, or as much of it as was kept.
public struct BTSnoopRecord: Hashable, Sendable {
    /// The number of octets before the data: both lengths, the flags and the number of lost packets with four octets
    /// each, and the time with eight.
    public static let headerLength = 24
    /// The maximum number of octets of data that a reader accepts. The longest packet, ACL data with its indicator, has
    /// 65,540.
    public static let maximumLength = 131_072

    /// The number of octets that the packet had.
    public let originalLength: UInt32
    /// The flags, whose meaning depends on the datalink.
    public let flags: UInt32
    /// The number of packets that were lost since the beginning of the file, for want of room or of time.
    public let cumulativeDrops: UInt32
    /// When the packet passed.
    public let timestamp: BTSnoopTimestamp
    /// The octets that were kept.
    public let data: [UInt8]

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - data: The octets that are kept.
    ///   - originalLength: The number of octets that the packet had, if not all are kept.
    ///   - flags: The flags, whose meaning depends on the datalink.
    ///   - cumulativeDrops: The number of packets lost before this one.
    ///   - timestamp: When the packet passed.
    public init(
        _ data: [UInt8],
        originalLength: UInt32? = nil,
        flags: UInt32,
        cumulativeDrops: UInt32 = 0,
        at timestamp: BTSnoopTimestamp
    ) {
        self.data = data
        self.originalLength = originalLength ?? UInt32(clamping: data.count)
        self.flags = flags
        self.cumulativeDrops = cumulativeDrops
        self.timestamp = timestamp
    }

    /// The number of octets that were cut off.
    public var missingLength: Int { max(0, Int(originalLength) - data.count) }
}

extension BTSnoopRecord: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        originalLength = try reader.uint32BigEndian("original length")
        let length = try reader.uint32BigEndian("included length")
        guard length <= Self.maximumLength else {
            throw DecodeError("included length", .invalid(value: UInt64(length)))
        }
        flags = try reader.uint32BigEndian("packet flags")
        cumulativeDrops = try reader.uint32BigEndian("cumulative drops")
        timestamp = BTSnoopTimestamp(rawValue: Int64(bitPattern: try reader.uint64("timestamp").byteSwapped))
        data = try reader.bytes(Int(length), "packet data")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint32BigEndian(originalLength)
        writer.uint32BigEndian(UInt32(clamping: data.count))
        writer.uint32BigEndian(flags)
        writer.uint32BigEndian(cumulativeDrops)
        writer.uint64(UInt64(bitPattern: timestamp.rawValue).byteSwapped)
        writer.append(data)
    }
}
