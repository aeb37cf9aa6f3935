// SPDX-License-Identifier: MIT

import Bluetooth

/// Appearance (0x2A01): the category of a device.
///
/// Spec: Core 5.4, Vol 3, Part C, 12.2; Assigned Numbers, 2.6
enum AppearanceFormat {
    static let fields: [FieldDescription] = [
        FieldDescription(key: "appearance", "appearance", .number, range: 0...0xFFFF),
        FieldDescription(key: "appearance_name", "appearance name", .text, isOptional: true),
    ]

    static func decode(_ reader: inout LenientReader) -> DecodedValue {
        let value = reader.uint16("appearance")
        // Names come from the assigned numbers, which grow; the number is always right.
        let name = value.flatMap { AssignedNumbers.appearanceName($0) }
        let number = value.map { "0x" + Hex.string($0, minimumDigits: 4) } ?? ""
        return DecodedValue(
            text: name.map { "\($0) (\(number))" } ?? number,
            content: .object([.init("appearance", .optional(value)), .init("appearance_name", .optional(name))]),
            fault: reader.fault
        )
    }

    /// The number of a text as `decode` makes it, `Watch (0x00C0)`; `nil` for another text.
    private static func number(printed text: String) -> UInt16? {
        guard text.hasSuffix(")"), let begin = text.lastIndex(of: "(") else { return nil }
        guard let number = UInt16(numeral: text[text.index(after: begin)...].dropLast()),
            let name = AssignedNumbers.appearanceName(number), NameKey(name.utf8) == NameKey(text[..<begin].utf8)
        else { return nil }
        return number
    }

    /// Takes the number, the name, or both.
    static func encode(_ content: DecodedValue.Content) throws(FieldError) -> [UInt8] {
        switch content {
        case .number:
            return try encode(.object([.init("appearance", content)]))
        case .string:
            return try encode(.object([.init("appearance_name", content)]))
        default:
            break
        }
        let members = try Members(content, fields)
        var writer = ByteWriter()
        // The user may write the name alone.
        if members["appearance"] == nil, case .string(let name)? = members["appearance_name"] {
            guard let number = AssignedNumbers.appearance(named: name) ?? number(printed: name) else {
                throw FieldError(
                    [.member("appearance_name")],
                    "'\(name)'",
                    .notAllowed("the name of an appearance, like 'Heart Rate Belt'")
                )
            }
            writer.uint16(number)
        } else {
            let number = UInt16(truncatingIfNeeded: try members.integer("appearance"))
            // Both may be given, for example from a decoded value, but then they have to agree.
            try members.check("appearance_name", is: AssignedNumbers.appearanceName(number))
            writer.uint16(number)
        }
        return writer.bytes
    }
}
