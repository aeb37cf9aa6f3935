// SPDX-License-Identifier: MIT

/// Builds packets: the only code that turns integers into octets. Little-endian unless the name says otherwise.
public struct ByteWriter: Sendable {
    /// The octets written so far.
    public private(set) var bytes: [UInt8] = []

    /// An empty writer. `capacity` reserves memory, in octets; the writer grows beyond it.
    public init(capacity: Int = 32) {
        bytes.reserveCapacity(capacity)
    }

    /// Appends one octet.
    public mutating func uint8(_ value: UInt8) { bytes.append(value) }

    /// Appends one signed octet.
    public mutating func int8(_ value: Int8) { bytes.append(UInt8(bitPattern: value)) }

    /// Appends two octets.
    public mutating func uint16(_ value: UInt16) { integer(UInt64(value), octets: 2) }

    /// Appends two octets, most significant first (beacons only).
    public mutating func uint16BigEndian(_ value: UInt16) { uint16(value.byteSwapped) }

    /// Appends a signed number of two octets.
    public mutating func int16(_ value: Int16) { uint16(UInt16(bitPattern: value)) }

    /// Appends the low three octets of a number.
    public mutating func uint24(_ value: UInt32) { integer(UInt64(value), octets: 3) }

    /// Appends four octets.
    public mutating func uint32(_ value: UInt32) { integer(UInt64(value), octets: 4) }

    /// Appends four octets, most significant first (beacons only).
    public mutating func uint32BigEndian(_ value: UInt32) { uint32(value.byteSwapped) }

    /// Appends the low six octets of a number.
    public mutating func uint48(_ value: UInt64) { integer(value, octets: 6) }

    /// Appends eight octets.
    public mutating func uint64(_ value: UInt64) { integer(value, octets: 8) }

    /// Appends sixteen octets.
    public mutating func uint128(_ value: UInt128) {
        uint64(UInt64(truncatingIfNeeded: value))
        uint64(UInt64(truncatingIfNeeded: value >> 64))
    }

    /// Appends the low `octets` octets of a number, eight at most.
    package mutating func integer(_ value: UInt64, octets: Int) {
        for index in 0..<octets {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)))
        }
    }

    /// Appends octets as they are.
    public mutating func append(_ other: some Sequence<UInt8>) { bytes.append(contentsOf: other) }

    /// Appends the octets of an encodable value.
    public mutating func append(_ value: some WireEncodable) { value.encode(into: &self) }
}

/// A value that can be encoded as octets.
public protocol WireEncodable {
    /// Appends the value's octets to the writer.
    func encode(into writer: inout ByteWriter)
}

extension WireEncodable {
    /// The value's octets.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return writer.bytes
    }
}
