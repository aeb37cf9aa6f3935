// SPDX-License-Identifier: GPL-2.0-or-later

/// One option as the table describes it, whatever the type of its value.
///
/// A command does not read an `OptionSpec`; it reads the typed ``Option`` that the row belongs to.
public struct OptionSpec: Sendable {
    /// How often an option may be given, and whether it takes a value.
    public enum Kind: Sendable {
        /// On or off; giving it twice changes nothing.
        case flag
        /// The number of times it is given counts.
        case count
        /// Takes a value; the last one given wins.
        case value
        /// Takes a value each time; all of them count.
        case repeated
    }

    /// The name after the two dashes.
    public let long: String
    /// The letter after the single dash.
    public let short: Character?
    /// How often it may be given, and whether it takes a value.
    public let kind: Kind
    /// What its value looks like; nil for a flag and a count.
    public let value: ValueSpec?
    /// The default as the documentation shows it.
    public let defaultText: String?
    /// The environment variable that stands in for the option where it is not given.
    public let environment: String?
    /// The long names of options, and the names of arguments, that cannot be used together with this one.
    public let excludes: [String]
    /// Whether the option is for those who build blectl, and left out of its documentation.
    public let isHidden: Bool
    /// What it does, as one line in lower case without a full stop.
    public let summary: String
    /// What else there is to know, as sentences.
    public let details: String

    init(
        _ long: String,
        short: Character?,
        _ kind: Kind,
        value: ValueSpec? = nil,
        defaultText: String? = nil,
        environment: String? = nil,
        excludes: [String],
        isHidden: Bool = false,
        summary: String,
        details: String
    ) {
        self.long = long
        self.short = short
        self.kind = kind
        self.value = value
        self.defaultText = defaultText
        self.environment = environment
        self.excludes = excludes
        self.isHidden = isHidden
        self.summary = summary
        self.details = details
    }

    /// Whether the option is followed by a value.
    public var takesValue: Bool { value != nil }

    /// The option as errors and documentation write it: `--timeout SECONDS`.
    public var synopsis: String {
        guard let value else { return "--\(long)" }
        return "--\(long) \(value.name)"
    }
}

/// What the value of an option or an argument looks like, without its type.
public struct ValueSpec: Sendable {
    /// The placeholder in the documentation, in upper case.
    public let name: String
    /// What a shell may offer for it.
    public let completion: Completion
    let listChoices: @Sendable () -> [Choice]
    /// Refuses a text that is not such a value.
    let check: @Sendable (String) throws(ValueProblem) -> Void

    /// The words that are accepted, where it is a choice among few.
    public var choices: [Choice] { listChoices() }
}

/// One of the words that a value may be.
public struct Choice: Sendable, Equatable {
    /// The word.
    public let word: String
    /// What it means, as one line in lower case without a full stop.
    public let summary: String
}

/// What a shell may offer in the place of a value, beyond the choices that the table lists.
public enum Completion: Sendable, Equatable {
    /// Nothing: the user knows.
    case nothing
    /// The names of files.
    case file
    /// The Bluetooth adapters of this machine.
    case adapter
    /// The names of value formats.
    case format
    /// The assigned names of services.
    case serviceName
    /// What `read`, `write` and `notify` accept as a target: a characteristic, also behind a service and a slash.
    case target
    /// The devices that `serve` can be.
    case servedDevice
    /// A value to write: it may be the name of a file behind an at sign.
    case fileBehindAt
}
