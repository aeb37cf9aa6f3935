// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Records
import Toolkit

/// `blectl shell`: runs lines from a terminal, or from standard input to its end.
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

    /// Throws a `PartialFailure` with the status of the last line: each failure has been reported.
    func run(in context: CommandContext) async throws {
        // A command of a shell gets no shell.
        guard let host = context.process.shell else {
            throw BlectlError(.usage, "a shell cannot run in a shell")
        }
        // The lines of the command line are no dialogue, as those of a pipe.
        let shell = ShellSession(
            options,
            context,
            options.lines.isEmpty ? host : ShellHost(writer: host.writer, terminal: nil, packets: host.packets)
        )
        let status: ExitStatus
        if let terminal = shell.host.terminal {
            guard context.process.blocking != nil else {
                throw BlectlError(
                    .usage,
                    cannot: "read lines from a terminal",
                    "virtual time does not pass while a person types",
                    hint: "--simulate-time real, or lines from a file: blectl … shell < FILE"
                )
            }
            status = await shell.run(on: terminal)
        } else {
            status = try await shell.run(lines(in: context))
        }
        if status != .success { throw PartialFailure(status: status) }
    }

    /// The lines of the command line, or those of standard input, which is empty for the commands in them.
    private func lines(in context: CommandContext) throws -> LineSource {
        let input = ShellInput.takeOver().map {
            ByteSource(descriptor: $0, name: "standard input", blocking: context.process.blocking)
        }
        guard options.lines.isEmpty else {
            return LineSource(ByteSource(Array(options.lines.joined(separator: "\n").utf8)))
        }
        guard let input else {
            throw BlectlError(.cannotOpenInput, "cannot read standard input: it is closed")
        }
        return LineSource(input)
    }
}

extension CommandName {
    package static var shell: CommandName { CommandName("shell", ShellCommand.self) }
}
