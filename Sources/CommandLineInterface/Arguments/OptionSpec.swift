// SPDX-License-Identifier: GPL-2.0-or-later

/// One option as a row of the table, independent of the type of its value.
///
/// Commands read the typed ``Option`` that contains the row.
public struct OptionSpec: Sendable {
    /// Whether an option takes a value, and the meaning of several occurrences.
    public enum Kind: Sendable {
        /// No value; further occurrences have no effect.
        case flag
        /// No value; the number of occurrences counts.
        case count
        /// A value; the last occurrence counts.
        case value
        /// A value; all occurrences count.
        case repeated
        /// A value after an equals sign, or none; all occurrences count.
        case optionalValue
    }

    /// The name after the two dashes.
    package let long: String
    /// The letter after the single dash.
    package let short: Character?
    package let kind: Kind
    /// The syntax of its value; `nil` for a flag and a count.
    package let value: ValueSpec?
    package let defaultText: String?
    /// The environment variable that is used if the option is not given.
    package let environment: String?
    /// The long names of options beside which the variable is not used.
    package let environmentYieldsTo: [String]
    /// The long names of options, and the names of arguments, that cannot be combined with this option.
    package let excludes: [String]
    /// Whether the option is omitted from the documentation: it is for the development of blectl, or an older name.
    package let isHidden: Bool
    /// The effect, as one line in lower case without a full stop.
    package let summary: String
    /// Further documentation, as sentences.
    package private(set) var details: String

    /// Public, as is all that the initialisers of ``Option`` use: only public functions are specialised in other modules,
    /// and generic code that is not specialised makes the start slow.
    public init(
        long: String,
        short: Character? = nil,
        kind: Kind,
        value: ValueSpec? = nil,
        defaultText: String? = nil,
        environment: String? = nil,
        environmentYieldsTo: [String] = [],
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
        self.environmentYieldsTo = environmentYieldsTo
        self.excludes = excludes
        self.isHidden = isHidden
        self.summary = summary
        self.details = details
    }

    /// The option without its details, for a command whose page names the one that has them.
    package var brief: OptionSpec {
        var brief = self
        brief.details = ""
        return brief
    }

    /// Whether the option needs a value, which may be the next word.
    package var takesValue: Bool { value != nil && kind != .optionalValue }

    /// The option in errors and documentation: `--timeout SECONDS`.
    package var synopsis: String {
        guard let value else { return "--\(long)" }
        if kind == .optionalValue { return "--\(long)[=\(value.name)]" }
        return "--\(long) \(value.name)"
    }
}

/// The syntax of the value of an option or an argument, independent of its type.
public struct ValueSpec: Sendable {
    /// The placeholder in the documentation, in upper case.
    package let name: String
    /// The words that a shell offers for it.
    package let completion: Completion
    let listChoices: @Sendable () -> [Choice]
    /// Throws if the text does not have the syntax.
    package let check: @Sendable (String) throws(ValueProblem) -> Void

    public init(
        name: String,
        completion: Completion,
        listChoices: @escaping @Sendable () -> [Choice],
        check: @escaping @Sendable (String) throws(ValueProblem) -> Void
    ) {
        self.name = name
        self.completion = completion
        self.listChoices = listChoices
        self.check = check
    }

    /// The accepted words; empty if the value is not a choice.
    package var choices: [Choice] { listChoices() }
}

/// A word that a value can be.
public struct Choice: Sendable, Equatable {
    /// The most choices of an argument that `-h` explains, and that an error lists; of more, `-h` has the words.
    static let mostExplained = 16

    package let word: String
    /// The meaning, as one line in lower case without a full stop. Typed text is between backticks where it would
    /// otherwise begin a sentence.
    package let summary: String

    public init(word: String, summary: String) {
        self.word = word
        self.summary = summary
    }
}

/// The words that a shell offers for a value, besides the choices in the table.
public enum Completion: Sendable, Equatable {
    case nothing
    case command
    case file
    /// Names of files that end in this way, and of folders.
    case fileEnding(in: String)
    case adapter
    /// Addresses and names of remembered devices.
    case device
    /// One of these words, which end with a colon or an equals sign, and behind it the name of a file.
    case fileBehind([Choice])
    /// The actions of the profile before it.
    case profileAction
    case format
    /// Assigned names of services.
    case serviceName
    /// Targets of `read`, `write` and `notify`: a characteristic, optionally after a service and a slash.
    case target
    /// Devices for `serve`: those that are simulated, and names of files.
    case servedDevice
    /// Kinds of beacons for `advertise`.
    case advertisedForm
    /// A value for the target before it, which can be the name of a file after an at sign.
    case fileBehindAt
}
