// SPDX-License-Identifier: MIT

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

extension DateTime {
    /// Parses `2024-05-17T13:45:09`, with `T` or a space between the date and the time, with or without seconds. A date
    /// alone is its start. Zero means an unknown year, month or day. `nil` if a part is out of its range.
    public init?(_ text: String) {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "T" || $0 == "t" || $0 == " " }
        guard let first = parts.first, parts.count <= 2, var time = DateTime(date: first) else { return nil }
        if parts.count == 2 {
            let numbers = parts[1].split(separator: ":", omittingEmptySubsequences: false).map { Self.digits($0) }
            guard numbers.count == 2 || numbers.count == 3, let hours = numbers[0], let minutes = numbers[1],
                let seconds = numbers.count == 3 ? numbers[2] : 0, hours < 24, minutes < 60, seconds < 60
            else { return nil }
            time.hours = UInt8(hours)
            time.minutes = UInt8(minutes)
            time.seconds = UInt8(seconds)
        }
        self = time
    }

    /// Parses `2024-05-17` as the start of that day.
    init?(date text: some StringProtocol) {
        let numbers = String(text).split(separator: "-", omittingEmptySubsequences: false).map { Self.digits($0) }
        guard numbers.count == 3, let year = numbers[0], let month = numbers[1], let day = numbers[2],
            year <= 9_999, month <= 12, day <= Self.days(in: month, of: year)
        else { return nil }
        self.init(year: UInt16(year), month: UInt8(month), day: UInt8(day), hours: 0, minutes: 0, seconds: 0)
    }

    /// The first part that is out of its range, with its name; `nil` if all are possible or not known.
    var partOutOfRange: (part: String, value: Int, range: ClosedRange<Int>)? {
        // The specification counts years of the Gregorian calendar, which began in 1582; 0 is an unknown year.
        if year != 0, !(1_582...9_999).contains(year) { return ("year", Int(year), 1_582...9_999) }
        let days = Self.days(in: Int(month), of: Int(year))
        let parts: [(String, UInt8, Int)] = [
            ("month", month, 12), ("day", day, days), ("hour", hours, 23), ("minute", minutes, 59),
            ("second", seconds, 59),
        ]
        return parts.first { Int($0.1) > $0.2 }.map { ($0.0, Int($0.1), 0...$0.2) }
    }

    /// The number in one to four digits.
    private static func digits(_ text: Substring) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    /// The length of a month; an unknown month or year has the longest.
    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2:
            year == 0 || (year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))) ? 29 : 28
        default: 31
        }
    }

    static func hasDay(_ day: Int, month: Int, year: Int) -> Bool {
        (1...12).contains(month) && day >= 1 && day <= days(in: month, of: year)
    }
}

extension CivilDate {
    /// Parses `2024-05-17`. The year may have five digits, because days since 1970 reach beyond the year 9999.
    init?(iso text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ (1...5).contains($0.utf8.count) }),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), year > 0,
            DateTime.hasDay(day, month: month, year: year)
        else { return nil }
        self.init(year: year, month: month, day: day)
    }
}
