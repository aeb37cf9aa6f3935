// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

/// The octets of a text such as `01 0b20 07`: hexadecimal digits; spaces are ignored.
func octets(_ hex: String, sourceLocation: SourceLocation = #_sourceLocation) -> [UInt8] {
    let bytes = Hex.bytes(hex.filter { !$0.isWhitespace })
    if bytes == nil { Issue.record("not hexadecimal: \(hex)", sourceLocation: sourceLocation) }
    return bytes ?? []
}

/// Expects that the value encodes to exactly these octets, and that no shorter or longer packet decodes.
func expectWire<Value: WireDecodable & WireEncodable & Equatable>(
    _ value: Value,
    _ hex: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let bytes = octets(hex, sourceLocation: sourceLocation)
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

extension SeededGenerator {
    /// Random octets, at most that many. Every fourth time mostly 0x00 and 0xFF, because lengths and counts fail there.
    mutating func octets(upTo limit: Int) -> [UInt8] {
        let count = Int.random(in: 0...limit, using: &self)
        let isExtreme = Int.random(in: 0..<4, using: &self) == 0
        return (0..<count).map { _ in
            let octet = UInt8(truncatingIfNeeded: next() >> 56)
            guard isExtreme else { return octet }
            switch octet & 0x03 {
            case 0: return 0x00
            case 1: return 0x01
            case 2: return 0xFF
            default: return octet
            }
        }
    }
}
