// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Octets that are hexadecimal in a file of vectors.
struct HexOctets: Decodable, Hashable, Sendable, CustomStringConvertible {
    let octets: [UInt8]

    init(_ octets: [UInt8]) { self.octets = octets }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let octets = Hex.bytes(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text)\" is not hexadecimal")
        }
        self.octets = octets
    }

    var description: String { Hex.string(octets) }
}

extension KeyedDecodingContainer {
    /// The value of a key, or a default if the key is missing.
    func decode<Value: Decodable>(_ key: Key, or other: Value) throws -> Value {
        try decodeIfPresent(Value.self, forKey: key) ?? other
    }
}
