// SPDX-License-Identifier: MIT

import BluetoothProfiles

/// The schema of format files: the one source of the reader's checks and of the manual page.
enum FormatSchema {
    /// The name and version of the format, the value of the member `schema`.
    static let name = "blectl-formats/1"

    /// All types, in the order of the manual page.
    static let types: [SchemaType] = [formats, privateService, privateCharacteristic, fieldFormat, part, presence]

    private static let formats = SchemaType(
        name: .formats,
        prose: ["Private services and characteristics of some devices."],
        kind: .object([
            SchemaMember(required: "schema", .words([SchemaWord(name, "")]), "Format of the file."),
            SchemaMember("services", .list(.type(.privateService), count: 0...1_000), "Private services."),
            SchemaMember(
                "characteristics",
                .list(.type(.privateCharacteristic), count: 0...10_000),
                "Private characteristics."
            ),
        ])
    )

    /// The name of a service or of a characteristic, by which commands find it.
    private static let nameMember = SchemaMember(
        required: "name",
        .text(.any(octets: 1...64)),
        "Its name; on a command line in lower case, with hyphens for blanks."
    )

    private static let privateService = SchemaType(
        name: .privateService,
        prose: ["A service without an assigned name."],
        kind: .object([SchemaMember(required: "uuid", .text(.anyUUID), "Its UUID."), nameMember])
    )

    private static let privateCharacteristic = SchemaType(
        name: .privateCharacteristic,
        prose: [
            "A characteristic. This definition replaces an assigned one."
        ],
        kind: .object([
            SchemaMember(required: "uuid", .text(.anyUUID), "Its UUID."),
            nameMember,
            SchemaMember(
                "service",
                .text(.anyUUID),
                "The UUID of its service. Commands then look for devices with it."
            ),
            SchemaMember(
                "fields",
                .list(.type(.fieldFormat), count: 1...512),
                default: "the bytes have no known meaning",
                "Fields of its value, in order. A single one stands for the value."
            ),
        ])
    )

    private static let integerWords = FieldDefinition.Integer.allCases.map {
        SchemaWord($0.rawValue, "", or: ValueFormat.names(of: $0.rawValue))
    }
    private static let integers = SchemaKind.words(integerWords)
    /// The bits of flags or of a word with a meaning of their own. An integer has 64 bits at most.
    private static let parts = SchemaKind.list(.type(.part), count: 1...64)
    /// The condition that fields and words have in common.
    private static let presenceMember = SchemaMember(
        "if",
        .type(.presence),
        default: "it is always there",
        "When the field is there."
    )

    /// A field in one of four forms. Its marker determines the form, so that a fault is reported in the terms of that
    /// form.
    private static let fieldFormat = SchemaType(
        name: .fieldFormat,
        prose: [
            "A field of a value. Integers are little-endian, or big-endian if the type ends with `be`.",
            "Its key in JSON is its name with underscores and, for a number, the unit.",
        ],
        kind: .anyOf([
            SchemaForm(
                .object(
                    marker: "flags",
                    [
                        SchemaMember(required: "flags", integers, "Type of the integer."),
                        SchemaMember("parts", parts, "Bits that are fields themselves."),
                    ]
                ),
                "Flags, which announce the fields after them."
            ),
            SchemaForm(
                .object(
                    marker: "word",
                    [
                        SchemaMember(required: "word", integers, "Type of the integer."),
                        SchemaMember(required: "parts", parts, "Fields of which it is made."),
                        presenceMember,
                    ]
                ),
                "An integer whose bits are fields."
            ),
            SchemaForm(
                .object(
                    marker: "skip",
                    [SchemaMember(required: "skip", .integer(1...512), "How many.")]
                ),
                "Octets without a meaning. They are written as zeros."
            ),
            SchemaForm(.object(SchemaObject(marker: "name", named)), "A field with a value."),
        ])
    )

