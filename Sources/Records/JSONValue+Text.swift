// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles

extension JSONValue {
    /// The width up to which an array or an object stays on one line.
    private static let width = 110

    /// Writes the value for a person: objects and arrays that are too long for a line have a line for each member.
    ///
    /// - Parameters:
    ///   - indent: The columns before each line.
    ///   - used: The columns that are used in the first line already.
    package func write(to text: inout String, indent: Int, after used: Int = 0) {
        let line = json
        let inner = indent + 2
        let margin = "\n" + String(repeating: " ", count: inner)
        switch self {
        case .array(let elements) where indent + used + line.utf8.count > Self.width:
            text += "["
            for (index, element) in elements.enumerated() {
                text += (index == 0 ? "" : ",") + margin
                element.write(to: &text, indent: inner)
            }
            text += margin.dropLast(2) + "]"
        case .object(let members) where indent + used + line.utf8.count > Self.width:
            text += "{"
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                let key = "\"\(member.key)\": "
                text += (index == 0 ? "" : ",") + margin + key
                member.value.write(to: &text, indent: inner, after: key.utf8.count)
            }
            text += margin.dropLast(2) + "}"
        default: text += line
        }
    }
}

extension JSONValue {
    /// A number; `null` if it is infinite or not a number, which JSON cannot represent.
    package static func number(_ value: Double) -> JSONValue { DecimalNumber(value).map { .number($0) } ?? .null }

    /// An object with the members in the order of their keys.
    package static func object(_ members: [String: JSONValue]) -> JSONValue {
        .object(members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
    }

    static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }
}
