// SPDX-License-Identifier: GPL-2.0-or-later

/// An option with the type of its value. It is the key by which a command reads the value.
///
/// ```
/// static let duration = Option(value: "duration", .duration, summary: "stop after this time")
/// parsed[ScanCommand.duration]   // Duration?
/// ```
public struct Option<Value: Sendable>: Sendable {
    /// The row in the table.
    public let spec: OptionSpec
    public let reading: Reading<Value>
}

extension Option where Value == Bool {
    /// An option without a value: `--connectable`.
    package init(
        flag long: String,
        short: Character? = nil,
        excludes: [String] = [],
        summary: String,
        details: String = ""
    ) {
        spec = OptionSpec(
            long: long,
            short: short,
            kind: .flag,
            excludes: excludes,
            summary: summary,
            details: details
        )
        reading = Reading(absent: false) { texts in !texts.isEmpty }
    }
}

extension Option where Value == Int {
    /// An option whose occurrences are counted: `-vv`.
    package init(
        count long: String,
        short: Character? = nil,
        excludes: [String] = [],
        summary: String,
        details: String = ""
    ) {
        spec = OptionSpec(
            long: long,
            short: short,
            kind: .count,
            excludes: excludes,
            summary: summary,
            details: details
        )
        reading = Reading(absent: 0) { texts in texts.count }
    }
}

extension Option {
    /// An option with a value and no default: `nil` if it is not given.
    @inlinable
    public init<Single>(
        value long: String,
        short: Character? = nil,
        _ syntax: ValueSyntax<Single>,
        environment: String? = nil,
        environmentYieldsTo: [String] = [],
        excludes: [String] = [],
        isHidden: Bool = false,
        summary: String,
        details: String = ""
    ) where Value == Single? {
        spec = OptionSpec(
            long: long,
            short: short,
            kind: .value,
            value: syntax.spec,
            environment: environment,
            environmentYieldsTo: environmentYieldsTo,
            excludes: excludes,
            isHidden: isHidden,
            summary: summary,
            details: details
        )
        reading = .last(of: syntax)
    }

    /// An option with a value and a default.
    ///
    /// - Parameter defaultText: The default as typed. It is parsed like a given value.
    @inlinable
    public init(
        value long: String,
        short: Character? = nil,
        _ syntax: ValueSyntax<Value>,
        default defaultText: String,
        excludes: [String] = [],
        summary: String,
        details: String = ""
    ) {
        spec = OptionSpec(
            long: long,
            short: short,
            kind: .value,
            value: syntax.spec,
            defaultText: defaultText,
            excludes: excludes,
            summary: summary,
            details: details
        )
        reading = .last(of: syntax, default: defaultText)
    }

    /// An option that may have a value after an equals sign, and may be given several times. The value is `nil` if it
    /// is not given, and empty if it is given without values.
    @inlinable
    public init<Single>(
        optionalValue long: String,
        _ syntax: ValueSyntax<Single>,
        environment: String? = nil,
        excludes: [String] = [],
        summary: String,
        details: String = ""
    ) where Value == [Single]? {
        spec = OptionSpec(
            long: long,
            short: nil,
            kind: .optionalValue,
            value: syntax.spec,
            environment: environment,
            excludes: excludes,
            summary: summary,
            details: details
        )
        reading = Reading(absent: .some(nil)) { texts in
            .some(texts.filter { !$0.isEmpty }.compactMap { try? syntax.parse($0) })
        }
    }

    /// An option that may be given several times. All values are kept, in order.
    @inlinable
    public init<Single>(
        repeated long: String,
        short: Character? = nil,
        _ syntax: ValueSyntax<Single>,
        excludes: [String] = [],
        isHidden: Bool = false,
        summary: String,
        details: String = ""
    ) where Value == [Single] {
        spec = OptionSpec(
            long: long,
            short: short,
            kind: .repeated,
            value: syntax.spec,
            excludes: excludes,
            isHidden: isHidden,
            summary: summary,
            details: details
        )
        reading = .all(of: syntax)
    }
}
