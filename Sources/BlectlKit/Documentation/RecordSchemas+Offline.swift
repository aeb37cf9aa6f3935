// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    private static let typeKeys = [
        RecordKey("characteristic", .uuid, orNull: true, "the characteristic; null for a descriptor of any"),
        RecordKey("characteristic_name", .string, orNull: true, "its assigned name"),
        RecordKey("descriptor", .uuid, orNull: true, "the descriptor, if it is one"),
    ]

    /// The record that `decode` prints.
    public static let decodedValue = RecordSchema(
        "decoded-value",
        by: [.decode],
        "a value that was decoded",
        keys: typeKeys + presentationKeys
    )

    /// The record that `encode` prints.
    public static let encodedValue = RecordSchema(
        "encoded-value",
        by: [.encode],
        "a value that was encoded, and what it decodes to",
        keys: typeKeys + presentationKeys
    )

    /// The record that `lookup` prints.
    public static let assignedNumber = RecordSchema(
        "assigned-number",
        by: [.lookup],
        "an assigned number",
        keys: [
            RecordKey(
                "kind",
                .string,
                "the list in which it is: `service`, `company`, and the other values of `--kind`"
            ),
            RecordKey("number", .string, "the number: a UUID, or hexadecimal digits after `0x`"),
            RecordKey("name", .string, "its name"),
            RecordKey("word", .string, "the name as on a command line"),
            RecordKey("symbol", .string, orNull: true, "the symbol of a unit, which may be empty"),
            RecordKey(
                "service",
                .uuid,
                orNull: true,
                "the service to which a characteristic belongs, if it is only one"
            ),
            RecordKey("service_name", .string, orNull: true, "its assigned name"),
            RecordKey(
                "maximum_length",
                .integer(unit: "bytes"),
                orNull: true,
                "the greatest length of a value, if it is limited"
            ),
            RecordKey(
                "fields",
                .array(
                    of: .object([
                        RecordKey("key", .string, "the key in `decoded`; empty if the value is not an object"),
                        RecordKey("name", .string, "the name without the unit"),
                        RecordKey(
                            "kind",
                            .string,
                            "`number`, `choice`, `flags`, `date`, `text`, `hex`, `array`, `bool` or `object`"
                        ),
                        RecordKey("unit", .string, "the symbol of the unit; empty for none"),
                        RecordKey("lowest", .any, orNull: true, "the lowest number"),
                        RecordKey("highest", .any, orNull: true, "the highest number"),
                        RecordKey("resolution", .any, orNull: true, "the distance between neighbouring numbers"),
                        RecordKey("choices", .array(of: .string), "the names to choose from"),
                        RecordKey("special", .array(of: .string), "the texts for values that are not numbers"),
                        RecordKey("optional", .boolean, "whether the field may be missing"),
                        RecordKey(
                            "members",
                            .array(of: .any),
                            "the members of an object, or of the elements of a list"
                        ),
                    ])
                ),
                orNull: true,
                "the fields of the value of a characteristic or descriptor, if it was named exactly and its format is known"
            ),
        ]
    )
}
