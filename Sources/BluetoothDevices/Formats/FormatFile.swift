// SPDX-License-Identifier: MIT

import Bluetooth
public import BluetoothProfiles

/// The text of a catalogue of private formats: JSON in the format `blectl-formats/1`.
public enum FormatFile {
    /// The catalogue of a file.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - name: Its name, for errors.
    /// - Throws: All faults of the file.
    public static func read(_ bytes: [UInt8], named name: String) throws(DeviceFileErrors) -> FormatCatalogue {
        let root = try DeviceFile.parse(bytes, named: name)
        var validator = SchemaValidator(faults: FaultCollector(file: name))
        validator.check(root, .type(.formats))
        // The builder relies on the form of the schema, and would treat a member of another form as missing.
        guard validator.faults.isEmpty else { throw validator.faults.all }
        var builder = FormatBuilder(faults: validator.faults)
        let catalogue = builder.makeCatalogue(root)
        guard builder.faults.isEmpty else { throw builder.faults.all }
        return catalogue
    }
}

/// Makes the catalogue of a file that has the form of its schema.
private struct FormatBuilder {
    private(set) var faults: FaultCollector

    mutating func makeCatalogue(_ root: JSONCursor) -> FormatCatalogue {
        var services: [FormatCatalogue.Service] = []
        for service in root["services"]?.elements ?? [] {
            guard let uuid = uuid(service["uuid"]), let name = name(service["name"]) else { continue }
            if services.contains(where: { $0.uuid == uuid }) { faults.add(service, "there are two services \(uuid)") }
            services.append(.init(uuid, name))
        }
        var characteristics: [FormatCatalogue.Characteristic] = []
        for characteristic in root["characteristics"]?.elements ?? [] {
            guard let uuid = uuid(characteristic["uuid"]), let name = name(characteristic["name"]) else { continue }
            if characteristics.contains(where: { $0.uuid == uuid }) {
                faults.add(characteristic, "there are two characteristics \(uuid)")
            }
            characteristics.append(
                .init(
                    uuid,
                    name,
                    service: characteristic["service"].flatMap { self.uuid($0) },
                    format: characteristic["fields"].flatMap { format($0) }
                )
            )
        }
        return FormatCatalogue(services: services, characteristics: characteristics)
    }

    private func uuid(_ cursor: JSONCursor?) -> BluetoothUUID? { cursor?.string.flatMap { BluetoothUUID($0) } }

    /// The name of a service or of a characteristic; `nil` with a fault if no command could name it.
    private mutating func name(_ cursor: JSONCursor?) -> String? {
        guard let cursor, let name = cursor.string else { return nil }
        // On a command line, only the letters and the digits of a name count.
        guard !AssignedNumber.slug(name).isEmpty else {
            faults.add(cursor, "the name '\(name)' has neither a letter nor a digit")
            return nil
        }
        return name
    }

    // MARK: - Fields

    /// The format of a list of fields; `nil` if it has faults, which are then collected.
    private mutating func format(_ fields: JSONCursor) -> CharacteristicFormat? {
        let count = faults.errors.count
        let definitions = definitions(fields)
        // Further faults would follow from these.
        guard faults.errors.count == count else { return nil }
        do throws(FieldDefinitionError) {
            return try CharacteristicFormat(definitions)
        } catch {
            faults.add(Self.place(of: error, in: fields), error.message)
            return nil
        }
    }

    /// The value that a fault is about.
    private static func place(of error: FieldDefinitionError, in fields: JSONCursor) -> JSONCursor {
        var place = fields
        for (depth, index) in error.path.enumerated() {
            let list = depth == 0 ? place : place["fields"] ?? place
            guard let elements = list.elements, elements.indices.contains(index) else { return place }
            place = elements[index]
        }
        guard let part = error.part, let parts = place["parts"]?.elements, parts.indices.contains(part) else {
            return place
        }
        return parts[part]
    }

    /// The fields of a list. Those with a fault are left out, because the list is then not used.
    private mutating func definitions(_ fields: JSONCursor) -> [FieldDefinition] {
        var definitions: [FieldDefinition] = []
        for field in fields.elements ?? [] {
            guard let kind = kind(field) else { continue }
            definitions.append(
                FieldDefinition(
                    field["name"]?.string ?? "",
                    kind,
                    unit: field["unit"]?.string ?? "",
                    if: presence(field["if"]),
                    isOptional: field["optional"]?.bool ?? false
                )
            )
        }
        return definitions
    }

