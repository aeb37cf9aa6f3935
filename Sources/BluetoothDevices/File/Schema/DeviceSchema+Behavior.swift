// SPDX-License-Identifier: MIT

extension DeviceSchema {
    /// Conditions on a written value.
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
            "The value has that many octets, or a number of octets from the first to the second one."
        ),
        SchemaMember(
            "number",
            .tuple([.integer(.min ... .max), .integer(.min ... .max)]),
            "The value in the format of `as` is a number from the first to the second one."
        ),
        SchemaMember("as", .text(.numberFormat), "The format for `number`."),
        SchemaMember(
            "bits",
            .object(
                SchemaObject([
                    SchemaMember(
                        required: "mask",
                        hex(1...512),
                        "The bits that count, in as many octets as the value."
                    ),
                    SchemaMember(required: "is", hex(1...512), "Their values."),
                ])
            ),
            "Some bits have certain values. A value of another length does not match."
        ),
        SchemaMember(
            "not",
            .oneOrList(.type(.condition)),
            "The condition is not met. Several conditions are given in a list, with one in each object."
        ),
    ]

    /// A rule: conditions and actions.
    static let rule = SchemaType(
        name: .rule,
        prose: ["What a write does under conditions. Without a condition, the rule always applies."],
        kind: .object(
            SchemaObject(
                conditions + [
                    SchemaMember("else", .onlyTrue, "Says that the rule applies whenever no rule before it does."),
                    SchemaMember(
                        required: "do",
                        .type(.actions),
                        "What happens. The write is accepted unless an action refuses it; only `store` stores its value."
                    ),
                ]
            )
        )
    )

    /// One action or several.
    static let actions = SchemaType(
        name: .actions,
        prose: ["One action, or a list of actions that happen in order."],
        kind: .oneOrList(.type(.action))
    )

    /// The form of an action, which its first member identifies.
    private static func action(_ prose: String, _ members: SchemaMember...) -> SchemaForm {
        SchemaForm(.object(SchemaObject(marker: members[0].key, members)), prose)
    }

    /// The value that an action sends or sets.
    private static let payload = SchemaMember(
        "value",
        .type(.value),
        default: "the written value; on the timeline the present one",
        "The value."
    )

    /// The actions of rules and of the timeline.
    static let action = SchemaType(
        name: .action,
        prose: ["What a rule or the timeline makes the device do."],
        kind: .anyOf([
            SchemaForm(
                .words([
                    SchemaWord("store", "stores the written value"),
                    SchemaWord("silence", "never answers the write"),
                    SchemaWord("disconnect", "disconnects all centrals"),
                    SchemaWord("restart", "disconnects all centrals and starts anew"),
                ]),
                ""
            ),
            action(
                "Refuses the write.",
                SchemaMember(required: "error", .text(.attError), "The error: `0x80`, `value-not-allowed`.")
            ),
            action("Answers the write later.", SchemaMember(required: "delay", .text(anyTime), "The delay.")),
            action(
                "Sends a value to the clients that are subscribed to a characteristic.",
                SchemaMember(required: "send", .text(.reference), "The characteristic."),
                payload
            ),
            action(
                "Sends the written value to the clients that are subscribed to a characteristic.",
                SchemaMember(required: "echo", .text(.reference), "The characteristic.")
            ),
            action(
                "Replaces the value of a characteristic, and sends it to the subscribed clients.",
                SchemaMember(required: "set", .text(.reference), "The characteristic."),
                payload
            ),
            action(
                "Appends to the value of a characteristic, and sends the result to the subscribed clients.",
                SchemaMember(required: "append", .text(.reference), "The characteristic."),
                payload
            ),
            action(
                "Gives the written value to a command of a program inside blectl.",
                SchemaMember(required: "run", .text(.programCommand), "The program and its command.")
            ),
            action(
                "Goes out of range for a time. A served device stops advertising and disconnects.",
                SchemaMember(required: "leave", .text(anyTime), "The time.")
            ),
            action(
                "Accepts connections, or no more of them, and is advertised accordingly.",
                SchemaMember(required: "connectable", .bool, "Whether it accepts them.")
            ),
            action(
                "Replaces the services. Subscribed clients get Service Changed.",
                SchemaMember(
                    required: "database",
                    .anyOf([
                        SchemaForm(.text(.database), ""), SchemaForm(.null, "The services of the start."),
                    ]),
                    "The name of the database."
                )
            ),
            action(
                "Does something later.",
                SchemaMember(required: "after", .text(anyTime), "The delay."),
                SchemaMember(required: "do", .type(.actions), "What happens then.")
            ),
        ])
    )

    /// An entry of the timeline.
    static let entry = SchemaType(
        name: .entry,
        prose: ["Something that happens at a set time, without a client."],
        kind: .object(
            SchemaObject([
                SchemaMember(required: "at", .text(anyTime), "The time at which it happens."),
                SchemaMember(
                    "since",
                    .anyOf([
                        SchemaForm(
                            .words([
                                SchemaWord("start", "the start of the device, or its last restart"),
                                SchemaWord("connection", "each connection, whose end also ends the entry"),
                            ]),
                            ""
                        ),
                        SchemaForm(
                            .object(
                                SchemaObject([
                                    SchemaMember(required: "subscription", .text(.reference), "The characteristic.")
                                ])
                            ),
                            "The first subscription to a characteristic; ends when no client is subscribed any more."
                        ),
                    ]),
                    default: "start",
                    "The moment from which the time counts."
                ),
                SchemaMember("every", .text(period), default: "once", "The time after which it happens again."),
                SchemaMember(required: "do", .type(.actions), "What happens."),
            ])
        )
    )
}
