// SPDX-License-Identifier: MIT

import Bluetooth

/// A cursor for hand-written formats: the first field that is cut off becomes the fault, and it and those after it are
/// `nil`.
struct LenientReader {
    private(set) var reader: ByteReader
    private(set) var fault: DecodingFault?

    /// The next field.
    ///
    /// - Parameter key: The key of the member that has the field; the field's name is the key without underscores.
    mutating func read<Value>(
        _ key: String,
        _ read: (inout ByteReader, String) throws(DecodeError) -> Value
    ) -> Value? {
        guard fault == nil else { return nil }
        do throws(DecodeError) {
            return try read(&reader, String(key.map { $0 == "_" ? " " : $0 }))
        } catch {
            fault = DecodingFault(error).under(.member(key))
            return nil
        }
    }

    mutating func uint8(_ key: String) -> UInt8? {
        read(key) { (reader, field) throws(DecodeError) in try reader.uint8(field) }
    }

    mutating func int8(_ key: String) -> Int8? {
        read(key) { (reader, field) throws(DecodeError) in try reader.int8(field) }
    }

    mutating func uint16(_ key: String) -> UInt16? {
        read(key) { (reader, field) throws(DecodeError) in try reader.uint16(field) }
    }

    mutating func int16(_ key: String) -> Int16? {
        read(key) { (reader, field) throws(DecodeError) in try reader.int16(field) }
    }

    mutating func uint32(_ key: String) -> UInt32? {
        read(key) { (reader, field) throws(DecodeError) in try reader.uint32(field) }
    }
}

extension DecodedValue.Content {
    /// A number, or `null`.
    static func optional(_ value: (some FixedWidthInteger)?) -> Self { value.map { .number($0) } ?? .null }

    /// A text, or `null`.
    static func optional(_ text: String?) -> Self { text.map { .string($0) } ?? .null }
}
