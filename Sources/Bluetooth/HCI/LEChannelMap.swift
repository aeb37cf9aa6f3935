// SPDX-License-Identifier: MIT

/// The data channels in use, out of 37.
///
/// Spec: Core 5.4, Vol 6, Part B, 1.4.1
public struct LEChannelMap: RawRepresentable, Hashable, Sendable {
    /// One bit for each channel, channel 0 lowest. The three bits above channel 36 are kept.
    public let rawValue: UInt64

    /// Keeps the low 40 bits, because the map has five octets.
    public init(rawValue: UInt64) { self.rawValue = rawValue & 0xFF_FFFF_FFFF }

    /// The channels in use.
    public var channels: [Int] { (0..<37).filter { rawValue >> UInt64($0) & 1 == 1 } }
}

extension LEChannelMap: WireDecodable, WireEncodable, CustomStringConvertible {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let low = try reader.uint32("Channel_Map")
        let high = try reader.uint8("Channel_Map")
        rawValue = UInt64(high) << 32 | UInt64(low)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint32(UInt32(truncatingIfNeeded: rawValue))
        writer.uint8(UInt8(truncatingIfNeeded: rawValue >> 32))
    }

    /// `0-8,22,24-36`
    public var description: String {
        var ranges: [(first: Int, last: Int)] = []
        for channel in channels {
            if let range = ranges.last, range.last + 1 == channel {
                ranges[ranges.count - 1].last = channel
            } else {
                ranges.append((channel, channel))
            }
        }
        guard !ranges.isEmpty else { return "none" }
        return ranges.map { $0.first == $0.last ? "\($0.first)" : "\($0.first)-\($0.last)" }.joined(separator: ",")
    }
}
