// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

/// `blectl shell`: lines from a terminal, or from standard input to its end.
struct ShellRun {
    let options: ShellOptions
    let context: CommandContext

    /// Throws a `PartialFailure` with the status of the last line: each failure has been reported.
    func run() async throws {
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
            status = try await shell.run(lines)
        }
        if status != .success { throw PartialFailure(status: status) }
    }

    /// The lines of the command line, or those of standard input, which is empty for the commands in them.
    private var lines: LineSource {
        get throws {
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
}
