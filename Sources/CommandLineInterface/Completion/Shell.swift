// SPDX-License-Identifier: GPL-2.0-or-later

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
