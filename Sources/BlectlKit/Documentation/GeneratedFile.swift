// SPDX-License-Identifier: GPL-2.0-or-later

/// A file of the repository that is generated from the command table: a manual page, the schema of the records, or a
/// completion script.
///
/// `make man completions` writes them, and a test compares them with the table.
public struct GeneratedFile: Sendable, Equatable {
    /// The path in the repository.
    public let path: String
    /// The complete content.
    public let contents: String

    /// All generated files.
    public static var all: [GeneratedFile] {
        let pages =
            [ManualPage.program] + CommandTable.commands.map(ManualPage.init(of:)) + [
                ManualPage.deviceFile, ManualPage.formatFile,
            ]
        return pages.map { GeneratedFile(path: "man/\($0.fileName)", contents: $0.text) }
            + [GeneratedFile(path: "man/\(RecordSchema.fileName)", contents: RecordSchema.jsonSchema())]
            + Shell.allCases.map { shell in
                GeneratedFile(
                    path: "completions/\(CompletionScript.fileName(for: shell))",
                    contents: CompletionScript.script(for: shell)
                )
            }
    }

    /// The first line of every generated file, without the comment sign, which depends on the language.
    static let notice = "Made from the command table by 'make man completions'; changes belong there."
}
