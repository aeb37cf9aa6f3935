// SPDX-License-Identifier: GPL-2.0-or-later

/// The scripts by which shells complete the command lines of blectl: the files of `completions/`, which
/// `make completions` puts into `texts`.
///
/// They ask `blectl help --complete=LINE` what can stand at the cursor (see `CompletionAnswer`), and know themselves how
/// their shell quotes words and finds files.
package enum CompletionScript {
    package static func script(for shell: Shell) -> String { (texts[fileName(for: shell)] ?? "") + "\n" }

    /// The name of the file, in the form that the shell requires for finding it.
    package static func fileName(for shell: Shell) -> String {
        switch shell {
        case .bash: "blectl.bash"
        case .zsh: "_blectl"
        case .fish: "blectl.fish"
        }
    }
}

package enum Shell: String, OptionChoice {
    case bash
    case zsh
    case fish

    package var summary: String {
        switch self {
        case .bash: "GNU bash, with or without the bash-completion package"
        case .zsh: "zsh"
        case .fish: "fish"
        }
    }
}
