// SPDX-License-Identifier: GPL-2.0-or-later

/// Options that several commands share, and that are documented in one place.
package struct OptionGroup: Sendable {
    /// Which short help has the options, for which not every one has room.
    package enum Screen: Sendable, Equatable {
        /// That of each command which has the group.
        case ofEach
        /// That of commands with a trait; the others name the command of which it is.
        case only(having: CommandTraits, of: String)
        /// That of the program.
        case ofProgram
    }

    /// The heading of the group in help and manual pages, in lower case.
    package let title: String
    /// The sentence above the options in the manual.
    package let introduction: String
    package let screen: Screen
    /// Returns the options, in the order of their documentation. A function, because few runs need all.
    private let list: @Sendable () -> [OptionSpec]

    package init(
        _ title: String,
        introduction: String,
        screen: Screen,
        options: @escaping @Sendable () -> [OptionSpec]
    ) {
        self.title = title
        self.introduction = introduction
        self.screen = screen
        list = options
    }

    package var options: [OptionSpec] { list() }
}

extension OptionGroup: Equatable {
    package static func == (first: OptionGroup, second: OptionGroup) -> Bool { first.title == second.title }
}
