// SPDX-License-Identifier: MIT

/// The schema of key files: the one source of the reader's checks and of the manual page.
enum KeySchema {
    /// The name and version of the format, the value of the member `schema`.
    static let name = "blectl-keys/1"

    /// All types, in the order of the manual page.
    static let types: [SchemaType] = [keys, deviceKeys]

    private static let keys = SchemaType(
        name: .keys,
        prose: ["Keys with which some devices encrypt their advertisements."],
        kind: .object([
            SchemaMember(required: "schema", .words([SchemaWord(name, "")]), "Format of the file."),
            SchemaMember(required: "devices", .list(.type(.deviceKeys), count: 0...10_000), "Devices."),
        ])
    )

    private static let deviceKeys = SchemaType(
        name: .deviceKeys,
        prose: ["A device with its keys."],
        kind: .object([
            SchemaMember(required: "address", .text(.address), "Its address."),
            SchemaMember(
                "key",
                .text(.secret(octets: 16)),
                "Key of BTHome or of MiBeacon (bind key), or of Victron (encryption key)."
            ),
            SchemaMember(
                "session_key",
                .text(.secret(octets: 16)),
                """
                Session key of Encrypted Advertising Data, the octets in the order of the device's Encrypted Data \
                Key Material, which has the session key and then the initialization vector. It needs `iv`.
                """
            ),
            SchemaMember(
                "iv",
                .text(.secret(octets: 8)),
                "Initialization vector that belongs to the session key."
            ),
        ])
    )
}
