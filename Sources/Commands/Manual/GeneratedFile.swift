// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
package import Toolkit

/// A file of the repository that is generated: a manual page, or the schema of the records.
///
/// `make man` writes them, and a test compares them with what is generated now.
package struct GeneratedFile: Sendable {
    /// Returns the text of a file of the repository by its path.
    package typealias Read = @Sendable (String) throws(BlectlError) -> String

    let path: String
    /// Makes the content, which takes much longer than the path.
    private let make: @Sendable (@escaping Read) throws(BlectlError) -> String

    private init(_ path: String, _ make: @escaping @Sendable (@escaping Read) throws(BlectlError) -> String) {
        self.path = path
        self.make = make
    }

    /// The complete content. Pages whose prose is in files are made of these.
    package func contents(_ read: @escaping Read) throws(BlectlError) -> String { try make(read) }

    static func all(of commands: CommandSet) -> [GeneratedFile] {
        let pages =
            [ManualPage.program(commands)] + commands.table.commands.map { ManualPage(of: $0, in: commands) }
        let manuals = pages.map { page in GeneratedFile("man/\(page.fileName)") { _ in page.text } }
        let sources = SharedPage.allCases.map { page in
            GeneratedFile("man/\(page.reference.fileName)") { read throws(BlectlError) in
                try ManualSource(page: page, commands: commands.table, read: read).text()
            }
        }
        let schema = GeneratedFile("man/\(RecordSchema.fileName)") { _ in commands.jsonSchema() }
        return manuals + sources + [schema]
    }
}
