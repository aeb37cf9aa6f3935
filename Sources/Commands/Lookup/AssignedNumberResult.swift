// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Records
import Terminal
import Toolkit

struct AssignedNumberResult: RecordedResult {
    let entry: RegistryEntry
    /// The formats that may name private characteristics.
    let formats: FormatCatalogue
    /// The format of the values, if it is a characteristic or descriptor that is meant exactly.
    let format: CharacteristicFormat?
    let timestamp: Timestamp

    /// The service in which the characteristic is usual; `nil` for other entries.
    private var service: BluetoothUUID? {
        guard entry.registry == .characteristic else { return nil }
        return entry.uuid.flatMap { formats.service(ofCharacteristic: $0) }
    }

    static let record = RecordKind<Self>("assigned-number", "an assigned number") {
        RecordField("kind", .string, "list in which it is: `service`, `company`, and the other values of `--kind`") {
            $0.entry.registry.rawValue
        }
        RecordField("number", .string, "number: a UUID, or hexadecimal digits after `0x`") { $0.entry.numberText }
        RecordField("name", .string, "its name") { $0.entry.name }
        RecordField("word", .string, "name as on a command line") { $0.entry.slug }
        RecordField("symbol", orNull: .string, "symbol of a unit, which may be empty") { $0.entry.symbol }
        RecordField("service", orNull: .uuid, "service of a characteristic, if only one") {
            $0.service
        }
        RecordField("service_name", orNull: .string, "its assigned name") { result in
            result.service.flatMap { result.formats.name(ofService: $0) }
        }
        RecordField("maximum_length", orNull: .integer("bytes"), "greatest length of a value, if limited") {
            $0.format?.maximumLength
        }
        RecordField(
            "fields",
            orNull: .array(of: .object(FieldDescription.record)),
            "fields of the value, if named exactly and of known format"
        ) { $0.format?.fields }
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

    @FieldBuilder<FieldDescription>
    fileprivate static var record: [RecordField<FieldDescription>] {
        RecordField("key", .string, "key in `decoded`; empty if the value is not an object") { $0.key }
        RecordField("name", .string, "name without the unit") { $0.name }
        RecordField(
            "kind",
            .string,
            "`number`, `choice`, `flags`, `date`, `text`, `hex`, `array`, `bool` or `object`"
        ) { $0.kind.rawValue }
        RecordField("unit", .string, "symbol of the unit; empty for none") { $0.unit }
        RecordField("lowest", orNull: .tree(.any), "lowest number") { $0.lowest.map { .number($0) } }
        RecordField("highest", orNull: .tree(.any), "highest number") { $0.highest.map { .number($0) } }
        RecordField("resolution", orNull: .tree(.any), "distance between neighbouring numbers") {
            $0.resolution.map { .number($0) }
        }
        RecordField("choices", .array(of: .string), "names to choose from") { $0.choices }
        RecordField("special", .array(of: .string), "texts for values that are not numbers") { $0.special }
        RecordField("optional", .boolean, "whether the field may be missing") { $0.isOptional }
        RecordField("members", .array(of: .any), "members of an object, or of the elements of a list") { field in
            field.members.map { FieldType.object(Self.record).tree($0) }
        }
    }
}
