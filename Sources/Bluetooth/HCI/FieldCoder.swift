// SPDX-License-Identifier: MIT

/// A packet that states each of its fields once, for decoding and for encoding:
///
///     init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
///         type = try fields(\.type, "LE_Scan_Type")
///         interval = try fields(\.interval, "LE_Scan_Interval")
///     }
///
/// The texts are the names of the fields in errors. A packet whose fields depend on each other in another way has an
/// `init(from:)` and an `encode(into:)` instead.
package protocol FieldCoded: WireDecodable, WireEncodable {
    /// States the fields, in their order on the wire. It must not throw for the fields of a value.
    init(_ fields: inout FieldCoder<Self>) throws(DecodeError)
}

extension FieldCoded {
    package init(from reader: inout ByteReader) throws(DecodeError) {
        var fields = FieldCoder<Self>(reading: reader)
        defer { reader = fields.reader }
        try self.init(&fields)
    }

    package func encode(into writer: inout ByteWriter) {
        var fields = FieldCoder(writing: self)
        // What is made is a copy of this value. Nothing can fail, because nothing is decoded.
        _ = try? Self(&fields)
        writer.append(fields.writer.bytes)
    }
}

/// A packet without fields.
package protocol EmptyCoded: WireDecodable, WireEncodable {
    init()
}

extension EmptyCoded {
    package init(from reader: inout ByteReader) throws(DecodeError) { self.init() }

    package func encode(into writer: inout ByteWriter) {}

    package var details: String { "" }
}

/// A packet that names a connection and nothing else.
package protocol ConnectionCoded: FieldCoded {
    var connection: ConnectionHandle { get }

    init(_ connection: ConnectionHandle)
}

extension ConnectionCoded {
    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) { self.init(try fields(\.connection)) }

    package var details: String { "connection \(connection)" }
}

