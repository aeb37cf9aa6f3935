// SPDX-License-Identifier: GPL-2.0-or-later

/// One operand of a command as the table describes it.
public struct ArgumentSpec: Sendable {
    /// How many of the operands on the command line belong to the argument.
    public enum Arity: Sendable {
        /// Exactly one.
        case one
        /// One or none.
        case optional
        /// One or more: all that are left. Only the last argument of a command may be this.
        case oneOrMore
    }

    /// How many it takes.
    public let arity: Arity
    /// What it looks like; its name is the placeholder of the documentation.
    public let value: ValueSpec
    /// The long names of options that cannot be used together with this argument.
    public let excludes: [String]
    /// What it is, as one line in lower case without a full stop.
    public let summary: String
    /// What else there is to know, as sentences.
    public let details: String

    /// The placeholder in the documentation, in upper case.
    public var name: String { value.name }

    /// The argument as usage lines write it: `TARGET`, `[DEVICE]`, `TARGET...`.
    public var synopsis: String {
        switch arity {
        case .one: name
        case .optional: "[\(name)]"
        case .oneOrMore: "\(name)..."
        }
    }
}

/// An argument together with the type of what it yields: the key with which a command reads it.
public struct Argument<Value: Sendable>: Sendable {
    /// The row in the table.
    public let spec: ArgumentSpec
    let reading: Reading<Value>

    /// An argument that has to be given.
    init(required syntax: ValueSyntax<Value>, summary: String, details: String = "") {
        spec = ArgumentSpec(arity: .one, value: syntax.spec, excludes: [], summary: summary, details: details)
        reading = .required(syntax)
    }

    /// An argument that may be left out.
    init<Single>(
        optional syntax: ValueSyntax<Single>,
        excludes: [String] = [],
        summary: String,
        details: String = ""
    ) where Value == Single? {
        spec = ArgumentSpec(
            arity: .optional,
            value: syntax.spec,
            excludes: excludes,
            summary: summary,
            details: details
        )
        reading = .last(of: syntax)
    }

    /// An argument of which there is at least one.
    init<Single>(oneOrMore syntax: ValueSyntax<Single>, summary: String, details: String = "")
    where Value == [Single] {
        spec = ArgumentSpec(arity: .oneOrMore, value: syntax.spec, excludes: [], summary: summary, details: details)
        reading = .all(of: syntax)
    }
}
