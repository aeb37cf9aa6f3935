// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

extension JSONValue {
    /// A decoded value as JSON.
    init(_ content: DecodedValue.Content) {
        switch content {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let number):
            if let integer = Int64(number.description) {
                self = .integer(integer)
            } else {
                self = Double(number.description).map { .number($0) } ?? .null
            }
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { JSONValue($0) })
        case .object(let members):
            self = .object(Dictionary(members.map { ($0.key, JSONValue($0.value)) }) { first, _ in first })
        }
    }
}
