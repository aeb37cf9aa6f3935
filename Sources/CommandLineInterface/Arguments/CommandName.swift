// SPDX-License-Identifier: GPL-2.0-or-later

/// The word on the command line that stands for a command. Each command declares its own, beside its type.
package struct CommandName: Hashable, Sendable {
    package let rawValue: String
    /// The command as the command line knows it.
    package let type: any CommandSyntax.Type

    package init(_ word: String, _ type: any CommandSyntax.Type) {
        rawValue = word
        self.type = type
    }

    package var spec: CommandSpec { type.spec }

    package static func == (first: CommandName, second: CommandName) -> Bool { first.rawValue == second.rawValue }

    package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
