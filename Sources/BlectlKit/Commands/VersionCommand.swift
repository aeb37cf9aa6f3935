// SPDX-License-Identifier: GPL-2.0-or-later

/// `blectl version --json`. `Invocation` has printed the text form.
struct VersionCommand {
    let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func run() async throws {
        try await context.output.emit(VersionResult(timestamp: Timestamp(context.time)))
    }
}

/// The versions that programs can rely on: of blectl, of the Bluetooth library, and of the records.
struct VersionResult: RecordedResult {
    let timestamp: Timestamp

    var record: Record {
        Record(
            "version",
            at: timestamp,
            [
                "version": .string(Program.version),
                "library": .string(Program.library),
                "library_use": .string(Program.libraryUse),
                "record_schema": .string(RecordSchema.identifier),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? { String(Program.versionText.dropLast()) }
}
