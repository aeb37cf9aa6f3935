// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceSchema {
    static let fault = DeviceType(
        .fault,
        "An event, the conditions under which the fault acts, and what happens.",
        "Each fault counts its own events; the first that is due acts.",
        form: .anyOf(sentence.meaning("The sentence of `--fault`, without a device."), faultMembers)
    )

    /// The sentence that `--fault` takes. Faults are written by their members.
    private static let sentence = DeviceForm<FaultRule>(
        kind: .text(.any(octets: 1...512)),
        read: { cursor, builder in builder.fault(cursor) },
        write: { _, _ in nil }
    )

    private static let faultMembers = DeviceForm<FaultRule>.object(
        usual: FaultRule(.scan, nil, .lose),
        [
            DeviceMember(
                "on",
                operation.kind,
                isRequired: true,
                read: { object, rule, builder in
                    // What an effect may be depends on the operation. Without both there is no rule.
                    guard let operation = object["on"].flatMap({ operation.read($0, &builder) }),
                        let effect = object["do"].flatMap({ effect(of: operation).read($0, &builder) })
                    else { return false }
                    (rule.operation, rule.effect) = (operation, effect)
                    return true
                },
                write: { rule, writer in operation.write(rule.operation, writer) }
            )
            .meaning("Event."),
            DeviceMember(
                "target",
                .text(.reference),
                read: { object, rule, builder in
                    rule.target = builder.reference(object["target"])
                    return rule.target != nil || object["target"] == nil
                },
                write: { rule, writer in rule.target.map { writer.reference($0) } }
            )
            .byDefault("any")
            .meaning("Characteristic that a request or an update concerns."),
            DeviceMember(
                "nth",
                .anyOf([SchemaForm(count, ""), SchemaForm(.tuple([count, orNull(count)]), "")]),
                read: { object, rule, builder in
                    rule.numbers = object["nth"].flatMap { numbers($0, &builder) }
                    return rule.numbers != nil || object["nth"] == nil
                },
                write: { rule, _ in
                    rule.numbers.map { numbers in
                        if numbers.lowerBound == numbers.upperBound { return .number(numbers.lowerBound) }
                        // `null` ends a range that has no end.
                        let last = numbers.upperBound == Int.max ? JSONNode(.null) : .number(numbers.upperBound)
                        return .array([.number(numbers.lowerBound), last])
                    }
                }
            )
            .byDefault("every one")
            .meaning(
                "Number of the event, or the first and the last; `null` is no limit."
            ),
            DeviceMember("every", .integer(1 ... .max), optional: \.every)
                .byDefault("1")
                .meaning("Only every n-th event."),
            DeviceMember("times", .integer(1 ... .max), optional: \.times)
                .byDefault("no limit")
                .meaning("How often it acts at most."),
            DeviceMember("probability", probability, optional: \.probability)
                .byDefault("1")
                .meaning("Probability, 0 to 1, if all other conditions are met."),
            DeviceMember("between", window, optional: \.window)
                .byDefault("always")
                .meaning(
                    "Bounds of the time after the start in which events count; `null` is no end."
                ),
            DeviceMember(
                "per",
                .words([
                    ("device", false, "events are counted in all"),
                    ("connection", true, "events are counted anew on each connection"),
                ]),
                \.isPerConnection
            )
            .meaning("What the numbers count."),
            DeviceMember(
                "do",
                .type(.effect),
                isRequired: true,
                write: { rule, writer in effect(of: rule.operation).write(rule.effect, writer) }
            )
            .meaning("What happens."),
        ]
    ) { object, rule, builder in
        if let problem = rule.problem { builder.faults.add(object, problem) }
    }

    static let faults = DeviceForm<[FaultRule]>.list(fault.form, count: 0...1_000)

    private static let operation = DeviceForm<FaultRule.Operation>.words(
        FaultRule.Operation.allCases.map { ($0.rawValue, $0, $0.prose) }
    )

    private static let count = SchemaKind.integer(1 ... .max)

    private static func orNull(_ kind: SchemaKind) -> SchemaKind {
        .anyOf([SchemaForm(kind, ""), SchemaForm(.null, "")])
    }

    /// The numbers of the events of a fault. One number is both limits, and `null` as the second one means no limit.
    private static func numbers(_ cursor: JSONCursor, _ builder: inout DeviceBuilder) -> ClosedRange<Int>? {
        let ends = cursor.list
        guard let first: Int = builder.integer(ends.first) else { return nil }
        let last: Int? = ends.count == 1 ? first : ends.last.flatMap { $0.isNull ? Int.max : builder.integer($0) }
        guard let last, last >= first else {
            builder.faults.add(cursor, "the last number is less than the first one")
            return nil
        }
        return first...last
    }

    /// A probability, to the millionth.
    private static let probability = DeviceForm<Double>(
        kind: .number,
        read: { cursor, _ in cursor.number?.approximation },
        write: { probability, _ in
            let limited = probability.isFinite ? max(0, min(1, probability)) : 0
            return .number(DecimalNumber(Int64((limited * 1_000_000).rounded()), exponent: -6))
        }
    )

    /// Two times; `null` as the second one means that there is no end.
    private static let window = DeviceForm<FaultRule.Window>(
        kind: .tuple([.text(anyTime), orNull(.text(anyTime))]),
        read: { cursor, builder in
            guard let between = cursor.elements, let from = builder.duration(between.first) else { return nil }
            return FaultRule.Window(from: from, until: builder.duration(between.last))
        },
        write: { window, _ in
            .array([DeviceWriter.time(window.from), window.until.map(DeviceWriter.time) ?? JSONNode(.null)])
        }
    )

    static let effect = SchemaType(
        name: .effect,
        prose: [
            "FAULTS of `blectl(1)` explains which event can have which effect."
        ],
        kind: attEffect.kind
    )

    /// The effects of an operation, whose errors are those of ATT or those of a controller.
    private static func effect(of operation: FaultRule.Operation) -> DeviceForm<FaultEffect> {
        operation.isOfController ? controllerEffect : attEffect
    }

    private static let attEffect = effect(error: .attFault)
    private static let controllerEffect = effect(
        error: DeviceForm.status.map({ $0.rawValue }, from: { HCIStatus(rawValue: $0) })
    )

    private static func effect(error code: DeviceForm<UInt8>) -> DeviceForm<FaultEffect> {
        .anyOf(
            .words([
                ("error", .error(code: nil, after: .zero), "the operation fails with the usual code"),
                ("no-answer", .noAnswer, "the device does not answer"),
                ("lose", .lose, "the request, the update or the advertisement is lost"),
                ("duplicate", .duplicate, "comes twice"),
                ("reorder", .reorder, "comes after the next one"),
                ("pause", .pause(nil), "held until the device is released"),
            ]),
            error(code).meaning("The operation fails."),
            .only("delay", .time, "Delay.", FaultEffect.delay) {
                if case .delay(let time) = $0 { time } else { nil }
            }
            .meaning("It happens later."),
            .only("wrong-opcode", .hex(1...1), "Opcode.", { .wrongOpcode($0.first ?? 0) }) {
                if case .wrongOpcode(let opcode) = $0 { [opcode] } else { nil }
            }
            .meaning("The answer or update has another opcode."),
            .only("truncate", .octets, "Octets that are left.", FaultEffect.truncate) {
                if case .truncate(let length) = $0 { length } else { nil }
            }
            .meaning("The PDU, or the advertising data, are cut."),
            .only("oversize", .octets, "Its octets then.", FaultEffect.oversize) {
                if case .oversize(let length) = $0 { length } else { nil }
            }
            .meaning("The PDU is filled with zeros."),
            drop.map(FaultEffect.drop, from: { if case .drop(let drop) = $0 { drop } else { nil } })
                .meaning("The link ends."),
            .only("pause", .time, "Time.", FaultEffect.pause) {
                if case .pause(let time) = $0 { time } else { nil }
            }
            .meaning("Held for a time, with all others that come meanwhile."),
            .only("report", .integer(-128...127), "Strength in dBm; 127 is unknown.", FaultEffect.report) {
                if case .report(let strength) = $0 { strength } else { nil }
            }
            .meaning("Strength of a signal.")
        )
    }

    private static func error(_ code: DeviceForm<UInt8>) -> DeviceForm<FaultEffect> {
        DeviceForm<(code: UInt8?, after: Duration)>.object(
            usual: (nil, .zero),
            marker: "error",
            [
                DeviceMember(
                    required: "error",
                    DeviceForm(
                        kind: code.kind,
                        read: { cursor, builder in
                            cursor.string == "usual" ? .some(nil) : code.read(cursor, &builder).map { $0 }
                        },
                        write: { error, writer in error.map { code.write($0, writer) } ?? .string("usual") }
                    ),
                    \.code
                )
                .meaning(
                    "An ATT error, `0x80` or `insufficient-encryption`; for events of the radio, the status of a controller; or `usual`."
                ),
                DeviceMember("after", .time, \.after).meaning("Time until then."),
            ]
        )
        .map(FaultEffect.error, from: { if case .error(let code, let time) = $0 { (code, time) } else { nil } })
    }

    private static let drop = DeviceForm<FaultEffect.Drop>.object(
        usual: FaultEffect.Drop(),
        marker: "drop",
        [
            DeviceMember(required: "drop", .words([.before: "in place of the event", .after: "after it"]), \.moment)
                .meaning("When it ends."),
            DeviceMember("after", .time, \.delay).meaning("Time until then."),
            DeviceMember("reason", .status, \.reason)
                .meaning(
                    "Reason, by name or number. With `connection-timeout` the device falls silent."
                ),
        ]
    )
}

