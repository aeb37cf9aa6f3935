// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl version`: prints the version.
struct VersionCommand: Command {
    static var commandName: CommandName { .version }
    static let recordSchemas: [RecordSchema] = [VersionResult.record.schema]

    init(_ arguments: ParsedArguments) throws(UsageError) {
    }

    func action(on found: String?) -> String { "print the version" }

    static let stepRefusal: String? = forCommandLine

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        // `Invocation` has printed the text form.
        try await context.output.emit(VersionResult(timestamp: Timestamp(context.time)))
    }
}

extension CommandName {
    static var version: CommandName { CommandName("version", VersionCommand.self) }
}

extension VersionCommand {
    static let spec = CommandSpec(
        commandName,
        [.forItsOutput],
        summary: "print the version",
        discussion: ["Prints the version of blectl and the library that it is linked with, as `--version` does."],
        groups: [.global],
        examples: ["blectl version": "the version"]
    )
}

/// The versions that programs can rely on: of blectl, of the Bluetooth library, and of the records.
struct VersionResult: RecordedResult {
    let timestamp: Timestamp

    static let record = RecordKind<Self>("version", "the version of blectl") {
        RecordField("version", .string, "version") { _ in Program.version }
        RecordField("library", .string, "library that it is linked with") { _ in Program.library }
        RecordField("library_use", .string, "what blectl uses it for") { _ in Program.libraryUse }
        RecordField("record_schema", .string, "identifier of the JSON Schema of all records, with version") {
            _ in RecordSchema.identifier
        }
    }

    func text(_ style: TextStyle) -> String? { String(Program.versionText.dropLast()) }
}
