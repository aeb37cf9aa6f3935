// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceBuilder {
    /// A fault; `nil` if it is wrong, after reporting the mistake.
    mutating func fault(_ cursor: JSONCursor) -> FaultRule? {
        guard
            let operation = cursor["on"]?.string.flatMap({ FaultRule.Operation(rawValue: $0) }),
            let effect = cursor["do"].flatMap({ self.effect($0, of: operation) })
        else { return nil }
        var rule = FaultRule(operation, nil, effect)
        if let target = cursor["target"] {
            guard let reference = reference(target) else { return nil }
            rule.target = reference
        }
        if let nth = cursor["nth"] {
            let ends = nth.list
            guard let first: Int = integer(ends.first) else { return nil }
            // One number is both limits, and `null` as the second one means no limit.
            let last: Int? = ends.count == 1 ? first : ends.last.flatMap { $0.isNull ? Int.max : integer($0) }
            guard let last, last >= first else {
                faults.add(nth, "the last number is less than the first one")
                return nil
            }
            rule.numbers = first...last
        }
        rule.every = integer(cursor["every"])
        rule.times = integer(cursor["times"])
        rule.probability = cursor["probability"]?.number?.approximation
        if let between = cursor["between"]?.elements, let from = duration(between.first) {
            rule.window = FaultRule.Window(from: from, until: duration(between.last))
        }
        rule.isPerConnection = cursor["per"]?.string == "connection"
        if let problem = rule.problem {
            faults.add(cursor, problem)
            return nil
        }
        return rule
    }

    /// The effect of a fault; `nil` if the schema has refused it.
    private mutating func effect(_ cursor: JSONCursor, of operation: FaultRule.Operation) -> FaultEffect? {
        switch cursor.string {
        case "error": return .error(code: nil, after: .zero)
        case "no-answer": return .noAnswer
        case "lose": return .lose
        case "duplicate": return .duplicate
        case "reorder": return .reorder
        case "pause": return .pause(nil)
        default: break
        }
        if let error = cursor["error"] {
            return self.error(error, of: operation, after: duration(cursor["after"]) ?? .zero)
        }
        if let drop = cursor["drop"]?.string.flatMap({ FaultEffect.Drop.Moment(rawValue: $0) }) {
            var effect = FaultEffect.Drop(drop, delay: duration(cursor["after"]) ?? .zero)
            if let reason = cursor["reason"] {
                guard let status = status(reason) else { return nil }
                effect.reason = status
            }
            return .drop(effect)
        }
        if let delay = duration(cursor["delay"]) { return .delay(delay) }
        if let pause = duration(cursor["pause"]) { return .pause(pause) }
        if let opcode = hex(cursor["wrong-opcode"])?.first { return .wrongOpcode(opcode) }
        if let length: Int = integer(cursor["truncate"]) { return .truncate(length) }
        if let length: Int = integer(cursor["oversize"]) { return .oversize(length) }
        if let strength: Int8 = integer(cursor["report"]) { return .report(strength) }
        return nil
    }

    /// The effect of an error: an ATT error for requests, and an HCI status for events of the radio.
    private mutating func error(
        _ cursor: JSONCursor,
        of operation: FaultRule.Operation,
        after delay: Duration
    ) -> FaultEffect? {
        if cursor.string == "usual" { return .error(code: nil, after: delay) }
        if operation.isOfController { return status(cursor).map { .error(code: $0.rawValue, after: delay) } }
        guard let text = cursor.string else { return nil }
        guard let code = FileName.attError(text) else {
            faults.add(
                cursor,
                "expected an ATT error, 0x01 to 0xff, or its name" + FileName.hint(text, among: FileName.attErrors)
            )
            return nil
        }
        return .error(code: code.rawValue, after: delay)
    }

    /// The status of a controller. Success is none, because the operation would not fail.
    private mutating func status(_ cursor: JSONCursor) -> HCIStatus? {
        guard let text = cursor.string else { return nil }
        guard let status = HCIStatus(faultWord: text), status != .success else {
            faults.add(
                cursor,
                "expected the status of a controller, 0x01 to 0xff, or its name"
                    + FileName.hint(text, among: HCIStatus.faultWords)
            )
            return nil
        }
        return status
    }
}
