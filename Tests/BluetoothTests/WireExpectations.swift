// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

/// Expects that the value encodes to exactly these octets, and that no shorter or longer packet decodes.
func expectWire<Value: WireDecodable & WireEncodable & Equatable>(
    _ value: Value,
    _ hex: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let bytes = octets(hex)
    #expect(Hex.string(value.encoded()) == Hex.string(bytes), sourceLocation: sourceLocation)
    do {
        let decoded = try Value(decoding: bytes)
        #expect(decoded == value, sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
    expectPrefixesRejected(Value.self, bytes, sourceLocation: sourceLocation)
    let longer = bytes + [0x00]
    #expect(throws: DecodeError.self, "with an octet too many", sourceLocation: sourceLocation) {
        _ = try Value(decoding: longer)
    }
}

/// Expects that no strict prefix of the octets decodes.
func expectPrefixesRejected<Value: WireDecodable>(
    _ type: Value.Type,
    _ bytes: [UInt8],
    sourceLocation: SourceLocation = #_sourceLocation
) {
    for length in 0..<bytes.count {
        #expect(throws: DecodeError.self, "\(length) of \(bytes.count) octets", sourceLocation: sourceLocation) {
            _ = try Value(decoding: Array(bytes.prefix(length)))
        }
    }
}
