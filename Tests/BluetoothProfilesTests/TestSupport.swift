// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothProfiles
import Testing

extension SeededGenerator {
    mutating func bytes(upTo count: Int) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &self)).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}

/// The octets of hexadecimal digits; spaces are ignored.
func hex(_ text: String) -> [UInt8] {
    let bytes = Hex.bytes(text.filter { $0 != " " })
    #expect(bytes != nil, "not hex: \(text)")
    return bytes ?? []
}

/// A tree as JSON text, with its members in order, for comparison.
func json(_ content: DecodedValue.Content?) -> String {
    switch content {
    case nil, .null: "null"
    case .bool(let value): "\(value)"
    case .number(let value): value.description
    case .string(let value): "\"\(value)\""
    case .array(let values): "[" + values.map { json($0) }.joined(separator: ",") + "]"
    case .object(let members): "{" + members.map { "\"\($0.key)\":\(json($0.value))" }.joined(separator: ",") + "}"
    }
}
