// SPDX-License-Identifier: GPL-2.0-or-later

/// A command as the command line knows it: its name, its row in the table, and how its words are read.
package protocol CommandSyntax: Sendable {
    static var commandName: CommandName { get }

    /// The row of the table, from which the parser, help, manual pages and completions are made.
    static var spec: CommandSpec { get }

    /// Words and options of other tools that mean this command.
    static var foreignNames: [String] { get }

    /// Whether an operand may be a word that looks like the world of `--simulate`.
    static func takesOperand(likeWorld word: String) -> Bool

    /// The words that an argument can be after these operands; empty if it can be others, or too many to list.
    static func choices(of argument: ArgumentSpec, after operands: [String]) -> [String]

    /// Why a script may not have the command as a step; `nil` if it may.
    static var stepRefusal: String? { get }

    /// The keyword by which a script has the command as a step; `nil` for its name.
    static var stepWord: String? { get }

    /// The options that a step has besides those of its line.
    static var stepOptions: [String] { get }

    /// What an operand would be read from that a variable of a script has brought: `a file` or `standard input`; `nil`
    /// if it is the operand itself.
    ///
    /// - Parameter isFirst: Whether no operand stands before it.
    static func source(of text: String, isFirst: Bool) -> String?

    /// The long names of options that read standard input for `-`.
    static var inputOptions: Set<String> { get }

    /// How a script writes such a word so that it is the operand itself.
    static func literalHint(for word: String) -> String
}

extension CommandSyntax {
    package static var foreignNames: [String] { [] }
    package static func choices(of argument: ArgumentSpec, after operands: [String]) -> [String] {
        let choices = argument.value.choices
        return choices.count <= Choice.mostExplained ? choices.map(\.word) : []
    }
    package static var stepRefusal: String? { nil }
    package static var stepWord: String? { nil }
    package static var stepOptions: [String] { [] }
    package static func source(of text: String, isFirst: Bool) -> String? { nil }
    package static var inputOptions: Set<String> { [] }
    package static func literalHint(for word: String) -> String { "for standard input, the script has the '-'" }

    /// The refusal of commands that are for the command line.
    package static var forCommandLine: String { "it is for the command line" }

    /// A path, or one of the worlds that have a name, is meant as the world.
    package static func takesOperand(likeWorld word: String) -> Bool {
        !word.isPathOfWorld && word != "security" && word != "bench"
    }
}

extension String {
    /// Whether it can only be the path of a world's file.
    package var isPathOfWorld: Bool { hasSuffix(".json") || ["/", "./", "../"].contains { hasPrefix($0) } }
}
