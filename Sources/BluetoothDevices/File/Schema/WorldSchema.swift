// SPDX-License-Identifier: MIT

enum WorldSchema {
    /// The name and version of the format.
    static let name = "blectl-world/1"

    static let world = SchemaKind.object([
        SchemaMember(required: "schema", .words([SchemaWord(name, "")]), "Format of the file."),
        SchemaMember(
            "seed",
            .integer(0 ... .max),
            default: "that of `--simulate-seed`",
            "Seed of all random numbers."
        ),
        SchemaMember(required: "devices", .list(placement, count: 0...10_000), "Devices of the world."),
    ])

    private static let changes: [SchemaMember] = [
        SchemaMember(
            "copies",
            .integer(1...10_000),
            default: "1",
            "How many. Each further one has the next address, and a number after its label."
        ),
        SchemaMember("label", .text(.any(octets: 1...64)), "Another label."),
        SchemaMember("address", .text(.address), "Another address."),
        SchemaMember("address_type", .words("random", "public"), default: "random", "Type of that address."),
        SchemaMember("signal", .type(.signal), "Another signal."),
        SchemaMember("faults", .list(.type(.fault), count: 0...1_000), "Further faults, after those of the device."),
    ]

    private static let placement = SchemaKind.anyOf([
        SchemaForm(.text(.any(octets: 1...4_096)), "Name of a device file, relative to the world file."),
        SchemaForm(
            .object(
                marker: "file",
                [SchemaMember(required: "file", .text(.any(octets: 1...4_096)), "Name of the file.")] + changes
            ),
            "A device file with changes."
        ),
        SchemaForm(
            .object(
                marker: "built_in",
                [SchemaMember(required: "built_in", .text(.any(octets: 1...64)), "Its label.")] + changes
            ),
            "A device that is part of blectl, with changes."
        ),
        SchemaForm(
            .object(
                marker: "device",
                [SchemaMember(required: "device", .type(.device), "Device, as in a file of its own.")] + changes
            ),
            "A device that is written here, with changes."
        ),
        SchemaForm(.type(.device), "A device that is written here."),
    ])
}

extension DeviceFileReference {
    /// The format of a world file.
    public static var world: Section {
        Section(
            name: "WORLD",
            prose: ["Devices of a simulated world, and the seed of its random numbers."],
            WorldSchema.world
        )
    }
}
