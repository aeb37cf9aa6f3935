// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceWriter {
    /// A fault: the operation, the occurrences that it strikes, and its effect.
    func fault(_ rule: FaultRule) -> JSONNode {
        .object([
            "on": .string(rule.operation.rawValue),
            "target": rule.target.map { reference($0) },
            "nth": rule.numbers.map { numbers in
                if numbers.lowerBound == numbers.upperBound { return .number(numbers.lowerBound) }
                // `null` ends a range that has no end.
                let last = numbers.upperBound == Int.max ? JSONNode(.null) : .number(numbers.upperBound)
                return .array([.number(numbers.lowerBound), last])
            },
            "every": rule.every.map { .number($0) },
            "times": rule.times.map { .number($0) },
            "probability": rule.probability.map { .number(Self.millionths($0)) },
            "between": rule.window.map { .array([Self.time($0.from), $0.until.map(Self.time) ?? JSONNode(.null)]) },
            "per": rule.isPerConnection ? .string("connection") : nil,
            "do": effect(rule.effect, of: rule.operation),
        ])
    }

    /// A probability, to the millionth.
    private static func millionths(_ probability: Double) -> DecimalNumber {
        let limited = probability.isFinite ? max(0, min(1, probability)) : 0
        return DecimalNumber(Int64((limited * 1_000_000).rounded()), exponent: -6)
    }

    /// The word of an error code: a status of HCI for operations of the controller, otherwise an error of ATT.
    private static func code(_ code: UInt8, of operation: FaultRule.Operation) -> String {
        operation.isOfController
            ? HCIStatus(rawValue: code).faultWord : FileName.text(of: ATTErrorCode(rawValue: code))
    }

    /// The effect. One without parameters, or with the usual ones, is a single word.
    private func effect(_ effect: FaultEffect, of operation: FaultRule.Operation) -> JSONNode {
        switch effect {
        case .error(nil, .zero): .string("error")
        case .error(let code, let delay):
            .object([
                "error": .string(code.map { Self.code($0, of: operation) } ?? "usual"),
                "after": Self.unless(.zero, delay, Self.time),
            ])
        case .noAnswer: .string("no-answer")
        case .lose: .string("lose")
        case .duplicate: .string("duplicate")
        case .reorder: .string("reorder")
        case .pause(nil): .string("pause")
        case .pause(let time?): .object(["pause": Self.time(time)])
        case .delay(let time): .object(["delay": Self.time(time)])
        case .wrongOpcode(let opcode): .object(["wrong-opcode": Self.hex([opcode])])
        case .truncate(let length): .object(["truncate": .number(length)])
        case .oversize(let length): .object(["oversize": .number(length)])
        case .drop(let drop):
            .object([
                "drop": .string(drop.moment.rawValue),
                "after": Self.unless(.zero, drop.delay, Self.time),
                "reason": Self.unless(.remoteUserTerminatedConnection, drop.reason) { .string($0.faultWord) },
            ])
        case .report(let strength): .object(["report": .number(strength)])
        }
    }
}
