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
