// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The decoding of a value from its octets.
struct CharacteristicFormat: Sendable {
    /// Decodes the octets that the format covers, and leaves the cursor after them.
    let read: @Sendable (inout ByteReader) throws(DecodeError) -> DecodedValue

    /// Decodes a whole value. Octets that the format does not cover become its surplus.
    func decode(_ bytes: [UInt8]) throws(DecodeError) -> DecodedValue {
        var reader = ByteReader(bytes)
        let value = try read(&reader)
        return DecodedValue(text: value.text, content: value.content, surplus: reader.rest())
    }

    /// Fields in order. Each field has a member in the result, `null` if the flags say that it is absent, so that all
    /// records of a characteristic have the same members.
    static func fields(_ fields: Field...) -> Self {
        let isAlone = fields.count { !$0.key.isEmpty } == 1
        return Self { (reader) throws(DecodeError) in
            var context = Field.Context()
            var members: [DecodedValue.Member] = []
            var texts: [String] = []
            for field in fields {
                let isThere = field.condition.isMet(by: context.flags)
                let reading = isThere ? try field.read(&reader, &context) : Field.Reading(.null, nil)
                if !field.key.isEmpty { members.append(.init(field.key, reading.content)) }
                if !field.key.isEmpty, let text = reading.text {
                    texts.append(isAlone ? text : "\(field.name) \(text)")
                }
            }
            return DecodedValue(text: texts.joined(separator: ", "), content: .object(members))
        }
    }

    /// A value that is text.
    static var text: Self {
        Self { (reader) throws(DecodeError) in
            let text = DecodedValue.string(utf8: reader.rest())
            return DecodedValue(text: text, content: .string(text))
        }
    }

    /// A format that a later edition of the specification has changed. The earlier one is used if only it covers every
    /// octet, because devices built before the change still send it.
    static func either(_ later: Self, earlier: Self) -> Self {
        Self { (reader) throws(DecodeError) in
            var copy = reader
            if let value = try? later.read(&copy), copy.isAtEnd {
                reader = copy
                return value
            }
            copy = reader
            if let value = try? earlier.read(&copy), copy.isAtEnd {
                reader = copy
                return value
            }
            return try later.read(&reader)
        }
    }
}

extension DecodedValue {
    /// The text in UTF-8 octets. Zeros at the end are dropped, because some devices pad their texts; U+FFFD replaces
    /// invalid UTF-8.
    static func string(utf8 bytes: [UInt8]) -> String {
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
