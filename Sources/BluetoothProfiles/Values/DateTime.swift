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

/// A day of the Gregorian calendar.
struct CivilDate: Hashable, CustomStringConvertible {
    let year: Int
    let month: Int
    let day: Int

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day with that number of days since 1970-01-01; year 0 or later.
    init(daysSinceEpoch days: Int) {
        // Years begin in March here, so that the leap day is the last day of a year, and every 400 years repeat.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var description: String {
        "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
    }

    static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
