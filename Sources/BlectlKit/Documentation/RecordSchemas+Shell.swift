// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    /// The record that `links` prints in a shell.
    public static let shellDevice = RecordSchema(
        "shell-device",
        by: [.shell],
        "a device of a shell",
        keys: [
            RecordKey("name", .string, "its name, or what it is looked for by"),
            RecordKey("address", .string, orNull: true, "its address, if it was found"),
            RecordKey("connected", .boolean, "whether there is a link"),
            security(orNull: "the security of the link; null without one"),
            RecordKey("current", .boolean, "whether a line without a device means it"),
        ]
    )

    /// The record that `jobs` prints in a shell.
    public static let shellJob = RecordSchema(
        "shell-job",
        by: [.shell],
        "a command that runs in the background of a shell",
        keys: [
            RecordKey("number", .integer(unit: nil), "its number, for `stop` and `wait`"),
            RecordKey("line", .string, "the line as it was typed"),
        ]
    )
}