extension DeviceForm<Int> {
    fileprivate static let octets = integer(1...Int64(FaultEffect.longestPDU))
}

extension DeviceForm<UInt8> {
    /// An error of ATT, by its name or its number.
    fileprivate static let attFault = DeviceForm(
        kind: .anyOf([SchemaForm(.text(.any(octets: 1...80)), ""), SchemaForm(.integer(1...255), "")]),
        read: { cursor, builder in
            guard let text = cursor.string else { return builder.integer(cursor) }
            if let code = FileName.attError(text) { return code.rawValue }
            let hint = FileName.hint(text, among: FileName.attErrors)
            builder.faults.add(cursor, "expected an ATT error, 0x01 to 0xff, or its name" + hint)
            return nil
        },
        write: { code, _ in .string(FileName.text(of: ATTErrorCode(rawValue: code))) }
    )
}

extension DeviceForm<HCIStatus> {
    /// The status of a controller. Success is none, because the operation would not fail.
    fileprivate static let status = DeviceForm(
        kind: .text(.any(octets: 1...80)),
        read: { cursor, builder in
            guard let text = cursor.string else { return nil }
            if let status = HCIStatus(faultWord: text), status != .success { return status }
            let hint = FileName.hint(text, among: HCIStatus.faultWords)
            builder.faults.add(cursor, "expected the status of a controller, 0x01 to 0xff, or its name" + hint)
            return nil
        },
        write: { status, _ in .string(status.faultWord) }
    )
}

extension FaultRule.Operation {
    fileprivate var prose: String {
        switch self {
        case .scan: "an advertisement"
        case .connect: "a central connects"
        case .disconnect: "a central disconnects"
        case .rssi: "a central's controller asks for the strength of the signal"
        case .discoverServices: "a request of the discovery of services"
        case .discoverCharacteristics: "a request of the discovery of characteristics and descriptors"
        case .read: "any other request that reads"
        case .write: "a write, except a subscription"
        case .subscribe: "a subscription, or its end"
        case .mtu: "the request for the MTU"
        case .request: "any request"
        case .notify: "a notification"
        case .indicate: "an indication"
        case .update: "a notification or an indication"
        }
    }
}
