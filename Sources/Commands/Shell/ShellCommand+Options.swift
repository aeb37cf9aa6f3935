// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension ShellCommand {
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
        seeAlso: [.read, .write, .notify, .watch, .inspect]
    )
}
