// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
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
        let shell = ShellSession(options, context, host)
        let status: ExitStatus
        if let terminal = host.terminal {
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

    /// The lines of standard input, which is empty for the commands in them.
    private var lines: LineSource {
        get throws {
            guard let input = ShellInput.takeOver() else {
                throw BlectlError(.cannotOpenInput, "cannot read standard input: it is closed")
            }
            return LineSource(ByteSource(descriptor: input, name: "standard input", blocking: context.process.blocking))
        }
    }
}
