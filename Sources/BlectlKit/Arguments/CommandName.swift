// SPDX-License-Identifier: GPL-2.0-or-later

/// The word on the command line that stands for a command. Each command declares its own, beside its type.
package struct CommandName: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    /// The command with that name; `nil` if there is none.
    package init?(rawValue word: String) {
        guard CommandTable.types.contains(where: { $0.commandName.rawValue == word }) else { return nil }
        rawValue = word
    }

    /// The command's row in the table.
    package var spec: CommandSpec { CommandTable.type(of: self).spec }
}

extension CommandName: ExpressibleByStringLiteral {
    package init(stringLiteral word: String) { rawValue = word }
}

extension CommandName: CaseIterable {
    /// All commands, in the order of the documentation.
    package static let allCases = CommandTable.types.map { $0.commandName }
}
