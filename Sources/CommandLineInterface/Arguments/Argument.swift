// SPDX-License-Identifier: GPL-2.0-or-later

/// One operand of a command, as a row of the table.
package struct ArgumentSpec: Sendable {
    /// The number of operands on the command line that belong to the argument.
    package enum Arity: Sendable {
        case one
        case optional
        /// None or more: all remaining operands. Only the last argument of a command can have this arity.
        case any
        /// One or more: all remaining operands. Only the last argument of a command can have this arity.
        case oneOrMore

        /// Whether all remaining operands belong to the argument.
        package var takesAll: Bool { self == .any || self == .oneOrMore }
    }

    package let arity: Arity
    /// The syntax of the value. Its name is the placeholder in the documentation.
    package let value: ValueSpec
    /// The long names of options that cannot be used together with this argument.
    package let excludes: [String]
    /// The meaning, as one line in lower case without a full stop.
    package let summary: String
    /// Further documentation, as sentences.
    package let details: String

    /// The placeholder in the documentation, in upper case.
    package var name: String { value.name }

    /// The argument in usage lines: `TARGET`, `[DEVICE]`, `TARGET...`.
    package var synopsis: String {
        switch arity {
        case .one: name
        case .optional: "[\(name)]"
        case .any: "[\(name)...]"
        case .oneOrMore: "\(name)..."
        }
    }
}

/// An argument with the type of its value. It is the key by which a command reads the value.
package struct Argument<Value: Sendable>: Sendable {
    /// The row in the table.
    package let spec: ArgumentSpec
    package let reading: Reading<Value>

    package init(required syntax: ValueSyntax<Value>, summary: String, details: String = "") {
        spec = ArgumentSpec(arity: .one, value: syntax.spec, excludes: [], summary: summary, details: details)
        reading = .required(syntax)
    }

    package init<Single>(
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

    /// An argument that occurs any number of times.
    package init<Single>(any syntax: ValueSyntax<Single>, summary: String, details: String = "")
    where Value == [Single] {
        spec = ArgumentSpec(arity: .any, value: syntax.spec, excludes: [], summary: summary, details: details)
        reading = .all(of: syntax)
    }

    /// An argument that occurs at least once.
    package init<Single>(oneOrMore syntax: ValueSyntax<Single>, summary: String, details: String = "")
    where Value == [Single] {
        spec = ArgumentSpec(arity: .oneOrMore, value: syntax.spec, excludes: [], summary: summary, details: details)
        reading = .all(of: syntax)
    }
}
