// SPDX-License-Identifier: MIT

import Bluetooth

extension DeviceBuilder {
    mutating func conditions(_ object: JSONCursor, of uuid: BluetoothUUID?) -> [WriteCondition] {
        var conditions: [WriteCondition] = []
        if let value = object["is"].flatMap({ constant($0, of: uuid) }) { conditions.append(.equals(value)) }
        // The beginning of a value is no value of the format.
        if let value = object["starts"].flatMap({ constant($0, of: nil) }) { conditions.append(.starts(value)) }
        if let range = object["length"].flatMap({ lengths($0) }) { conditions.append(.length(range)) }
        if let condition = numberCondition(object) { conditions.append(condition) }
        if let bits = object["bits"], let mask = hex(bits["mask"]), let value = hex(bits["is"]) {
            if mask.count != value.count {
                faults.add(bits, "'mask' has \(mask.count) octets, but 'is' has \(value.count)")
            }
            conditions.append(.bits(mask: mask, value: value))
        }
        for part in object["not"]?.list ?? [] {
            let inner = self.conditions(part, of: uuid)
            // A wrong condition is reported where it is read. Several at once would leave open what is negated.
            if inner.count == 1 {
                conditions.append(.not(inner[0]))
            } else if part.members.count != 1 {
                faults.add(part, "expected an object with exactly one condition")
            }
        }
        if let value = object["else"], !conditions.isEmpty {
            faults.add(value, "a rule with conditions cannot be the 'else'")
        }
        return conditions
    }

    /// The condition on a number, for which a format is needed; `nil` if there is none or if it is wrong.
    private mutating func numberCondition(_ object: JSONCursor) -> WriteCondition? {
        guard let range = object["number"] else {
            if let format = object["as"] { faults.add(format, "the format is used by 'number', which is missing") }
            return nil
        }
        guard let format = object["as"]?.string.flatMap({ FileName.numberFormat($0) }) else {
            if object["as"] == nil { faults.add(range, "the member 'as' with the format is missing") }
            return nil
        }
        guard let bounds = range.elements, bounds.count == 2, let low = bounds[0].integer, let high = bounds[1].integer
        else { return nil }
        guard low <= high else {
            faults.add(range, "the first number, \(low), is greater than the second one, \(high)")
            return nil
        }
        for bound in bounds { checkNumber(bound, fits: format) }
        return .number(low...high, format)
    }

    mutating func actions(_ cursor: JSONCursor?) -> [DeviceAction] {
        var actions: [DeviceAction] = []
        for action in cursor?.list ?? [] {
            if let after = duration(action["after"]) {
                actions += self.actions(action["do"]).map { .after(after, $0) }
            } else if let action = DeviceSchema.action.form.read(action, &self) {
                actions.append(action)
            }
        }
        return actions
    }

    /// A fault that is told as a sentence.
    mutating func fault(_ cursor: JSONCursor) -> FaultRule? {
        guard let text = cursor.string else { return nil }
        var fault: FaultText
        do throws(FaultTextError) {
            fault = try FaultText(parsing: text)
        } catch {
            faults.add(cursor, "column \(error.column): \(error.expectation)")
            return nil
        }
        if fault.device != nil { faults.add(cursor, "the fault is one of this device, and names none") }
        do throws(FileTextError) {
            if let target = fault.rule.target { fault.rule.target = try names.reference(target.text) }
        } catch {
            // A descriptor is no characteristic of the file, and a fault may concern one all the same.
            if case .label? = fault.rule.target { faults.add(cursor, error.message) }
        }
        return fault.rule
    }

    mutating func program(_ cursor: JSONCursor, among known: [String], _ noun: String) -> ProgramReference? {
        guard let text = cursor.string else { return nil }
        guard known.contains(text), let point = text.firstIndex(of: ".") else {
            let list = known.count <= 12 ? "; there is \(known.joined(separator: ", "))" : ""
            let hint = FileName.hint(text, among: known)
            faults.add(cursor, "'\(text.shortened)' is not the \(noun) of a program" + (hint.isEmpty ? list : hint))
            return nil
        }
        return ProgramReference(String(text[..<point]), String(text[text.index(after: point)...]))
    }
}
