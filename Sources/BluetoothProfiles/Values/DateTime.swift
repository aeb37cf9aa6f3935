// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// The value of Date Time (0x2A08), and the time stamp of many measurements.
///
/// Spec: GATT Specification Supplement, Date Time
public struct DateTime: Hashable, Sendable {
    /// 1582 to 9999; 0 if unknown.
    public var year: UInt16
    /// 1 to 12; 0 if unknown.
    public var month: UInt8
    /// 1 to 31; 0 if unknown.
    public var day: UInt8
    /// 0 to 23.
    public var hours: UInt8
    /// 0 to 59.
    public var minutes: UInt8
    /// 0 to 59.
    public var seconds: UInt8

    /// Creates a time; the ranges are not checked.
    public init(year: UInt16, month: UInt8, day: UInt8, hours: UInt8, minutes: UInt8, seconds: UInt8) {
        self.year = year
        self.month = month
        self.day = day
        self.hours = hours
        self.minutes = minutes
        self.seconds = seconds
    }
}

extension DateTime: WireDecodable, WireEncodable {
    /// Decodes the time and leaves the cursor after it.
    public init(from reader: inout ByteReader) throws(DecodeError) {
        year = try reader.uint16("year")
        month = try reader.uint8("month")
        day = try reader.uint8("day")
        hours = try reader.uint8("hours")
        minutes = try reader.uint8("minutes")
        seconds = try reader.uint8("seconds")
    }

    /// Appends the time's octets.
    public func encode(into writer: inout ByteWriter) {
        writer.uint16(year)
        for part in [month, day, hours, minutes, seconds] { writer.uint8(part) }
    }
}

extension DateTime: CustomStringConvertible {
    /// `2024-05-17T13:45:09`, with zeros for unknown parts.
    public var description: String {
        "\(CivilDate(year: Int(year), month: Int(month), day: Int(day)))T"
            + [hours, minutes, seconds].map { CivilDate.padded(Int($0), 2) }.joined(separator: ":")
    }
}
