// SPDX-License-Identifier: MIT

extension DeviceSchema {
    static let condition = SchemaType(
        name: .condition,
        prose: ["Conditions on a written value, which must all be met."],
        kind: .object(SchemaObject(conditions))
    )

    /// The kinds of conditions. A rule has the same members beside its actions.
    private static let conditions: [SchemaMember] = [
        SchemaMember("is", .type(.value), "The value is this constant one."),
        SchemaMember("starts", .type(.value), "The value begins with this constant one."),
        SchemaMember(
            "length",
            .anyOf([
                SchemaForm(.integer(0...512), ""),
                SchemaForm(.tuple([.integer(0...512), .integer(0...512)]), ""),
            ]),
            "Number of octets of the value, or its bounds."
        ),
        SchemaMember(
            "number",
            .tuple([.integer(.min ... .max), .integer(.min ... .max)]),
            "Bounds of the value as a number in the format of `as`."
        ),
        SchemaMember("as", .text(.numberFormat), "Format for `number`."),
        SchemaMember(
            "bits",
            .object([
                SchemaMember(
                    required: "mask",
                    hex(1...512),
                    "Bits that count, in as many octets as the value."
                ),
                SchemaMember(required: "is", hex(1...512), "Their values."),
            ]),
            "Some bits. A value of another length does not match."
        ),
        SchemaMember(
            "not",
            .oneOrList(.type(.condition)),
            "The condition, or each in a list of objects with one, is not met."
        ),
    ]

    static let rule = SchemaType(
        name: .rule,
        prose: ["What a write does under conditions; without one, always."],
        kind: .object(
            conditions + [
                SchemaMember("else", .onlyTrue, "Applies whenever no rule before does."),
                SchemaMember(
                    required: "do",
                    .type(.actions),
                    "The write is accepted unless an action refuses it; only `store` stores its value."
                ),
            ]
        )
    )

    static let actions = SchemaType(
        name: .actions,
        prose: ["One action, or a list of actions in order."],
        kind: .oneOrList(.type(.action))
    )

    static let action = DeviceType(
        .action,
        "What a rule or the timeline makes the device do.",
        form: DeviceForm<DeviceAction>.anyOf(
            .words([
                ("store", .store, "stores the written value"),
                ("silence", .silence, "never answers the write"),
                ("disconnect", .disconnect, "disconnects all centrals"),
                ("restart", .restart, "disconnects all centrals and starts anew"),
            ]),
            .only("error", .attError, "Error: `0x80`, `value-not-allowed`.", DeviceAction.refuse) {
                if case .refuse(let code) = $0 { code } else { nil }
            }
            .meaning("Refuses the write."),
            .only("delay", .time, "Delay.", DeviceAction.delay) {
                if case .delay(let time) = $0 { time } else { nil }
            }
            .meaning("Answers the write later."),
            sending("send", DeviceAction.send) {
                if case .send(let target, .value(let value)) = $0 { (target, .value(value)) } else { nil }
            }
            .meaning("Sends a value to the subscribers of a characteristic."),
            .only("echo", .reference, "Characteristic.", { .send($0, .written) }) {
                if case .send(let target, .written) = $0 { target } else { nil }
            }
            .meaning("Sends the written value to the subscribers of a characteristic."),
            sending("set", DeviceAction.set) {
                if case .set(let target, let payload) = $0 { (target, payload) } else { nil }
            }
            .meaning("Replaces the value of a characteristic, and sends it to subscribers."),
            sending("append", DeviceAction.append) {
                if case .append(let target, let payload) = $0 { (target, payload) } else { nil }
            }
            .meaning("Appends to the value of a characteristic, and sends the result to subscribers."),
            .only("run", .programCommand, "Program and its command.", DeviceAction.run) {
                if case .run(let command) = $0 { command } else { nil }
            }
            .meaning("Gives the written value to a command of a program in blectl."),
            .only("leave", .time, "Time.", DeviceAction.leave) {
                if case .leave(let time) = $0 { time } else { nil }
            }
            .meaning("Goes out of range; a served device stops advertising and disconnects."),
            .only("connectable", .bool, "Whether it accepts them.", DeviceAction.connectable) {
                if case .connectable(let isConnectable) = $0 { isConnectable } else { nil }
            }
            .meaning("Accepts connections or not, and is advertised accordingly."),
            .only("database", .database, "Name of the database.", DeviceAction.database) {
                if case .database(let name) = $0 { name } else { nil }
            }
            .meaning("Replaces the services; subscribers get Service Changed."),
            later.meaning("Does something later.")
        )
    )

