// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// How the octets of a value become a decoded value.
struct CharacteristicFormat: Sendable {
    /// Reads what the format accounts for, and leaves the cursor behind it.
    let read: @Sendable (inout ByteReader) throws(DecodeError) -> DecodedValue

    /// Decodes a whole value; octets that the format does not account for become its surplus.
    func decode(_ bytes: [UInt8]) throws(DecodeError) -> DecodedValue {
        var reader = ByteReader(bytes)
        let value = try read(&reader)
        return DecodedValue(text: value.text, content: value.content, surplus: reader.rest())
    }

    /// Fields one after the other. A member stands for each of them, also where the flags say that it is not there.
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

    /// Text and nothing else.
    static var text: Self {
        Self { (reader) throws(DecodeError) in
            let text = DecodedValue.string(utf8: reader.rest())
            return DecodedValue(text: text, content: .string(text))
        }
    }

    /// A format that has changed since devices were built: the earlier one is taken where it, and not the later one,
    /// accounts for every octet.
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
    /// UTF-8 text as devices send it: zero octets at the end are filling, and what is not UTF-8 becomes U+FFFD.
    static func string(utf8 bytes: [UInt8]) -> String {
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
