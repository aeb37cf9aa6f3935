// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    /// The record of `device check`, one for each file.
    public static let deviceFile = RecordSchema(
        "device-file",
        by: [.device],
        "a file, with what it contains or with its faults",
        keys: [
            RecordKey("file", .string, "its name"),
            RecordKey(
                "devices",
                .array(
                    of: .object([
                        RecordKey("label", .string, "its label"),
                        RecordKey("address", .string, "its address"),
                        RecordKey("address_type", .string, "`public` or `random`"),
                        RecordKey("advertising_sets", .integer(unit: nil), "how many advertising sets it has"),
                        RecordKey("services", .integer(unit: nil), "how many services it has"),
                        RecordKey("characteristics", .integer(unit: nil), "how many characteristics these have"),
                    ])
                ),
                "the devices; none if the file has faults"
            ),
            RecordKey(
                "faults",
                .array(
                    of: .object([
                        RecordKey("file", .string, "the file: this one, or one that it names"),
                        RecordKey("line", .integer(unit: nil), "the line, from 1"),
                        RecordKey(
                            "column",
                            .integer(unit: nil),
                            orNull: true,
                            "the character on the line, if the file is not JSON"
                        ),
                        RecordKey(
                            "path",
                            .string,
                            orNull: true,
                            "the JSON path of the value; null if the file is not JSON"
                        ),
                        RecordKey("message", .string, "the value, and what is allowed"),
                    ])
                ),
                "its faults"
            ),
        ]
    )

    /// A device as a file.
    public static let deviceText = RecordSchema(
        "device-text",
        by: [.device],
        "a device as the text of a device file",
        keys: [
            RecordKey("label", .string, "its label"),
            RecordKey("text", .string, "the text"),
        ]
    )
}
