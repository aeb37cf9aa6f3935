// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    /// The record that `session` prints for a session.
    public static let session = RecordSchema(
        "session",
        by: [.session],
        "a link that is held for other commands",
        keys: [
            RecordKey("name", .string, "the name of the session"),
            RecordKey("state", .string, "`connected`; `connecting` while a lost link is made again; `stopped`"),
            device,
            RecordKey("source", .string, "`adapters`, a socket, or the simulated world"),
            RecordKey("adapter", .string, "the adapter that has the link"),
            RecordKey("since", .string, "when it began, RFC 3339 in UTC"),
            RecordKey("process", .integer(unit: nil), "the number of its process"),
            RecordKey("commands", .integer(unit: nil), "the number of commands that use it now"),
            RecordKey("mtu", .integer(unit: "bytes"), "the MTU of the link"),
            RecordKey("kept", .integer(unit: nil), "the number of values that are kept for the next listener"),
            RecordKey("dropped", .integer(unit: nil), "the number of values for which there was no room"),
            security(orNull: "the security of the link; null while there is none"),
        ]
    )
}
