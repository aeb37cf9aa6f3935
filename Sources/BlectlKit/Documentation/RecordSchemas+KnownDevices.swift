// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    /// The record that `devices` prints.
    public static let knownDevice = RecordSchema(
        "known-device",
        by: [.devices],
        "a device of which something is kept on this machine",
        keys: [
            device,
            RecordKey("seen", .string, orNull: true, "when it was heard last, RFC 3339 in UTC"),
            RecordKey("last_connected", .string, orNull: true, "when it was connected to last, RFC 3339 in UTC"),
            RecordKey("cached", .boolean, "whether its attributes are in the cache"),
            RecordKey("bonded", .boolean, "whether blectl has keys of it"),
            RecordKey("session", .string, orNull: true, "the name of the session that has a link to it"),
            RecordKey(
                "adapter",
                .string,
                orNull: true,
                "the adapter that has a link to it, of whichever program; null if the kernel reports none"
            ),
        ]
    )

    /// The record that `forget` prints.
    public static let forgotten = RecordSchema(
        "forgotten",
        by: [.forget],
        "a device that was forgotten",
        keys: [
            device,
            RecordKey("cached", .boolean, "whether its attributes were in the cache"),
            RecordKey("bonded", .boolean, "whether blectl still has keys of it"),
        ]
    )
}
