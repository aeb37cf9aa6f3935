// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

extension JSONValue {
    /// A decoded value as JSON.
    ///
    /// Whole numbers stay exact up to 64 bits. Others become the nearest binary floating-point number.
    init(_ content: DecodedValue.Content) {
        switch content {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let number):
            let text = number.description
            if let integer = Int64(text) {
                self = .integer(integer)
            } else if let integer = UInt64(text) {
                self = .unsigned(integer)
            } else {
                self = Double(text).map { .number($0) } ?? .null
            }
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { JSONValue($0) })
        case .object(let members):
            // Two members with one key must not trap, whatever format they come from.
            self = .object(Dictionary(members.map { ($0.key, JSONValue($0.value)) }) { first, _ in first })
        }
    }
}
