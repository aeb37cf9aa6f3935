// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension CompletionCommand {
    static let shell = Argument(
        required: .choice("SHELL", of: Shell.self),
        summary: "the shell"
    )

    static let spec = CommandSpec(
        commandName,
        [.forItsOutput, .notForShells],
        summary: "print the completion script of a shell",
        discussion: [
            """
            Prints a script by which a shell completes commands, options and names of blectl. At each Tab, the script \
            asks blectl what can stand at the cursor. The scripts are installed with blectl where the shells look for \
            them; this command is for a copy that was not installed.
            """
        ],
        arguments: [shell.spec],
        groups: [.global],
        examples: [
            "source <(blectl completion bash)": "complete in this bash",
            "blectl completion zsh > ~/.zfunc/_blectl": "complete in zsh, with ~/.zfunc in $fpath",
            "blectl completion fish | source": "complete in this fish",
        ]
    )
}
