// SPDX-License-Identifier: GPL-2.0-or-later

/// One command of blectl, for the parser, help, manual pages and completions.
package struct CommandSpec: Sendable {
    /// The word on the command line.
    package let name: CommandName
    package let traits: CommandTraits
    /// The purpose, as one line in lower case without a full stop.
    package let summary: String
    /// The paragraphs of the manual. Text between backticks is printed in the form in which it is typed.
    package let discussion: [String]
    package let arguments: [ArgumentSpec]
    /// The command's own options, in the order of their documentation.
    package let options: [OptionSpec]
    /// The option with which a step of a script is a stream, in a command that is none without it; `nil` for none.
    package let streamOption: OptionSpec?
    /// The command's own options that are for one purpose, under its name: `-h` has them in one row, without summaries.
    package let purpose: (name: String, options: [OptionSpec])?
    /// The options that the command shares with other commands.
    package let groups: [OptionGroup]
    /// The long names of shared options that exclude each other elsewhere, and may stand together in this command.
    package let compatible: Set<String>
    /// The words that begin another section of the command line: operands, and flags with their dashes. Each section
    /// has its own operands, and those of the command's own options that stand in it.
    package let separators: [String]
    package let examples: [CommandExample]
    /// The names of related commands. A command may be in a module that does not know them.
    package let seeAlso: [String]

    package init(
        _ name: CommandName,
        _ traits: CommandTraits,
        summary: String,
        discussion: [String],
        arguments: [ArgumentSpec] = [],
        options: [OptionSpec] = [],
        streamOption: OptionSpec? = nil,
        purpose: (name: String, options: [OptionSpec])? = nil,
        groups: [OptionGroup],
        compatible: Set<String> = [],
        separators: [String] = [],
        examples: KeyValuePairs<String, String> = [:],
        seeAlso: [String] = []
    ) {
        self.name = name
        self.traits = traits
        self.summary = summary
        self.discussion = discussion
        self.arguments = arguments
        self.options = options
        self.streamOption = streamOption
        self.purpose = purpose
        self.groups = groups
        self.compatible = compatible
        self.separators = separators
        self.examples = CommandExample.list(examples)
        self.seeAlso = seeAlso
    }

    /// All options of the command: its own, then those of its groups.
    package var allOptions: [OptionSpec] {
        var all = options
        for group in groups { all += group.options }
        return all
    }

    /// The option with that long name; `nil` if the command does not accept it.
    package func option(named long: String) -> OptionSpec? { firstOption { $0.long == long } }

    /// The first option that matches. Loops, because the generic functions of sequences are not specialised.
    func firstOption(where matches: (OptionSpec) -> Bool) -> OptionSpec? {
        for option in options where matches(option) { return option }
        for group in groups {
            for option in group.options where matches(option) { return option }
        }
        return nil
    }
}

package struct CommandExample: Sendable {
    package let line: String
    /// The effect, as one line in lower case without a full stop.
    package let explanation: String

    /// Lines with their explanations.
    static func list(_ examples: KeyValuePairs<String, String>) -> [CommandExample] {
        examples.map { CommandExample(line: $0.key, explanation: $0.value) }
    }
}
