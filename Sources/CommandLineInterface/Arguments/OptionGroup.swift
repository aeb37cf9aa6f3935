// SPDX-License-Identifier: GPL-2.0-or-later

/// Options that several commands share, and that are documented in one place.
package struct OptionGroup: Sendable {
    /// The word by which `blectl help` explains them.
    package let word: String
    /// The heading of the group in help and manual pages, in lower case.
    package let title: String
    /// The sentence above the options in the manual.
    package let introduction: String
    /// What they are for, as one line in lower case without a full stop.
    package let summary: String
    /// Returns the options, in the order of their documentation. A function, because few runs need all.
    private let list: @Sendable () -> [OptionSpec]

    package init(
        _ word: String,
        title: String,
        summary: String,
        introduction: String,
        options: @escaping @Sendable () -> [OptionSpec]
    ) {
        self.word = word
        self.title = title
        self.summary = summary
        self.introduction = introduction
        list = options
    }

    package var options: [OptionSpec] { list() }
}

extension OptionGroup: Equatable {
    package static func == (first: OptionGroup, second: OptionGroup) -> Bool { first.title == second.title }
}
