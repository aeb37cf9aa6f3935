// SPDX-License-Identifier: MIT

extension DeviceSchema {
    /// A value, constant or made at each read.
    static let value = SchemaType(
        name: .value,
        prose: [
            "Value of a characteristic or descriptor: constant, or generated at each look.",
            "Assigned fields go by the keys of `blectl --json`; any number may be a generator. The content of an only field stands for it.",
        ],
        kind: .anyOf(
            [
                SchemaForm(
                    .text(.value),
                    "As for `blectl write`: in the format of the characteristic (`50 %`, `high`, a text), or with a mark: `0x01ff`, `u16:500`, `text:hello`; `hex:01ff` for octets that the format cannot have. Without a known format, hex digits are octets."
                ),
                SchemaForm(.number, "Only field of the characteristic."),
                SchemaForm(.bool, "Only field of the characteristic."),
                SchemaForm(.list(.type(.value), count: 0...512), "Several values, one after the other."),
                SchemaForm(
                    .object(
                        marker: "number",
                        [
                            SchemaMember(required: "number", .number, "Number."),
                            SchemaMember(required: "as", .text(.numberFormat), "Its format."),
                        ]
                    ),
                    "A number in a format; integer formats take whole numbers only."
                ),
                SchemaForm(
                    .object(
                        marker: "program",
                        [
                            SchemaMember(
                                required: "program",
                                .text(.programValue),
                                "Program and its value: `heart.measurement`."
                            )
                        ]
                    ),
                    "A value of a program in blectl."
                ),
                SchemaForm(
                    .object(
                        marker: "replay",
                        [
                            SchemaMember(
                                required: "replay",
                                .list(.tuple([.text(anyTime), .type(.value)]), count: 1...1_000_000),
                                "Times after the subscription, in order, and the constant values."
                            ),
                            SchemaMember(
                                "period",
                                .text(period),
                                default: "once",
                                "Time after which it repeats."
                            ),
                        ]
                    ),
                    "Recorded values, one after the other."
                ),
                SchemaForm(.object(csv), "Numbers from a CSV file, one after the other."),
            ] + generatorForms(in: .value) + [
                SchemaForm(.fields(.type(.field)), "Fields of the characteristic by their keys.")
            ]
        )
    )

    /// A column of a table, by its number from 1 or by its name.
    private static let column = SchemaKind.anyOf([
        SchemaForm(.integer(1...10_000), ""), SchemaForm(.text(.any(octets: 1...1_000)), ""),
    ])

    /// Numbers from a table in another file.
    private static let csv = SchemaObject(
        marker: "csv",
        [
            SchemaMember(
                required: "csv",
                .text(.any(octets: 1...4_096)),
                "File, relative to the device file, with commas, semicolons or tabs between values."
            ),
            SchemaMember("column", column, default: "1", "Column of the numbers, by number or name."),
            SchemaMember("time", column, "Column of the times in seconds after the subscription."),
            SchemaMember("every", .text(period), "Time between two numbers, if there is no column of times."),
            SchemaMember("repeat", .bool, default: "false", "Whether it begins again at the end."),
            SchemaMember(
                "as",
                .text(.numberFormat),
                default: "the only field of the characteristic",
                "Format of the numbers."
            ),
        ]
    )

    static let field = SchemaType(
        name: .field,
        prose: ["A field of a characteristic with assigned fields."],
        kind: .anyOf(
            [
                SchemaForm(.null, "The field is absent."),
                SchemaForm(.bool, ""),
                SchemaForm(.number, ""),
                SchemaForm(.text(.any(octets: 0...4_096)), "Text, or the name of a choice."),
                SchemaForm(.list(.type(.field), count: 0...1_000), "Several of the same kind."),
            ] + generatorForms(in: .field) + [
                SchemaForm(.fields(.type(.field)), "Members by their keys.")
            ]
        )
    )

    static let generator = SchemaType(
        name: .generator,
        prose: [
            "A number that changes, rounded to its format, unlike a fixed one. Time counts from the start of the device, or its last restart.",
            "Walks, counters, random numbers and steps without a time go on at each notification, or read if the device does not send the value.",
            "The number is encoded in the format of `as`; without that, it is the only field of the characteristic, or the field at its place.",
        ],
        kind: .anyOf(generatorForms(in: .generator))
    )

