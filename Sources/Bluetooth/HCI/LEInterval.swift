// SPDX-License-Identifier: MIT

/// A duration as a whole number of units. The unit in microseconds is part of the type, so that units cannot be
/// confused.
///
/// `LEInterval<625>` serves scanning and advertising (0.625 ms), `LEInterval<1250>` connection intervals (1.25 ms),
/// `LEInterval<10_000>` supervision timeouts (10 ms).
public struct LEInterval<let microseconds: Int>: Hashable, Comparable, Sendable {
    /// The number of units.
    public let rawValue: UInt32

    /// An interval of that many units.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The nearest whole number of units; zero for a negative duration, the largest number for one that does not fit.
    public init(_ duration: Duration) {
        let unit = Int64(microseconds) * 1_000
        let nanoseconds = max(0, duration.clampedNanoseconds)
        let units = nanoseconds / unit + (nanoseconds % unit * 2 >= unit ? 1 : 0)
        rawValue = UInt32(clamping: units)
    }

    /// The interval as a duration.
    public var duration: Duration { .microseconds(Int64(rawValue) * Int64(microseconds)) }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension LEInterval: CustomStringConvertible {
    /// `11.25 ms`
    public var description: String {
        let total = Int64(rawValue) * Int64(microseconds)
        let fraction = total % 1_000
        guard fraction != 0 else { return "\(total / 1_000) ms" }
        // Adding 1,000 and dropping its digit keeps the zeros after the point.
        var digits = String(String(fraction + 1_000).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(total / 1_000).\(digits) ms"
    }
}

extension LEInterval: WireDecodable, WireEncodable {
    /// Decodes two octets.
    public init(from reader: inout ByteReader) throws(DecodeError) {
        try self.init(from: &reader, "interval")
    }

    /// Decodes two octets; an error names the field.
    init(from reader: inout ByteReader, _ field: String) throws(DecodeError) {
        rawValue = UInt32(try reader.uint16(field))
    }

    /// Appends two octets; a larger number becomes 0xFFFF.
    public func encode(into writer: inout ByteWriter) {
        writer.uint16(UInt16(clamping: rawValue))
    }
}