/// Decodes the fields of a packet, or encodes those of an existing one: each call returns the value of its field, which
/// comes from the reader or from the existing packet.
package struct FieldCoder<Packet> {
    /// The packet to encode; `nil` while decoding.
    private let source: Packet?
    fileprivate private(set) var reader: ByteReader
    fileprivate private(set) var writer: ByteWriter

    fileprivate init(reading reader: ByteReader) {
        source = nil
        self.reader = reader
        writer = ByteWriter(capacity: 0)
    }

    fileprivate init(writing source: Packet) {
        self.source = source
        reader = ByteReader([])
        writer = ByteWriter()
    }

    /// A field with its own form.
    package mutating func callAsFunction<Value>(
        _ path: KeyPath<Packet, Value>,
        read: (inout ByteReader) throws(DecodeError) -> Value,
        write: (inout ByteWriter, Value) -> Void
    ) throws(DecodeError) -> Value {
        guard let source else { return try read(&reader) }
        let value = source[keyPath: path]
        write(&writer, value)
        return value
    }

    /// A value that names its own field.
    package mutating func callAsFunction<Value: WireDecodable & WireEncodable>(
        _ path: KeyPath<Packet, Value>
    ) throws(DecodeError) -> Value {
        try self(path, read: { (reader) throws(DecodeError) in try Value(from: &reader) }, write: { $0.append($1) })
    }

    /// A value that is there only if an earlier field says so.
    package mutating func callAsFunction<Value: WireDecodable & WireEncodable>(
        _ path: KeyPath<Packet, Value?>,
        if isPresent: Bool
    ) throws(DecodeError) -> Value? {
        try self(
            path,
            read: { (reader) throws(DecodeError) in isPresent ? try Value(from: &reader) : nil },
            write: { if let value = $1 { $0.append(value) } }
        )
    }

    /// A number, of as many octets as its type or of `octets`.
    package mutating func callAsFunction<Number: FixedWidthInteger>(
        _ path: KeyPath<Packet, Number>,
        octets: Int = Number.bitWidth / 8,
        _ name: String
    ) throws(DecodeError) -> Number {
        try self(
            path,
            read: { (reader) throws(DecodeError) in
                Number(truncatingIfNeeded: try reader.integer(octets: octets, name))
            },
            write: { $0.integer(UInt64(truncatingIfNeeded: $1), octets: octets) }
        )
    }

    /// A number with a type of its own. Throws for one that the type does not know.
    package mutating func callAsFunction<Value: RawRepresentable>(
        _ path: KeyPath<Packet, Value>,
        _ name: String
    ) throws(DecodeError) -> Value where Value.RawValue: FixedWidthInteger & UnsignedInteger {
        let octets = Value.RawValue.bitWidth / 8
        return try self(
            path,
            read: { (reader) throws(DecodeError) in
                let number = try reader.integer(octets: octets, name)
                guard let value = Value(rawValue: Value.RawValue(truncatingIfNeeded: number)) else {
                    throw DecodeError(name, .invalid(value: number))
                }
                return value
            },
            write: { $0.integer(UInt64(truncatingIfNeeded: $1.rawValue), octets: octets) }
        )
    }

    /// A truth value: 0x00 or 0x01.
    package mutating func callAsFunction(
        _ path: KeyPath<Packet, Bool>,
        _ name: String
    ) throws(DecodeError) -> Bool {
        try self(path, read: { (reader) throws(DecodeError) in try reader.flag(name) }, write: { $0.flag($1) })
    }

    /// A power in dBm, or 127 for `nil`.
    package mutating func callAsFunction(
        _ path: KeyPath<Packet, Int8?>,
        _ name: String
    ) throws(DecodeError) -> Int8? {
        try self(
            path,
            read: { (reader) throws(DecodeError) in try reader.optionalPower(name) },
            write: { $0.optionalPower($1) }
        )
    }

    /// An interval of two octets, or of three. A larger one becomes the largest that fits.
    package mutating func callAsFunction<let microseconds: Int>(
        _ path: KeyPath<Packet, LEInterval<microseconds>>,
        octets: Int = 2,
        _ name: String
    ) throws(DecodeError) -> LEInterval<microseconds> {
        try self(
            path,
            read: { (reader) throws(DecodeError) in
                LEInterval(rawValue: UInt32(truncatingIfNeeded: try reader.integer(octets: octets, name)))
            },
            write: { $0.integer(min(UInt64($1.rawValue), 1 << UInt64(8 * octets) - 1), octets: octets) }
        )
    }

    /// An address without a type.
    package mutating func callAsFunction(
        _ path: KeyPath<Packet, BluetoothAddress>,
        _ name: String
    ) throws(DecodeError) -> BluetoothAddress {
        try self(
            path,
            read: { (reader) throws(DecodeError) in BluetoothAddress(rawValue: try reader.uint48(name)) },
            write: { $0.append($1) }
        )
    }

    /// The type of an address, and the address.
    package mutating func callAsFunction(
        _ path: KeyPath<Packet, DeviceAddress>,
        _ name: String
    ) throws(DecodeError) -> DeviceAddress {
        try self(
            path,
            read: { (reader) throws(DecodeError) in try reader.deviceAddress(name) },
            write: { $0.deviceAddress($1) }
        )
    }

    /// That many octets.
    package mutating func callAsFunction(
        _ path: KeyPath<Packet, [UInt8]>,
        count: Int,
        _ name: String
    ) throws(DecodeError) -> [UInt8] {
        try self(
            path,
            read: { (reader) throws(DecodeError) in try reader.bytes(count, name) },
            write: { $0.append($1) }
        )
    }

    /// All octets that are left.
    package mutating func rest(_ path: KeyPath<Packet, [UInt8]>) throws(DecodeError) -> [UInt8] {
        try self(path, read: { (reader) throws(DecodeError) in reader.rest() }, write: { $0.append($1) })
    }
}