    /// The kind of a field: that of its marker `flags`, `word` or `skip`, else a list of fields, else its type.
    /// Members that the kind does not have are faults, because they would have no effect.
    private mutating func kind(_ field: JSONCursor) -> FieldDefinition.Kind? {
        if let integer = integer(field["flags"]) { return .flags(integer, parts(field["parts"])) }
        if let integer = integer(field["word"]) { return .word(integer, parts(field["parts"])) }
        if let count = field["skip"]?.integer { return .skipped(Int(count)) }
        if let fields = field["fields"] {
            refuse(["type", "octets", "repeat", "unit"] + Self.ofIntegers, in: field, "a list of fields")
            return .list(definitions(fields))
        }
        guard let type = field["type"], let spelling = type.string else {
            faults.add(field, "it needs the member 'type' or 'fields'")
            return nil
        }
        let word = FormatSchema.valueType(spelling)
        if let integer = FieldDefinition.Integer(rawValue: word) { return kind(integer, field) }
        let isSized = word == "text" || word == "hex"
        refuse(Self.ofIntegers + ["repeat"] + (isSized ? [] : ["octets"]), in: field, word)
        let octets = field["octets"]?.integer.map { Int($0) }
        switch word {
        case "sfloat": return .sfloat
        case "medfloat32": return .medicalFloat
        case "f32": return .float32
        case "text": return .text(octets: octets)
        case "hex": return .hex(octets: octets)
        case "date-time": return .dateTime
        case "date": return .date
        case "address": return .address
        // The schema has no other word.
        default: return .uuid
        }
    }

    /// The members that only integers have.
    private static let ofIntegers = ["scale", "binary_exponent", "offset", "special", "values", "bits"]

    /// The kind of an integer: names for its values, names for its bits, a list of numbers, or one number. They
    /// exclude each other.
    private mutating func kind(
        _ integer: FieldDefinition.Integer,
        _ field: JSONCursor
    ) -> FieldDefinition.Kind? {
        refuse(["octets"], in: field, integer.rawValue)
        let ofNumbers = ["scale", "binary_exponent", "offset", "special", "repeat", "unit"]
        if let values = field["values"] {
            refuse(ofNumbers + ["bits"], in: field, "an integer with names")
            return .choice(integer, names(values))
        }
        if let bits = field["bits"] {
            refuse(ofNumbers, in: field, "an integer with names of bits")
            return .bits(integer, bits.elements?.compactMap(\.string) ?? [])
        }
        let scale = FieldDefinition.Scale(
            factor: field["scale"]?.number ?? DecimalNumber(1),
            binaryExponent: field["binary_exponent"]?.integer.map { Int($0) } ?? 0,
            offset: field["offset"]?.number ?? .zero
        )
        if field["repeat"]?.bool == true {
            refuse(["special"], in: field, "a list of numbers")
            return .numbers(integer, scale)
        }
        return .number(integer, scale, special: field["special"].map { names($0) } ?? [:])
    }

    /// Reports members without meaning.
    private mutating func refuse(_ keys: [String], in field: JSONCursor, _ kind: String) {
        for key in keys {
            if let member = field[key] { faults.add(member, "\(kind) has no '\(key)'") }
        }
    }

    private func integer(_ cursor: JSONCursor?) -> FieldDefinition.Integer? {
        cursor?.string.flatMap { FieldDefinition.Integer(rawValue: FormatSchema.valueType($0)) }
    }

    /// The parts of flags or of a word: one bit, which is true or false, or a range of bits, which is a number
    /// or selects a name.
    private mutating func parts(_ parts: JSONCursor?) -> [FieldDefinition.Part] {
        var result: [FieldDefinition.Part] = []
        for part in parts?.elements ?? [] {
            guard let name = part["name"]?.string else { continue }
            let bits: ClosedRange<Int>
            if let bit = part["bit"]?.integer, part["bits"] == nil {
                bits = Int(bit)...Int(bit)
            } else if let ends = part["bits"]?.elements?.compactMap(\.integer), ends.count == 2, part["bit"] == nil,
                ends[0] <= ends[1]
            {
                bits = Int(ends[0])...Int(ends[1])
            } else {
                faults.add(part, "it needs 'bit', or 'bits' with the lowest and the highest one")
                continue
            }
            result.append(.init(name, bits, names: part["values"].map { names($0) } ?? [:]))
        }
        return result
    }

    /// The condition of a field. Without one, its lists are empty, and the field is always there.
    private func presence(_ cursor: JSONCursor?) -> FieldDefinition.Presence {
        func numbers(_ key: String) -> [Int] { cursor?[key]?.list.compactMap { $0.integer.map { Int($0) } } ?? [] }
        return .init(
            set: numbers("set"),
            clear: numbers("clear"),
            opCodes: numbers("op_code").compactMap { UInt8(exactly: $0) }
        )
    }

    /// Names by integers, which are written in decimal or with `0x`.
    private mutating func names(_ cursor: JSONCursor) -> [UInt64: String] {
        var names: [UInt64: String] = [:]
        for (key, value) in cursor.members {
            guard let number = UInt64(numeral: key), let name = value.string else {
                faults.add(value, "'\(key.shortened)' is not a whole number from 0, in decimal or with 0x")
                continue
            }
            // One number has two spellings: 16 and 0x10.
            guard names.updateValue(name, forKey: number) == nil else {
                faults.add(value, "the number \(number) occurs twice")
                continue
            }
        }
        return names
    }
}