    /// The generators; where they are a field, they have no format.
    private static func generatorForms(in place: SchemaType.Name) -> [SchemaForm] {
        let format = SchemaMember(
            "as",
            .text(.numberFormat),
            default: "the only field of the characteristic",
            "Format of the number: `u16`, `s8`, `f32be`, `medfloat16`."
        )
        return generators.map { marker, members, prose in
            SchemaForm(
                .object(SchemaObject(marker: marker, members + (place == .field ? [] : [format]))),
                prose
            )
        }
    }

    private static let pair = SchemaKind.tuple([.number, .number])
    private static let repeats = SchemaMember("repeat", .bool, default: "false", "Whether it begins again at the end.")

    /// The generators: the member that identifies each, its members, and its description.
    private static let generators: [(String, [SchemaMember], String)] = [
        (
            "ramp",
            [
                SchemaMember(required: "ramp", pair, "First and last number."),
                SchemaMember(required: "over", .text(period), "Time from one to the other."),
                repeats,
            ],
            "From one number to another, evenly."
        ),
        (
            "sine",
            [
                SchemaMember(required: "sine", pair, "Lowest and highest number."),
                SchemaMember(required: "period", .text(period), "Time of a whole wave."),
            ],
            "A sine wave, which begins in the middle and rises."
        ),
        (
            "walk",
            [
                SchemaMember(required: "walk", pair, "Lowest and highest number."),
                SchemaMember(required: "step", .number, "Largest difference of successive numbers."),
                SchemaMember("start", .number, default: "the middle", "First number."),
            ],
            "A random walk."
        ),
        (
            "random",
            [SchemaMember(required: "random", pair, "Lowest and highest number.")],
            "Any number between two."
        ),
        (
            "steps",
            [
                SchemaMember(required: "steps", .list(.number, count: 1...100_000), "Numbers."),
                SchemaMember(
                    "every",
                    .text(period),
                    default: "the next number at each look",
                    "Time of each number."
                ),
            ],
            "One number after the other, again and again."
        ),
        (
            "timetable",
            [
                SchemaMember(
                    required: "timetable",
                    .list(.tuple([.text(anyTime), .number]), count: 1...100_000),
                    "Times and the numbers that count from them, the earliest first."
                ),
                repeats,
            ],
            "Numbers at certain times."
        ),
        (
            "counter",
            [
                SchemaMember(required: "counter", .number, "First number."),
                SchemaMember("step", .number, default: "1", "By how much it grows at each look."),
                SchemaMember(
                    "limit",
                    .number,
                    default: "the largest one of the format",
                    "Largest number, after which it begins again."
                ),
            ],
            "A number that grows at each look."
        ),
        (
            "clock",
            [SchemaMember(required: "clock", .text(period), "Unit.")],
            "Units of time since the start of the device. After the largest number of the format it begins again at 0."
        ),
        (
            "follows",
            [
                SchemaMember(
                    required: "follows",
                    .text(.reference),
                    "Characteristic that it follows, whose value is not generated."
                ),
                SchemaMember(
                    "field",
                    .text(.any(octets: 1...1_000)),
                    default: "its only number",
                    "Field with the number, as in `--json`."
                ),
                SchemaMember(
                    "from",
                    .text(.numberFormat),
                    default: "the assigned one, or unsigned and little-endian",
                    "Format of the number there."
                ),
                SchemaMember("factor", .number, default: "1", "What the number is multiplied with."),
                SchemaMember("offset", .number, default: "0", "What is added then."),
                SchemaMember(
                    "rate",
                    .number,
                    default: "it changes at once",
                    "Largest change in a second, also while nobody looks."
                ),
                SchemaMember("start", .number, default: "the number that it follows", "First number, with a rate."),
            ],
            "Number of another characteristic, or one that moves towards it, such as a temperature towards its target, within the limits of its format."
        ),
    ]
}
