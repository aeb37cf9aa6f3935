// SPDX-License-Identifier: MIT

/// A cursor over received octets: the only code that indexes bytes from the air.
///
/// Every read checks that enough octets are left before it moves the cursor, and names the field that was cut short, so
/// that a length from the air is never trusted. Integers are little-endian, as everywhere in Bluetooth, unless the name
/// says otherwise.
public struct ByteReader: Sendable {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    /// Reads all of `bytes`.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = 0
        end = bytes.count
    }

    /// Reads the octets of a slice.
    public init(_ bytes: ArraySlice<UInt8>) {
        self.init(Array(bytes))
    }

    private init(bytes: [UInt8], position: Int, end: Int) {
        self.bytes = bytes
        self.position = position
        self.end = end
    }

    /// The number of octets left.
    public var remaining: Int { end - position }

    /// Whether all octets were read.
    public var isAtEnd: Bool { position == end }

    private mutating func advance(_ count: Int, _ field: String) throws(DecodeError) -> Int {
        // Compared with the octets that are left, because a sum with a length from the air could overflow.
        guard count >= 0, count <= end - position else {
            throw DecodeError(field, .truncated(needed: count, available: end - position))
        }
        defer { position += count }
        return position
    }

    /// The next octet.
    public mutating func uint8(_ field: String) throws(DecodeError) -> UInt8 {
        bytes[try advance(1, field)]
    }

    /// The next octet as a signed number.
    public mutating func int8(_ field: String) throws(DecodeError) -> Int8 {
        Int8(bitPattern: try uint8(field))
    }

    /// The next two octets.
    public mutating func uint16(_ field: String) throws(DecodeError) -> UInt16 {
        let start = try advance(2, field)
        return UInt16(bytes[start]) | UInt16(bytes[start + 1]) << 8
    }

    /// The next two octets, most significant first (beacons only).
    public mutating func uint16BigEndian(_ field: String) throws(DecodeError) -> UInt16 {
        try uint16(field).byteSwapped
    }

    /// The next two octets as a signed number.
    public mutating func int16(_ field: String) throws(DecodeError) -> Int16 {
        Int16(bitPattern: try uint16(field))
    }

    /// The next three octets.
    public mutating func uint24(_ field: String) throws(DecodeError) -> UInt32 {
        UInt32(truncatingIfNeeded: try integer(octets: 3, field))
    }

    /// The next four octets.
    public mutating func uint32(_ field: String) throws(DecodeError) -> UInt32 {
        UInt32(truncatingIfNeeded: try integer(octets: 4, field))
    }

    /// The next four octets, most significant first (beacons only).
    public mutating func uint32BigEndian(_ field: String) throws(DecodeError) -> UInt32 {
        try uint32(field).byteSwapped
    }

    /// The next six octets.
    public mutating func uint48(_ field: String) throws(DecodeError) -> UInt64 {
        try integer(octets: 6, field)
    }

    /// The next eight octets.
    public mutating func uint64(_ field: String) throws(DecodeError) -> UInt64 {
        try integer(octets: 8, field)
    }

    /// The next sixteen octets.
    public mutating func uint128(_ field: String) throws(DecodeError) -> UInt128 {
        // Checked as a whole: otherwise the error would name half of the number, and the cursor would have moved.
        guard remaining >= 16 else { throw DecodeError(field, .truncated(needed: 16, available: remaining)) }
        let low = try uint64(field)
        let high = try uint64(field)
        return UInt128(high) << 64 | UInt128(low)
    }

    /// The next `octets` octets, eight at most.
    package mutating func integer(octets: Int, _ field: String) throws(DecodeError) -> UInt64 {
        let start = try advance(octets, field)
        var value: UInt64 = 0
        for index in stride(from: start + octets - 1, through: start, by: -1) {
            value = value << 8 | UInt64(bytes[index])
        }
        return value
    }

    /// The next `count` octets.
    public mutating func bytes(_ count: Int, _ field: String) throws(DecodeError) -> [UInt8] {
        let start = try advance(count, field)
        return Array(bytes[start..<start + count])
    }

    /// All octets that are left; there may be none.
    public mutating func rest() -> [UInt8] {
        defer { position = end }
        return Array(bytes[position..<end])
    }

    /// A reader of the next `count` octets only.
    public mutating func slice(_ count: Int, _ field: String) throws(DecodeError) -> ByteReader {
        let start = try advance(count, field)
        return ByteReader(bytes: bytes, position: start, end: start + count)
    }

    /// Throws unless all octets were read, because a packet with octets to spare is not the packet that it claims to
    /// be.
    public func expectEnd(_ packet: String) throws(DecodeError) {
        guard isAtEnd else { throw DecodeError(packet, .trailing(count: remaining)) }
    }
}

/// A value that can be decoded from received octets.
public protocol WireDecodable {
    /// Decodes the value and leaves the cursor after its last octet.
    init(from reader: inout ByteReader) throws(DecodeError)
}

extension WireDecodable {
    /// Decodes a value that must take up all of `bytes`; octets left over are an error.
    public init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        try self.init(from: &reader)
        // The name of the type is looked up only where it is needed: this is done for every packet.
        if !reader.isAtEnd { try reader.expectEnd("\(Self.self)") }
    }
}
