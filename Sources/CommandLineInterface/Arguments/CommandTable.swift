// SPDX-License-Identifier: GPL-2.0-or-later

/// The commands of the program in the order of their documentation, and the options that they share.
///
/// The parser, `-h` and `--help`, the manual pages and the completions are all made from it, so that they cannot
/// differ.
package struct CommandTable: Sendable {
    package let names: [CommandName]
    /// The groups of options that commands share. The last one is that of every command.
    package let groups: [OptionGroup]
    /// The long names of the options of every command that `blectl -h` leaves out, because all do not fit one screen.
    package let unusual: Set<String>
    /// Returns what `blectl help` explains besides commands. A function, because few runs need it.
    private let listTopics: @Sendable () -> [HelpTopic]

    package init(
        _ names: [CommandName],
        groups: [OptionGroup],
        unusual: Set<String>,
        topics: @escaping @Sendable () -> [HelpTopic]
    ) {
        self.names = names
        self.groups = groups
        self.unusual = unusual
        listTopics = topics
    }

    package var topics: [HelpTopic] { listTopics() }

    package var commands: [CommandSpec] { names.map(\.spec) }

    /// The command with that name; `nil` if there is none.
    package func name(_ word: String) -> CommandName? { names.first { $0.rawValue == word } }

    package var common: [OptionSpec] { groups.last?.options ?? [] }

    /// Every option of all commands, each once.
    ///
    /// An option has the same meaning in every command, so that it can be parsed before the command is known.
    package var options: [OptionSpec] {
        var options = groups.flatMap(\.options)
        for option in commands.flatMap(\.options) where !options.contains(where: { $0.long == option.long }) {
            options.append(option)
        }
        return options
    }

    /// The option with that long name.
    ///
    /// - Parameter command: The command if it is known, which makes the search faster.
    package func option(long: String, for command: CommandName? = nil) -> OptionSpec? {
        option(for: command) { $0.long == long }
    }

    package func option(short: Character, for command: CommandName? = nil) -> OptionSpec? {
        option(for: command) { $0.short == short }
    }

    /// Searches the options of all commands only if the common ones and the command's own do not match, because
    /// creating the rows of all commands takes as long as everything else before a command begins.
    private func option(for command: CommandName?, where matches: (OptionSpec) -> Bool) -> OptionSpec? {
        for option in common where matches(option) { return option }
        return command?.spec.firstOption(where: matches) ?? options.first(where: matches)
    }
}
