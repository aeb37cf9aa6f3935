// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Records
import Toolkit

/// `blectl shell`: runs lines from a terminal, or from standard input to its end.
struct ShellCommand: Command {
    static var commandName: CommandName { .shell }
    static let recordSchemas: [RecordSchema] = [ShellDeviceResult.record.schema, ShellJobResult.record.schema]
    static let foreignNames = ["interactive", "repl", "console", "cli"]

    static let line = Option(
        repeated: "line",
        short: "c",
        .text("LINE"),
        summary: "run this line instead of standard input",
        details: "Several run one after the other, like the lines of a pipe."
    )

    static let plain = Option(
        flag: "plain",
        summary: "read lines without editing, completion and history",
        details: "Earlier lines are neither read nor kept."
    )

    static let exitOnError = Option(
        flag: "exit-on-error",
        summary: "leave the shell after the first line that fails",
        details: "A line in the background counts when `wait` has its status."
    )

    static let spec = CommandSpec(
        commandName,
        [.radio, .showsAddress, .pairsOnDemand, .hasParts, .notForShells, .isShell],
        summary: "type commands, on connections that last",
        discussion: [
            """
            Runs lines, commands without the word `blectl`, on a connection that lasts as long as the shell. Quotes, \
            backslashes and comments (`#` at the beginning of a word) are as in other shells.
            """,
            """
            Without a device, the first command that needs one finds it. `-d` means another device for one line; its \
            connection lasts, too. `connect DEVICE` and `use DEVICE` set the device of later lines. The next command \
            makes a lost link again. `run` first closes the links of its devices, unless a line in the background uses \
            them.
            """,
            """
            A line that ends with `&` runs in the background, and prints above the prompt. `jobs` lists these lines; \
            `stop NUMBER` ends one, which is no failure. `wait NUMBER` waits for one and has its status; `wait` waits \
            for all, and has the status of the first that has failed since the last `wait`. `links`, `disconnect`, \
            `clear`, `help` and `exit` are the other commands of the shell.
            """,
            """
            Options of the shell count for each line that does not give them; those that choose the radio, \
            `--reconnect` and, for commands with a device, `-i` only for the whole shell. Commands have no standard \
            input, and `watch` and `scan` no screen but lines.
            """,
            """
            On a terminal, Tab completes commands, options, and the device's attributes by name. Lines are edited with \
            libedit, if it is installed (libedit2 in Debian), which reads `~/.editrc`. The last 1000 of all shells, \
            except those that begin with a blank, are kept in `$XDG_STATE_HOME/blectl/history` (default \
            `~/.local/state`). Ctrl-C ends the command in the foreground, or gives up the line; Ctrl-D leaves the \
            shell.
            """,
            """
            Other standard input is read to its end without prompt, editing and history; after a line that fails, the \
            next one runs. The line after `notify TARGET &` runs when the subscription is made, so that it can make \
            the device notify. At the end of the input the shell waits for the lines in the background, except \
            `notify`, `watch`, `scan`, `link --signal`, `serve`, `advertise` and `l2cap listen` without `--count`, \
            `--duration` and `--deadline`: these are stopped, and named on standard error. `exit`, and \
            `--exit-on-error` after a failure, stop all lines without waiting.
            """,
            """
            The exit status is that of the last line, or after a success that of the first line in the background that \
            has failed since the last `wait` and before the end of the input. A line with `&` is a success once it \
            runs.
            """,
        ],
        arguments: [DeviceSpec.operand.spec],
        options: [line.spec, plain.spec, exitOnError.spec, DeviceSpec.reconnect.spec],
        groups: [.device, .link, .global],
        examples: [
            "blectl shell 'Pulse HR'": "type commands for one device",
            "blectl shell 'Pulse HR' -c 'write 2a39 01' -c 'read battery-level'": "two commands on one connection",
            "blectl --simulate shell": "with simulated devices",
            "echo 'read battery-level' | blectl shell -d 'Pulse HR'": "run the lines of a pipe",
            "printf '%s\\n' 'notify 2a52 -n 1 &' 'write 2a52 0x0401' | blectl shell":
                "a command to a glucose meter, and its answer",
        ],
        seeAlso: ["read", "write", "notify", "watch", "inspect"]
    )

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
