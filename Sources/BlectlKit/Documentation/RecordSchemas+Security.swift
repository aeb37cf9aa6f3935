// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    private static let securityKeys = [
        RecordKey("level", .string, "`low`, `medium`, `high` or `fips`"),
        RecordKey("encrypted", .boolean, "whether the link is encrypted"),
        RecordKey("authenticated", .boolean, "whether its key is protected against a man in the middle"),
        RecordKey(
            "secure_connections",
            .boolean,
            "whether its key comes from Secure Connections; the kernel tells it only of an authenticated one"
        ),
        RecordKey("key_size", .integer(unit: "bytes"), "the length of its key; 0 without encryption"),
        RecordKey("bonded", .boolean, "whether the keys of the other side are kept"),
    ]

    /// The security of a link, in every record that describes one.
    static let linkSecurity = RecordKey("security", .object(securityKeys), "the security of the link")

    /// The same, where there may be none.
    static func security(orNull meaning: String) -> RecordKey {
        RecordKey("security", .object(securityKeys), orNull: true, meaning)
    }

    /// The record that `pair` and `serve` print for each step.
    public static let pairingStep = RecordSchema(
        "pairing",
        by: [.pair, .serve],
        "a step of a pairing",
        keys: [
            device,
            RecordKey(
                "step",
                .string,
                "`started`, `show-passkey`, `digits-entered`, `compare`, `consent`, `enter-passkey` or `key`"
            ),
            RecordKey("passkey", .string, orNull: true, "the six digits that are shown here"),
            RecordKey("entered", .integer(unit: nil), orNull: true, "how many of them were entered at the device"),
            RecordKey("answer", .string, orNull: true, "the answer of a person or an option: `yes`, `no` or `passkey`"),
            RecordKey("key", .string, orNull: true, "the kind of the key that has come"),
        ]
    )

    /// The keys of a bond and of the result of a pairing.
    private static let bondKeys = [
        device,
        RecordKey("level", .string, "the level that a link has with the keys: `low`, `medium`, `high` or `fips`"),
        RecordKey("authenticated", .boolean, "whether the keys are protected against a man in the middle"),
        RecordKey("secure_connections", .boolean, "whether they come from Secure Connections"),
        RecordKey("key_size", .integer(unit: "bytes"), "the length of the key that encrypts; 0 if there is none"),
        RecordKey("keys", .array(of: .string), "the kinds of keys: `ltk`, `irk`, `local-csrk`, `csrk`"),
    ]

    /// The record that `pair` and `serve` print at the end, and other commands print when they have paired on demand.
    public static let paired = RecordSchema(
        "paired",
        by: [.pair, .serve] + CommandName.allCases.filter { $0.pairsOnDemand },
        "a pairing that has succeeded",
        keys: bondKeys + [
            RecordKey("adapter", .string, "the adapter, such as `hci0`"),
            RecordKey(
                "method",
                .string,
                orNull: true,
                "`just works`, `passkey entry`, `numeric comparison` or `out of band`; null if nothing was asked or shown"
            ),
            RecordKey("bonded", .boolean, "whether both sides keep the keys"),
            RecordKey(
                "kept_by",
                .string,
                orNull: true,
                "the program that keeps them: `blectl` or the adapter's manager"
            ),
        ]
    )

    /// The record that `bonds` prints.
    public static let bond = RecordSchema(
        "bond",
        by: [.bonds],
        "the keys that blectl keeps of a device",
        keys: bondKeys + [
            RecordKey("adapter", .string, "the address of the adapter that they belong to"),
            RecordKey("since", .string, "the time of the pairing, RFC 3339 in UTC"),
            RecordKey(
                "secrets",
                .array(of: .object(secretKeys)),
                orNull: true,
                "the keys themselves, with `--reveal-keys`; null otherwise"
            ),
        ]
    )

    private static let secretKeys = [
        RecordKey("key", .string, "its kind"),
        RecordKey("value", .hex, "the key, most significant byte first"),
    ]

    /// The record that `unpair` prints.
    public static let unpaired = RecordSchema(
        "unpaired",
        by: [.unpair],
        "a device whose keys were forgotten",
        keys: [
            device,
            RecordKey("adapter", .string, "the adapter, such as `hci0`; its address, if the machine has it no more"),
            RecordKey("kernel", .boolean, "whether the kernel had keys of it"),
            RecordKey("kept", .boolean, "whether blectl had"),
        ]
    )
}
