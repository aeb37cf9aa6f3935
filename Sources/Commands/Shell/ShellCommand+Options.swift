// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension ShellCommand {
    static let line = Option(
        repeated: "line",
        short: "c",
        .text("LINE"),
        summary: "run this line instead of standard input",
        details: "Several are run one after the other, as the lines of a pipe."
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
            Reads lines, each of which is a command of blectl without the word `blectl`, and runs them on a connection that \
            lasts until the end of the shell. Quotes and a backslash are as in other shells; a word that begins with `#` \
            begins a comment.
            """,
            """
            Without a device, the first command that needs one finds it. `-d` in a line means another device, for that line \
            only; its connection lasts, too. `connect DEVICE` and `use DEVICE` make a device the one that is meant without \
            `-d`. If the link is lost, the next command makes it again. `run` closes the links of the devices in its scripts \
            first, unless a line in the background uses them.
            """,
            """
            A line that ends with `&` runs in the background: what it prints appears above the prompt. `jobs` lists these \
            lines, and `stop NUMBER` ends one, which is no failure. `wait NUMBER` waits for the end of one and has its \
            status; `wait` waits for all, and has the status of the first one that has failed since the last `wait`. \
            `links`, `disconnect`, `clear`, `help` and `exit` are the other commands of the shell.
            """,
            """
            The options of the shell count for each line that does not give them itself. Those that choose the radio are for \
            the shell as a whole, and so are `--reconnect` and, for commands with a device, `-i`. Commands find standard \
            input empty, and `watch` and `scan` print lines instead of a screen.
            """,
            """
            On a terminal, Tab completes commands, options, and the attributes of the device by their names. Lines are edited \
            with libedit, which reads `~/.editrc`, if it is installed (libedit2 in Debian). They are kept in \
            `$XDG_STATE_HOME/blectl/history`, by default in `~/.local/state`: the last 1000 of all shells, except those that \
            begin with a blank. Ctrl-C ends the command in the foreground, or gives up the line; Ctrl-D leaves the shell.
            """,
            """
            If standard input is not a terminal, it is read to its end without prompt, editing and history, and a line \
            that fails does not keep the next one from running. The line after `notify TARGET &` runs when the \
            subscription is made, so that it can make the device notify. At the end of the input the shell waits for \
            the lines in the background that end by themselves: all but `notify`, `watch`, `scan`, `link --signal`, \
            `serve`, `advertise` and `l2cap listen` without `--count`, `--duration` and `--deadline`. These are \
            stopped then, and named on standard error. `exit`, and `--exit-on-error` after a failure, wait for no line \
            and stop all of them.
            """,
            """
            The exit status is that of the last line. If that was a success, it is that of the first line in the \
            background that has failed since the last `wait` and before the end of the input. A line with `&` itself \
            is a success once it runs.
            """,
        ],
        arguments: [DeviceSpec.operand.spec],
        options: [line.spec, plain.spec, exitOnError.spec, DeviceSpec.reconnect.spec],
        groups: [.device, .link, .global],
        examples: [
            CommandExample("blectl shell 'Pulse HR'", "type commands for one device"),
            CommandExample(
                "blectl shell 'Pulse HR' -c 'write 2a39 01' -c 'read battery-level'",
                "two commands on one connection"
            ),
            CommandExample("blectl --simulate shell", "with simulated devices"),
            CommandExample("echo 'read battery-level' | blectl shell -d 'Pulse HR'", "run the lines of a pipe"),
            CommandExample(
                "printf '%s\\n' 'notify 2a52 -n 1 &' 'write 2a52 0x0401' | blectl shell",
                "send a command to a glucose meter, and print the answer"
            ),
        ],
        seeAlso: [.read, .write, .notify, .watch, .inspect]
    )
}
