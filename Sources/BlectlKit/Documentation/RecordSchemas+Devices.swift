// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    /// The record that `clone` prints.
    public static let clone = RecordSchema(
        "clone",
        by: [.clone],
        "a device as a device file",
        keys: [
            device,
            RecordKey("advertising_sets", .integer(unit: nil), "the number of advertising sets that were heard"),
            RecordKey("services", .integer(unit: nil), "the number of services"),
            RecordKey("characteristics", .integer(unit: nil), "the number of characteristics"),
            RecordKey("values", .integer(unit: nil), "the number of values that were read"),
            RecordKey("recorded_values", .integer(unit: nil), "the number of values that the device has sent"),
            RecordKey("remarks", .array(of: .string), "what could not be cloned exactly"),
            RecordKey("path", .string, orNull: true, "the file that was written; null without `--output`"),
            RecordKey("file", .string, orNull: true, "the text of the device file; null with `--output`"),
        ]
    )

    /// The record that `diff` prints for each difference.
    public static let difference = RecordSchema(
        "difference",
        by: [.diff],
        "a difference between two devices",
        keys: [
            RecordKey("change", .string, "`added`, `removed` or `changed`, from the first device to the second"),
            RecordKey(
                "aspect",
                .string,
                "what is different: `service`, `characteristic`, `properties`, `handle`, `value`, `interval` and others"
            ),
            RecordKey("path", .string, "where, by names: `heart-rate/heart-rate-measurement`"),
            RecordKey("service", .uuid, orNull: true, "the service; null for advertising"),
            RecordKey("characteristic", .uuid, orNull: true, "the characteristic, if it is one, or under one"),
            RecordKey("descriptor", .uuid, orNull: true, "the descriptor, if it is one"),
            RecordKey("first", .string, orNull: true, "the first device's side in words; null if it has none"),
            RecordKey("second", .string, orNull: true, "the second device's side in words; null if it has none"),
            RecordKey("first_value", .hex, orNull: true, "the bytes of the first side, if it has any"),
            RecordKey("second_value", .hex, orNull: true, "the bytes of the second side, if it has any"),
        ]
    )

    /// The last record of `diff`.
    public static let comparison = RecordSchema(
        "comparison",
        by: [.diff],
        "the outcome of a comparison",
        keys: [
            RecordKey("first", .string, "the first device in words"),
            RecordKey("second", .string, "the second device in words"),
            RecordKey("differences", .integer(unit: nil), "the number of differences"),
            RecordKey("unknown_values", .array(of: .string), "the paths of values that one side does not state"),
            RecordKey("generated_values", .array(of: .string), "the paths of values that one side generates"),
            RecordKey("advertising_compared", .boolean, "whether advertising was compared"),
        ]
    )
}