    /// An action that sends a value, by default the written one.
    private static func sending(
        _ key: String,
        _ make: @escaping @Sendable (CharacteristicReference, DeviceAction.Payload) -> DeviceAction,
        _ take: @escaping @Sendable (DeviceAction) -> (CharacteristicReference, DeviceAction.Payload)?
    ) -> DeviceForm<DeviceAction> {
        let members = [
            SchemaMember(required: key, .text(.reference), "Characteristic."),
            SchemaMember(
                "value",
                .type(.value),
                default: "the written value; on the timeline the present one",
                "Value."
            ),
        ]
        return DeviceForm(
            kind: .object(SchemaObject(marker: key, members)),
            read: { object, builder in
                guard let target = object[key] else { return nil }
                let reference = builder.reference(target)
                var payload: DeviceAction.Payload? = .written
                if let value = object["value"] {
                    let uuid = reference.flatMap { builder.names.uuid(of: $0) }
                    let made = builder.value(value, of: uuid)
                    if let made, made.followers.contains(where: { $0.rate != nil }) {
                        builder.faults.add(value, "an action takes the number of its moment, without 'rate'")
                    }
                    payload = made.map { .value($0) }
                }
                guard let reference, let payload else { return nil }
                return make(reference, payload)
            },
            write: { action, writer in
                take(action).map { .object([key: writer.reference($0), "value": writer.value($1, $0)]) }
            }
        )
    }

    /// A delayed action. One delay may stand before several actions, so that `DeviceBuilder` reads it.
    private static let later = DeviceForm<DeviceAction>(
        kind: .object(
            marker: "after",
            [
                SchemaMember(required: "after", .text(anyTime), "Delay."),
                SchemaMember(required: "do", .type(.actions), "What happens then."),
            ]
        ),
        read: { _, _ in nil },
        write: { action, writer in
            guard case .after(let time, let action) = action else { return nil }
            return .object(["after": DeviceWriter.time(time), "do": writer.actions([action])])
        }
    )

    /// An entry of the timeline. Actions that answer a write are faults there, because there is no write.
    static let entry = DeviceType(
        .entry,
        "Something that happens at a set time, without a client.",
        form: .object(
            usual: TimelineEntry(at: .zero, []),
            [
                DeviceMember(
                    "at",
                    .text(anyTime),
                    isRequired: true,
                    read: { object, entry, builder in
                        // The rest is read even if the time is wrong, so that all faults are reported.
                        entry.at = builder.duration(object["at"]) ?? .zero
                        return true
                    },
                    write: { entry, _ in DeviceWriter.time(entry.at) }
                )
                .meaning("Time at which it happens."),
                DeviceMember("since", origin, \.origin).meaning("Moment from which the time counts."),
                DeviceMember("every", .period, optional: \.every)
                    .byDefault("once")
                    .meaning("Time after which it happens again."),
                DeviceMember(
                    "do",
                    .type(.actions),
                    isRequired: true,
                    read: { object, entry, builder in
                        for action in object["do"]?.list ?? [] {
                            let isAnswer = action.string == "store" || action.string == "silence"
                            if isAnswer || action["error"] != nil || action["delay"] != nil {
                                builder.faults.add(action, "there is no write to answer on the timeline")
                            }
                        }
                        entry.actions = builder.actions(object["do"])
                        return true
                    },
                    write: { entry, writer in writer.actions(entry.actions) }
                )
                .meaning("What happens."),
            ]
        )
    )

    private static let origin = DeviceForm<TimelineEntry.Origin>.anyOf(
        .words([
            ("start", .start, "the start of the device, or its last restart"),
            ("connection", .connection, "each connection, whose end also ends the entry"),
        ]),
        DeviceForm.object(
            usual: CharacteristicReference.label(""),
            [DeviceMember(required: "subscription", .reference, \.self).meaning("Characteristic.")]
        )
        .map({ .subscription($0) }, from: { if case .subscription(let target) = $0 { target } else { nil } })
        .meaning("First subscription to a characteristic; the end of the last ends the entry.")
    )
}

extension DeviceForm<ProgramReference> {
    fileprivate static let programCommand = DeviceForm(
        kind: .text(.programCommand),
        read: { cursor, builder in builder.program(cursor, among: builder.names.programs.commands, "command") },
        write: { command, _ in .string(command.description) }
    )
}

extension DeviceForm<String?> {
    /// The name of a database; `null` means the services of the start.
    fileprivate static let database = DeviceForm(
        kind: .anyOf([SchemaForm(.text(.database), ""), SchemaForm(.null, "Services of the start.")]),
        read: { cursor, builder in
            guard let name = cursor.string else { return cursor.isNull ? .some(nil) : nil }
            if builder.names.databases.contains(name) { return name }
            let hint = FileName.hint(name, among: builder.names.databases.sorted())
            builder.faults.add(cursor, "the device has no database '\(name.shortened)'" + hint)
            return nil
        },
        write: { name, _ in name.map { .string($0) } ?? JSONNode(.null) }
    )
}
