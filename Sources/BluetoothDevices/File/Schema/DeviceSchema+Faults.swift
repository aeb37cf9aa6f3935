// SPDX-License-Identifier: MIT

extension DeviceSchema {
    static let fault = SchemaType(
        name: .fault,
        prose: [
            "A fault: an event, the conditions under which it acts, and what happens.",
            "Each fault counts its own events. If an event meets several faults, the first one that is due acts.",
        ],
        kind: .object(
            SchemaObject([
                SchemaMember(required: "on", .words(FaultRule.Operation.allCases.map(\.word)), "The event."),
                SchemaMember(
                    "target",
                    .text(.reference),
                    default: "any",
                    "The characteristic that a request or an update concerns."
                ),
                SchemaMember(
                    "nth",
                    .anyOf([
                        SchemaForm(.integer(1 ... .max), ""),
                        SchemaForm(
                            .tuple([
                                .integer(1 ... .max),
                                .anyOf([SchemaForm(.integer(1 ... .max), ""), SchemaForm(.null, "")]),
                            ]),
                            ""
                        ),
                    ]),
                    default: "every one",
                    "The number of the event, or the first and the last number. `null` for the last one means no limit."
                ),
                SchemaMember("every", .integer(1 ... .max), default: "1", "Only every n-th event."),
                SchemaMember("times", .integer(1 ... .max), default: "no limit", "How often it acts at most."),
                SchemaMember(
                    "probability",
                    .number,
                    default: "1",
                    "The probability, from 0 to 1, that it acts when all other conditions are met."
                ),
                SchemaMember(
                    "between",
                    .tuple([.text(anyTime), .anyOf([SchemaForm(.text(anyTime), ""), SchemaForm(.null, "")])]),
                    default: "always",
                    "The time after the start in which events count, from the first to the second; `null` means no end."
                ),
                SchemaMember(
                    "per",
                    .words([
                        SchemaWord("device", "events are counted in all"),
                        SchemaWord("connection", "events are counted anew on each connection"),
                    ]),
                    default: "device",
                    "What the numbers count."
                ),
                SchemaMember(required: "do", .type(.effect), "What happens."),
            ])
        )
    )

    /// The form of an effect, which its first member identifies.
    private static func change(_ prose: String, _ members: SchemaMember...) -> SchemaForm {
        SchemaForm(.object(SchemaObject(marker: members[0].key, members)), prose)
    }

    /// A number of octets of a PDU.
    private static let octets = SchemaKind.integer(1...Int64(FaultEffect.longestPDU))
    /// The name or the number of an error or of a status.
    private static let faultName = SchemaKind.text(.any(octets: 1...80))

    static let effect = SchemaType(
        name: .effect,
        prose: [
            "What a fault does. Not every event can have every effect; the section FAULTS of `blectl(1)` explains them."
        ],
        kind: .anyOf([
            SchemaForm(
                .words([
                    SchemaWord("error", "the operation fails with the usual code"),
                    SchemaWord("no-answer", "the device does not answer"),
                    SchemaWord("lose", "the request, the update or the advertisement is lost"),
                    SchemaWord("duplicate", "it comes twice"),
                    SchemaWord("reorder", "it comes after the next one"),
                    SchemaWord("pause", "it is held until the device is released"),
                ]),
                ""
            ),
            change(
                "The operation fails.",
                SchemaMember(
                    required: "error",
                    faultName,
                    "An ATT error, `0x80` or `insufficient-encryption`; for the events of the radio, the status of a controller. `usual` is the usual one."
                ),
                SchemaMember("after", .text(anyTime), default: "0 s", "The time until then.")
            ),
            change("It happens later.", SchemaMember(required: "delay", .text(anyTime), "The delay.")),
            change(
                "The answer or the update has another opcode.",
                SchemaMember(required: "wrong-opcode", hex(1...1), "The opcode.")
            ),
            change(
                "The PDU, or the advertising data, are cut.",
                SchemaMember(required: "truncate", octets, "The octets that are left.")
            ),
            change("The PDU is filled with zeros.", SchemaMember(required: "oversize", octets, "Its octets then.")),
            change(
                "The link ends.",
                SchemaMember(
                    required: "drop",
                    .words([
                        SchemaWord("before", "in place of the event"), SchemaWord("after", "after it"),
                    ]),
                    "When it ends."
                ),
                SchemaMember("after", .text(anyTime), default: "0 s", "The time until then."),
                SchemaMember(
                    "reason",
                    faultName,
                    default: "remote-user-terminated-connection",
                    "The reason, by its name or its number. With `connection-timeout` the device falls silent."
                )
            ),
            change(
                "It is held for a time, together with all others that come meanwhile.",
                SchemaMember(required: "pause", .text(anyTime), "The time.")
            ),
            change(
                "The strength of a signal.",
                SchemaMember(required: "report", .integer(-128...127), "The strength in dBm; 127 is unknown.")
            ),
        ])
    )
}

extension FaultRule.Operation {
    /// The word for the event, with its meaning.
    fileprivate var word: SchemaWord {
        let prose =
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
        return SchemaWord(rawValue, prose)
    }
}
