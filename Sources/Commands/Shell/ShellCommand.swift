// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Records
import Toolkit

/// `blectl shell`: runs commands line by line.
struct ShellCommand: Command {
    static var commandName: CommandName { .shell }
    static let recordSchemas: [RecordSchema] = [ShellDeviceResult.record.schema, ShellJobResult.record.schema]
    static let foreignNames = ["interactive", "repl", "console", "cli"]

    let options: ShellOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try ShellOptions(arguments)
    }

    func action(on found: String?) -> String { "run the lines of the shell" }

    static let stepRefusal: String? = forCommandLine

    func run(in context: CommandContext) async throws {
        try await ShellRun(options: options, context: context).run()
    }
}

extension CommandName {
    package static var shell: CommandName { CommandName("shell", ShellCommand.self) }
}
