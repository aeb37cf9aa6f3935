// SPDX-License-Identifier: GPL-2.0-or-later

/// One command of blectl: what the parser accepts, and what help, manual pages and completions say about it.
public struct CommandSpec: Sendable {
    /// The word on the command line.
    public let name: CommandName
    /// What the command does, as one line in lower case without a full stop.
    public let summary: String
    /// The paragraphs of the manual. Text between backticks is printed as it would be typed.
    public let discussion: [String]
    /// The operands, in their order.
    public let arguments: [ArgumentSpec]
    /// The command's own options, in the order in which they are documented.
    public let options: [OptionSpec]
    /// The options that the command shares with others.
    public let groups: [OptionGroup]
    /// Command lines to learn from.
    public let examples: [CommandExample]
    /// The commands a reader may want to read about next.
    public let seeAlso: [CommandName]

    init(
        _ name: CommandName,
        summary: String,
        discussion: [String],
        arguments: [ArgumentSpec] = [],
        options: [OptionSpec] = [],
        groups: [OptionGroup] = [.global],
        examples: [CommandExample] = [],
        seeAlso: [CommandName] = []
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.arguments = arguments
        self.options = options
        self.groups = groups
        self.examples = examples
        self.seeAlso = seeAlso
    }

    /// Every option that the command accepts: its own, then those of its groups.
    public var allOptions: [OptionSpec] { options + groups.flatMap(\.options) }

    /// The option of that long name, if the command accepts it.
    public func option(named long: String) -> OptionSpec? { allOptions.first { $0.long == long } }
}

/// A command line worth showing, with what it does.
public struct CommandExample: Sendable {
    /// The command line as a person types it.
    public let line: String
    /// What it does, as one line in lower case without a full stop.
    public let explanation: String

    init(_ line: String, _ explanation: String) {
        self.line = line
        self.explanation = explanation
    }
}

/// Options that several commands share and that are documented in one place.
public enum OptionGroup: CaseIterable, Sendable {
    /// How to find and reach the device that a command talks to.
    case device
    /// What every command accepts.
    case global

    /// The heading above the group in help and manual pages, in lower case.
    public var title: String {
        switch self {
        case .device: "device options"
        case .global: "global options"
        }
    }

    /// What the options have in common, as a sentence for the manual.
    var introduction: String {
        switch self {
        case .device: "The commands that talk to a device accept these:"
        case .global: "Every command accepts these:"
        }
    }

    /// The rows of the group, in the order in which they are documented.
    public var options: [OptionSpec] {
        switch self {
        case .device: DeviceSpec.options
        case .global: GlobalSpec.options
        }
    }
}
