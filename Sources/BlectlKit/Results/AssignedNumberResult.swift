// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// An assigned number that was looked up.
struct AssignedNumberResult: RecordedResult {
    let entry: RegistryEntry
    /// The formats that may name private characteristics.
    let formats: FormatCatalogue
    /// The format of the values, if it is a characteristic or descriptor that is meant exactly.
    let format: CharacteristicFormat?
    /// When it was looked up.
    let timestamp: Timestamp

    /// The service in which the characteristic is usual; `nil` for other entries.
    private var service: BluetoothUUID? {
        guard entry.registry == .characteristic else { return nil }
        return entry.uuid.flatMap { formats.service(ofCharacteristic: $0) }
    }

    /// `word` is the name in the form that the command line takes.
    var record: Record {
        Record(
            "assigned-number",
            at: timestamp,
            [
                "fields": format.map { .array($0.fields.map(\.json)) } ?? .null,
                "kind": .string(entry.registry.rawValue),
                "maximum_length": .optional(format?.maximumLength),
                "name": .string(entry.name),
                "number": .string(entry.numberText),
                "service": .optional(service?.description),
                "service_name": .optional(service.flatMap { formats.name(ofService: $0) }),
                "symbol": .optional(entry.symbol),
                "word": .string(entry.slug),
            ]
        )
    }

    /// The entry in a line, and the fields of an exact match below it.
    func text(_ style: TextStyle) -> String? {
        let kind = TerminalText.padded(entry.registry.rawValue, columns: 14)
        let number = TerminalText.padded(entry.numberText, columns: 6)
        var line = "\(kind)  \(style.paint(number, .cyan))  \(entry.name)"
        if let symbol = entry.symbol, !symbol.isEmpty { line += "  \(symbol)" }
        guard let format else { return line }
        var lines = [line]
        if let service { lines.append("  in the service \(serviceText(service, formats))") }
        lines += FieldDescription.lines(format.fields, indentation: "  ", style)
        return lines.joined(separator: "\n")
    }
}

extension FieldDescription {
    /// A line for each field, and for the members of each.
    fileprivate static func lines(_ fields: [FieldDescription], indentation: String, _ style: TextStyle) -> [String] {
        let width = min(40, fields.map(\.key.count).max() ?? 0)
        return fields.flatMap { field in
            let key = TerminalText.padded(field.key, columns: width)
            let first =
                field.key.isEmpty
                ? indentation + field.words : "\(indentation)\(style.paint(key, .bold))  \(field.words)"
            let members = field.kind == .array ? field.elementMembers : field.members
            return [first] + lines(members, indentation: indentation + "  ", style)
        }
    }

    /// The members of the elements of a list. A list of plain values has none.
    private var elementMembers: [FieldDescription] {
        guard let element = members.first, members.count == 1, element.key.isEmpty else { return [] }
        return element.members
    }

    /// The contents that the field accepts: `0 to 100 %, in steps of 0.5, or 'not known'; may be missing`.
    private var words: String {
        let words =
            switch kind {
            case .number: range
            case .choice: choices.isEmpty ? "a name" : Self.list(choices)
            case .flags: "any of \(Self.list(choices))"
            case .bool: "true or false"
            case .date: "a date or a time"
            case .text: "text"
            case .hex: "bytes in hexadecimal"
            case .array: "a list" + (members.first.map { $0.members.isEmpty ? " of \($0.words)" : "" } ?? "")
            case .object: "an object"
            }
        let other = special.isEmpty ? "" : ", or \(Prose.list(special.map { "'\($0)'" }, "or"))"
        // Such a field is read, and never written.
        if isOfEarlierEdition { return words + other + "; only in values of an earlier edition" }
        return words + other + (isOptional ? "; may be missing" : "")
    }

    /// The range of a number, with its unit and its resolution. A resolution of 1 goes without saying.
    private var range: String {
        guard let lowest, let highest else { return unit.isEmpty ? "a number" : "a number in \(unit)" }
        var words = "\(lowest) to \(highest)" + (unit.isEmpty ? "" : " \(unit)")
        if let resolution, resolution != DecimalNumber(1) { words += ", in steps of \(resolution)" }
        return words
    }

    /// At most 40 names, because some enumerations have hundreds.
    private static func list(_ names: [String]) -> String {
        names.count <= 40 ? names.joined(separator: ", ") : names.prefix(40).joined(separator: ", ") + " …"
    }

    /// The description as an object.
    fileprivate var json: JSONValue {
        .object([
            "choices": .array(choices.map { .string($0) }),
            "highest": highest.map { JSONValue(.number($0)) } ?? .null,
            "key": .string(key),
            "kind": .string(kind.rawValue),
            "lowest": lowest.map { JSONValue(.number($0)) } ?? .null,
            "members": .array(members.map(\.json)),
            "name": .string(name),
            "optional": .bool(isOptional),
            "resolution": resolution.map { JSONValue(.number($0)) } ?? .null,
            "special": .array(special.map { .string($0) }),
            "unit": .string(unit),
        ])
    }
}
