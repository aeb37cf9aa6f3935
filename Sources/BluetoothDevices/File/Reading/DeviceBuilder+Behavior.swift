// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceBuilder {
    // MARK: - Conditions

    /// The conditions of an object on a value of a characteristic.
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

    // MARK: - Actions

    /// The actions of one object or of a list; `uuid` is the characteristic whose write causes them.
    mutating func actions(_ cursor: JSONCursor?, of uuid: BluetoothUUID?) -> [DeviceAction] {
        guard let cursor else { return [] }
        var actions: [DeviceAction] = []
        for action in cursor.list { actions += self.action(action, of: uuid) }
        return actions
    }

    /// The actions of one word or object. Exactly one member determines the kind of action.
    private mutating func action(_ cursor: JSONCursor, of uuid: BluetoothUUID?) -> [DeviceAction] {
        switch cursor.string {
        case "store": return [.store]
        case "silence": return [.silence]
        case "disconnect": return [.disconnect]
        case "restart": return [.restart]
        default: break
        }
        if let error = cursor["error"]?.string.flatMap({ FileName.attError($0) }) { return [.refuse(error)] }
        if let delay = duration(cursor["delay"]) { return [.delay(delay)] }
        if let time = duration(cursor["leave"]) { return [.leave(time)] }
        if let isConnectable = cursor["connectable"]?.bool { return [.connectable(isConnectable)] }
        if let program = cursor["run"] { return command(program).map { [.run($0)] } ?? [] }
        if let name = cursor["database"] { return database(name) }
        if let after = duration(cursor["after"]) {
            return actions(cursor["do"], of: uuid).map { .after(after, $0) }
        }
        if let echo = cursor["echo"] { return reference(echo).map { [.send($0, .written)] } ?? [] }
        let makers: [(String, (CharacteristicReference, DeviceAction.Payload) -> DeviceAction)] = [
            ("send", DeviceAction.send), ("set", DeviceAction.set), ("append", DeviceAction.append),
        ]
        for (key, make) in makers {
            guard let target = cursor[key] else { continue }
            let reference = reference(target)
            var payload: DeviceAction.Payload? = .written
            if let value = cursor["value"] {
                payload = self.value(value, of: reference.flatMap { names.uuid(of: $0) }).map { .value($0) }
            }
            guard let reference, let payload else { return [] }
            return [make(reference, payload)]
        }
        return []
    }

    /// The action that changes the database; `null` means the services of the start.
    private mutating func database(_ cursor: JSONCursor) -> [DeviceAction] {
        guard let name = cursor.string else { return cursor.isNull ? [.database(nil)] : [] }
        guard names.databases.contains(name) else {
            let hint = FileName.hint(name, among: names.databases.sorted())
            faults.add(cursor, "the device has no database '\(name.shortened)'" + hint)
            return []
        }
        return [.database(name)]
    }

    /// The command of a program inside blectl.
    private mutating func command(_ cursor: JSONCursor) -> ProgramReference? {
        program(cursor, among: names.programs.commands, "command")
    }

    /// A value or a command of a program.
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

    // MARK: - Timeline

    /// An entry of the timeline. Actions that answer a write are faults there, because there is no write.
    mutating func timelineEntry(_ cursor: JSONCursor) -> TimelineEntry? {
        var origin: TimelineEntry.Origin? = cursor["since"]?.string == "connection" ? .connection : .start
        if let subscription = cursor["since"]?["subscription"] {
            origin = reference(subscription).map { .subscription($0) }
        }
        for action in cursor["do"]?.list ?? [] {
            let isAnswer = action.string == "store" || action.string == "silence" || action["error"] != nil
            if isAnswer || action["delay"] != nil {
                faults.add(action, "there is no write to answer on the timeline")
            }
        }
        let actions = actions(cursor["do"], of: nil)
        guard let at = duration(cursor["at"]), let origin else { return nil }
        return TimelineEntry(at: at, since: origin, every: duration(cursor["every"]), actions)
    }
}
