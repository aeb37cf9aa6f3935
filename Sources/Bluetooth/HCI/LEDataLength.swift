// SPDX-License-Identifier: MIT

/// The maximum size and duration of a connection's packets.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.33
public struct LEDataLength: Hashable, Sendable, CustomStringConvertible {
    /// The maximum payload in octets: 27…251.
    public var octets: UInt16
    /// The maximum duration in microseconds: 328…17,040.
    public var microseconds: UInt16

    /// Creates limits; the ranges are not checked.
    public init(octets: UInt16, microseconds: UInt16) {
        self.octets = octets
        self.microseconds = microseconds
    }

    /// `251 octets, 2120 us`
    public var description: String { "\(count: octets, "octet"), \(microseconds) us" }
}

extension LEDataLength: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        octets = try reader.uint16("octets")
        microseconds = try reader.uint16("time")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint16(octets)
        writer.uint16(microseconds)
    }
}
