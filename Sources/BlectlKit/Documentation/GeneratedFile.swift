// SPDX-License-Identifier: GPL-2.0-or-later

/// A file of the repository that is generated from the command table: a manual page, the schema of the records, or an
/// example of `blectl-rig(7)`.
///
/// `make man` writes them, and a test compares them with the table.
public struct GeneratedFile: Sendable, Equatable {
    /// The path in the repository.
    public let path: String
    /// Makes the content, which takes much longer than the path.
    private let make: @Sendable () -> String

    private init(_ path: String, _ make: @escaping @Sendable () -> String) {
        self.path = path
        self.make = make
    }

    /// The complete content.
    public var contents: String { make() }

    /// All generated files.
    public static var all: [GeneratedFile] {
        let files = [ManualPage.deviceFile, ManualPage.formatFile, ManualPage.script, ManualPage.rig]
        let pages = [ManualPage.program] + CommandTable.commands.map(ManualPage.init(of:)) + files
        let manuals = pages.map { page in GeneratedFile("man/\(page.fileName)") { page.text } }
        let schema = GeneratedFile("man/\(RecordSchema.fileName)") { RecordSchema.jsonSchema() }
        let examples = RigExample.all.map { example in GeneratedFile("man/rig/\(example.file)") { example.contents } }
        return manuals + [schema] + examples
    }

    public static func == (one: Self, other: Self) -> Bool { one.path == other.path }

    /// The first line of every generated file, without the comment sign, which depends on the language.
    static let notice = "Made from the command table by 'make man completions'; changes belong there."
}
