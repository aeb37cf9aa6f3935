// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles

extension JSONValue {
    /// A number; `null` if it is infinite or not a number, which JSON cannot represent.
    package static func number(_ value: Double) -> JSONValue { DecimalNumber(value).map { .number($0) } ?? .null }

    /// An object with the members in the order of their keys.
    package static func object(_ members: [String: JSONValue]) -> JSONValue {
        .object(members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
    }

    static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }
}