    /// The types of values. Those that the command line has as well go by all of its names.
    private static let valueTypes: [SchemaWord] =
        integerWords
        + [
            ("sfloat", "an IEEE 11073 number of 16 bits"), ("medfloat32", "an IEEE 11073 number of 32 bits"),
            ("f32", "an IEEE 754 number of 32 bits"),
            ("text", "text in UTF-8, up to the end of the value or of `octets`"),
        ]
        .map { SchemaWord($0, $1, or: ValueFormat.names(of: $0)) }
        + [
            SchemaWord("hex", "bytes without a meaning, up to the end of the value or of `octets`"),
            SchemaWord("date-time", "a date and a time of seven octets"), SchemaWord("date", "a date of four octets"),
            SchemaWord("address", "a device address"), SchemaWord("uuid", "a UUID of 2 or 16 octets"),
        ]

    /// The name of a type of values for any of its spellings.
    static func valueType(_ spelling: String) -> String {
        valueTypes.first { $0.isSpelled(spelling) }?.name ?? spelling
    }

    /// The members of a field with a value. Which ones fit together depends on the type, and is checked by
    /// `FormatFile`.
    private static let named: [SchemaMember] = [
        SchemaMember(required: "name", .text(.any(octets: 1...64)), "Name in lower case."),
        SchemaMember(
            "type",
            .words(valueTypes),
            default: "a list of `fields`",
            "Type of the value; the names of the command line count, too: `uint16` is `u16`."
        ),
        SchemaMember(
            "scale",
            .number,
            default: "1",
            "Number by which an integer is multiplied: `0.01`."
        ),
        SchemaMember(
            "binary_exponent",
            .integer(-64...64),
            default: "0",
            "A power of two as a further factor."
        ),
        SchemaMember("offset", .number, default: "0", "Number that the integer 0 stands for."),
        SchemaMember(
            "unit",
            .text(.any(octets: 1...32)),
            "A name such as `celsius`, a symbol such as `mV`, or the name or UUID of an assigned unit."
        ),
        SchemaMember(
            "special",
            .map(.text(.any(octets: 1...64))),
            "Integers that mean no number, with their meanings: `{\"0xffff\": \"not known\"}`."
        ),
        SchemaMember(
            "values",
            .map(.text(.any(octets: 1...64))),
            "Names of integers: `{\"0\": \"off\", \"1\": \"on\"}`."
        ),
        SchemaMember(
            "bits",
            .list(.text(.any(octets: 0...64)), count: 1...64),
            "Names of the bits, the lowest one first; an empty one is reserved."
        ),
        SchemaMember("octets", .integer(1...512), default: "up to the end", "Length of text or of bytes."),
        SchemaMember(
            "repeat",
            .bool,
            default: "false",
            "Whether such numbers follow up to the end of the value."
        ),
        SchemaMember(
            "fields",
            .list(.type(.fieldFormat), count: 1...512),
            "Fields of each element of a list up to the end of the value."
        ),
        presenceMember,
        SchemaMember(
            "optional",
            .bool,
            default: "false",
            "Whether the value may end before the field, without a flag."
        ),
    ]

    private static let part = SchemaType(
        name: .part,
        prose: ["Bits of flags or of an integer."],
        kind: .object([
            SchemaMember(required: "name", .text(.any(octets: 1...64)), "Name in lower case."),
            SchemaMember("bit", .integer(0...63), "Bit, if it is one: true or false."),
            SchemaMember(
                "bits",
                .tuple([.integer(0...63), .integer(0...63)]),
                "Lowest and highest bit of a number."
            ),
            SchemaMember("values", .map(.text(.any(octets: 1...64))), "Names of the numbers."),
        ])
    )

    /// The number of a bit, or a list of numbers, all of which must meet the condition.
    private static let bitsOrOne = SchemaKind.oneOrList(.integer(0...63))

    private static let presence = SchemaType(
        name: .presence,
        prose: ["A condition on the flags."],
        kind: .object([
            SchemaMember("set", bitsOrOne, "Bit that must be set, or several."),
            SchemaMember("clear", bitsOrOne, "Bit that must be clear, or several."),
            SchemaMember(
                "op_code",
                .oneOrList(.integer(0...255)),
                "Value, or one of several, of the first octet of the flags."
            ),
        ])
    )
}
