// SPDX-License-Identifier: MIT

import Bluetooth

extension DeviceSchema {
    /// How a simulated device pairs.
    static let pairing = SchemaType(
        name: .pairing,
        prose: [
            "How a device pairs where it is simulated, and what becomes of the keys. The other side is the simulated kernel.",
            "What the device asks of a link is in the permissions of its characteristics.",
        ],
        kind: .object(
            SchemaObject([
                SchemaMember(
                    "io",
                    .words([
                        SchemaWord("none", "it has neither"),
                        SchemaWord("display", "it shows six digits"),
                        SchemaWord("yes-no", "and its user says whether they are the same"),
                        SchemaWord("keyboard", "its user enters six digits"),
                        SchemaWord("keyboard-display", "it does both"),
                    ]),
                    default: "none",
                    "The input and output of the device. Those of the two sides decide how they pair."
                ),
                SchemaMember(
                    "authentication",
                    .words([
                        SchemaWord("none", "any pairing will do"),
                        SchemaWord("required", "it refuses one without protection against a man in the middle"),
                    ]),
                    default: "none",
                    "The protection that the device demands."
                ),
                SchemaMember(
                    "secure_connections",
                    .words([
                        SchemaWord("on", "with a central that supports it"),
                        SchemaWord("off", "legacy pairing only"),
                        SchemaWord("only", "no pairing without"),
                    ]),
                    default: "on",
                    "The use of Secure Connections."
                ),
                SchemaMember(
                    "passkey",
                    .text(.any(octets: 6...6)),
                    default: "random digits, or those that the other side shows",
                    "The six digits that the device shows, or that its user enters."
                ),
                SchemaMember("key_size", .integer(7...16), default: "16", "The longest key in octets."),
                SchemaMember(
                    "bonding",
                    .words([
                        SchemaWord("kept", "the device keeps them"),
                        SchemaWord("none", "it does not bond"),
                        SchemaWord("forgotten", "it has lost them when the next link is made"),
                        SchemaWord("other-key", "it encrypts the next link with another key"),
                    ]),
                    default: "kept",
                    "What becomes of the keys."
                ),
                SchemaMember("signing", .bool, default: "false", "Whether signature keys are exchanged, too."),
                SchemaMember(
                    "refuses",
                    .anyOf([
                        SchemaForm(.words(DeviceWords.pairingFailures.map { SchemaWord($0.name, "") }), ""),
                        SchemaForm(.integer(1...255), ""),
                    ]),
                    default: "it does not refuse",
                    "The reason with which the device refuses to pair."
                ),
                SchemaMember(
                    "silent_at",
                    .words([
                        SchemaWord("request", "it does not answer the request"),
                        SchemaWord("confirmation", "it does not prove what it knows"),
                        SchemaWord("keys", "it does not send its keys"),
                    ]),
                    default: "it answers",
                    "The step at which the device stops to answer."
                ),
                SchemaMember(
                    "out_of_band",
                    .object(
                        SchemaObject([
                            SchemaMember(required: "hash", hex(16...16), "The hash, most significant octet first."),
                            SchemaMember(required: "random", hex(16...16), "The random number in it."),
                        ])
                    ),
                    default: "it needs none",
                    "The out-of-band data of the device, without which it does not pair."
                ),
                SchemaMember(
                    "private_address",
                    .anyOf([
                        SchemaForm(.onlyTrue, "15 minutes"),
                        SchemaForm(.text(.duration(.seconds(1) ... .seconds(41_400))), ""),
                    ]),
                    default: "the device has its address",
                    "How long the device has a resolvable private address until it takes another. The address above is its identity."
                ),
            ])
        )
    )
}
