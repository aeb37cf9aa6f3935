// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceBuilder {
    /// A value of a characteristic or a descriptor; `nil` for the UUID if there is no single one.
    mutating func value(_ cursor: JSONCursor, of uuid: BluetoothUUID?) -> DeviceValue? {
        guard let value = unchecked(cursor, of: uuid) else { return nil }
        guard value.isConstant, let octets = FieldEncoding.octets(of: value) else { return value }
        let limit = GATTLimits.maximumValueLength
        if octets.count > limit {
            faults.add(cursor, "the value has \(octets.count) octets, but at most \(limit) fit")
        }
        // A server itself can hold octets.
        return .octets(octets)
    }

    /// A value whose length was not checked.
    private mutating func unchecked(_ cursor: JSONCursor, of uuid: BluetoothUUID?) -> DeviceValue? {
        switch cursor.node.content {
        case .null: return nil
        case .string(let text): return octets(text, cursor, of: uuid).map { .octets($0) }
        case .number, .bool: return fields(cursor, of: uuid)
        case .array:
            var values: [DeviceValue] = []
            for element in cursor.list {
                if let value = unchecked(element, of: nil) { values.append(value) }
            }
            return .sequence(values)
        case .object: return object(cursor, of: uuid)
        }
    }

    /// A value that an object describes: a program, a recording, a number with a format, a generator, or
    /// fields.
    private mutating func object(_ cursor: JSONCursor, of uuid: BluetoothUUID?) -> DeviceValue? {
        if let program = cursor["program"] {
            return self.program(program, among: names.programs.values, "value").map { .program($0) }
        }
        if cursor["replay"] != nil { return replay(cursor, of: uuid) }
        if cursor["csv"] != nil { return csv(cursor, of: uuid) }
        if let number = cursor["number"] {
            guard let format = format(cursor), let constant = number.number else { return nil }
            checkNumber(number, fits: format)
            // A generated number is rounded. A fixed one would be another one than in the file.
            if format.limits != nil, constant.double != constant.double.rounded() {
                faults.add(number, "\(constant) is not a whole number, which the format \(format) takes")
            }
            return .number(.constant(constant), format)
        }
        // A generator without a format is a field of the characteristic.
        guard generatorKey(cursor) != nil else { return fields(cursor, of: uuid) }
        guard cursor["as"] != nil else { return fields(cursor, of: uuid) }
        guard let format = format(cursor), let generator = generator(cursor) else { return nil }
        for bound in generator.bounds where format.octets(of: bound) == nil {
            faults.add(cursor, "\(bound) does not fit the format \(format)")
        }
        return .number(.generated(generator), format)
    }

    /// The format that `as` names.
    private func format(_ cursor: JSONCursor) -> ValueFormat? {
        cursor["as"]?.string.flatMap { FileName.numberFormat($0) }
    }

    /// Adds a fault if a number does not fit a format.
    mutating func checkNumber(_ cursor: JSONCursor, fits format: ValueFormat) {
        guard let number = cursor.number, format.octets(of: number) == nil else { return }
        faults.add(cursor, "\(number) does not fit the format \(format)")
    }

    // MARK: - Texts

    private mutating func format(of uuid: BluetoothUUID) -> CharacteristicFormat? {
        if let known = formats[uuid] { return known }
        let format = FieldEncoding.format(of: uuid)
        formats.updateValue(format, forKey: uuid)
        return format
    }

    /// The octets of a text, as `write` takes it.
    private mutating func octets(_ text: String, _ cursor: JSONCursor, of uuid: BluetoothUUID?) -> [UInt8]? {
        do throws(TypedValueError) {
            return try TypedValue.octets(ofText: text, in: uuid.flatMap { format(of: $0)?.on(model) })
        } catch {
            faults.add(cursor, error.description + (error.advice.map { "; \($0)" } ?? ""))
            return nil
        }
    }

    /// Octets that never change.
    mutating func constant(_ cursor: JSONCursor, of uuid: BluetoothUUID?) -> [UInt8]? {
        guard let value = value(cursor, of: uuid) else { return nil }
        guard value.isConstant else {
            faults.add(cursor, "the value must be constant here")
            return nil
        }
        return FieldEncoding.octets(of: value)
    }

    /// A recording with times. Its values are constant.
    private mutating func replay(_ cursor: JSONCursor, of uuid: BluetoothUUID?) -> DeviceValue? {
        var samples: [ValueReplay.Sample] = []
        for sample in cursor["replay"]?.elements ?? [] {
            guard let pair = sample.elements, pair.count == 2, let at = duration(pair[0]),
                let value = constant(pair[1], of: uuid)
            else { continue }
            if let last = samples.last, at < last.at { faults.add(pair[0], "the time is before the one before it") }
            samples.append(.init(at: at, value))
        }
        let period = duration(cursor["period"])
        if let period, let last = samples.last, let member = cursor["period"], period <= last.at {
            faults.add(
                member,
                "the period must be longer than the time of the last value, \(FileDuration.text(last.at))"
            )
        }
        return .replay(ValueReplay(samples, period: period))
    }

    // MARK: - Fields

    /// The fields of a characteristic. They are encoded once with the extremes of their generators, so that a
    /// number that does not fit is found now and not while the device runs.
    private mutating func fields(_ cursor: JSONCursor, of uuid: BluetoothUUID?) -> DeviceValue? {
        guard let uuid else {
            faults.add(
                cursor,
                "a part of a value needs a format, as in \"u16:500\" or {\"number\": 500, \"as\": \"u16\"}"
            )
            return nil
        }
        guard CharacteristicValue.isKnown(uuid) else {
            faults.add(
                cursor,
                "\(uuid) has no assigned fields: write octets, or a number with a format, as in \"u16:500\" or \"as\": \"u16\""
            )
            return nil
        }
        // Other faults in the same place were reported already, and their values are missing.
        let before = faults.errors.count
        guard let plain = template(cursor), faults.errors.count == before else { return nil }
        // Where the format depends on the model, they are the fields of the model that the services of the file tell.
        let template = plain.on(model, uuid)
        for fault in FieldEncoding.faults(of: template, as: uuid) {
            var place = cursor
            // The name of the model is not in the file.
            let steps = template == plain ? fault.steps : Array(fault.steps.dropFirst())
            for step in steps { place = place.following(step) ?? place }
            faults.add(line: place.line, steps.reduce(cursor.path) { $0.appending($1) }, fault.message)
        }
        return .fields(uuid, template)
    }

    /// The template of a value: its structure, with generators in place of numbers.
    private mutating func template(_ cursor: JSONCursor) -> FieldTemplate? {
        switch cursor.node.content {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .number(let number): return .number(.constant(number))
        case .string(let text): return .string(text)
        case .array:
            var elements: [FieldTemplate] = []
            for element in cursor.list {
                if let template = template(element) { elements.append(template) }
            }
            return .array(elements)
        case .object:
            if generatorKey(cursor) != nil { return generator(cursor).map { .number(.generated($0)) } }
            var members: [FieldTemplate.Member] = []
            for (key, value) in cursor.members {
                if let template = template(value) { members.append(.init(key, template)) }
            }
            return .object(members)
        }
    }
}

extension JSONCursor {
    /// The value one step further; `nil` if there is none.
    func following(_ step: JSONPath.Step) -> JSONCursor? {
        switch step {
        case .member(let key): return self[key]
        case .element(let index):
            guard let elements, elements.indices.contains(index) else { return nil }
            return elements[index]
        }
    }
}
