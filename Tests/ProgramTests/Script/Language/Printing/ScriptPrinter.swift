// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

@testable import Scripting

/// Prints a script as one file, in a form that reads back to an equal script. The fuzzer of scripts uses it, too.
enum ScriptPrinter {
    /// The whole text.
    static func text(_ script: Script) -> String {
        var lines = ["language \(ScriptReader.language)"]
        for device in script.devices {
            lines.append((["device \(device.name)"] + device.options.map(\.source)).joined(separator: " "))
        }
        add(script.setup, 0, &lines)
        for test in script.tests {
            lines.append("test \(ScriptWord.quotedSource(test.name))")
            add(test.steps, 1, &lines)
            if !test.cleanup.isEmpty { lines.append("cleanup") }
            add(test.cleanup, 1, &lines)
        }
        if !script.cleanup.isEmpty { lines.append("cleanup all") }
        add(script.cleanup, 1, &lines)
        return lines.map { $0 + "\n" }.joined()
    }

    private static func add(_ steps: [ScriptStep], _ depth: Int, _ lines: inout [String]) {
        let indentation = String(repeating: "  ", count: depth)
        for step in steps {
            lines.append(indentation + step.source)
            guard case .repeat(_, _, let inner) = step.action else { continue }
            add(inner, depth + 1, &lines)
            lines.append(indentation + "end")
        }
    }
}

extension ScriptStep {
    var source: String {
        var words = [action.source]
        if case .repeat(_, let variable?, _) = action, !values.isEmpty {
            words = ["for \(variable) in"] + values.map(\.source)
        }
        if let limit { words.append("within \(limit.source)") }
        for expectation in expectations { words.append("expect \(expectation.source)") }
        if let name { words.append("as \(name)") }
        return words.joined(separator: " ")
    }
}

extension ScriptAction {
    fileprivate var source: String {
        switch self {
        case .command(let command, let device, let words):
            ([command.type.stepWord ?? command.rawValue] + [device].compactMap { $0 } + words.map(\.source)).joined(
                separator: " "
            )
        case .connect(let device): "connect" + (device.map { " \($0)" } ?? "")
        case .disconnect(let device): "disconnect" + (device.map { " \($0)" } ?? "")
        case .set(let name, let word): "set \(name) \(word.source)"
        case .await(let stream, let count, let condition): "await \(stream) \(count)\(Self.filter(condition))"
        case .never(let stream, let condition, let time): "never \(stream)\(Self.filter(condition)) for \(time.source)"
        case .count(let stream, let least, let most, let condition, let time):
            "count \(stream) \(least)..\(most.map { "\($0)" } ?? "")\(Self.filter(condition)) for \(time.source)"
        case .order(let stream, let conditions):
            "order \(stream) " + conditions.map(\.source).joined(separator: " then ")
        case .stop(let stream): "stop \(stream)"
        case .expect(let word, let condition): "expect \(word.source) \(condition.source)"
        case .check(let device, let condition): "check " + (device.map { "\($0) " } ?? "") + condition.source
        case .pause(let time): "pause \(time.source)"
        case .repeat(let count, let variable, _): "repeat \(count)" + (variable.map { " as \($0)" } ?? "")
        }
    }

    private static func filter(_ condition: ScriptCondition?) -> String {
        condition.map { " where \($0.source)" } ?? ""
    }
}

extension ScriptExpectation {
    fileprivate var source: String {
        switch self {
        case .result(let condition): condition.source
        case .error(let code?): "error 0x\(code < 16 ? "0" : "")\(String(code, radix: 16))"
        case .error(nil): "error"
        case .silence: "silence"
        case .jitter(let condition): condition.source
        case .status(let status): "status \(status)"
        }
    }
}

extension ScriptCondition {
    /// The condition. `and` binds closer than `or`, and `not` closer than both.
    var source: String {
        switch self {
        case .comparison(let comparison): (comparison.field.map { "\($0) " } ?? "") + comparison.relation.source
        case .all(let parts): parts.map { $0.isJoined ? "(\($0.source))" : $0.source }.joined(separator: " and ")
        case .any(let parts): parts.map { $0.isAlternative ? "(\($0.source))" : $0.source }.joined(separator: " or ")
        case .not(let inner): "not " + (inner.isJoined ? "(\(inner.source))" : inner.source)
        }
    }

    /// Whether the condition needs parentheses after `not` and within `and`.
    private var isJoined: Bool {
        switch self {
        case .all, .any: true
        case .comparison, .not: false
        }
    }

    /// Whether the condition needs parentheses within `or`. One that is nested would be read as a part of the
    /// outer list.
    private var isAlternative: Bool { if case .any = self { true } else { false } }
}

extension ScriptRelation {
    fileprivate var source: String {
        switch self {
        case .equal(let word): "== \(word.source)"
        case .notEqual(let word): "!= \(word.source)"
        case .less(let word): "< \(word.source)"
        case .lessOrEqual(let word): "<= \(word.source)"
        case .greater(let word): "> \(word.source)"
        case .greaterOrEqual(let word): ">= \(word.source)"
        case .range(let lower, let upper): "in \(lower?.source ?? "")..\(upper?.source ?? "")"
        case .matches(let word): "matches \(word.source)"
        case .contains(let word): "contains \(word.source)"
        case .mask(let mask, is: let word): "mask \(mask.source) is \(word.source)"
        case .length(let lower, let upper): "length \(lower)..\(upper.map { "\($0)" } ?? "")"
        case .present: "present"
        case .absent: "absent"
        }
    }
}

extension ScriptWord {
    /// The word as it can be typed.
    var source: String {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += isQuoted ? Self.escaped(literal) : literal.replacingDollars
            case .variable(let name, let path): text += "${\(([name] + path).joined(separator: "."))}"
            case .environment(let name): text += "${env:\(name)}"
            }
        }
        return isQuoted ? "\"\(text)\"" : text
    }

    /// A text in double quotes.
    static func quotedSource(_ text: String) -> String { "\"\(escaped(text))\"" }

    private static func escaped(_ literal: String) -> String {
        var text = ""
        for scalar in literal.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "$": text += "$$"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension String {
    /// The text with each dollar doubled, because a single one may begin a variable.
    fileprivate var replacingDollars: String {
        split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$")
    }
}

extension Duration {
    /// The time as a script has it, exactly.
    fileprivate var source: String {
        let (seconds, attoseconds) = components
        guard attoseconds != 0 else { return "\(seconds)s" }
        // A unit and nine digits after the point are the finest that can be typed.
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        let digits = String(attoseconds % 1_000_000_000_000_000 / 1_000_000)
        return "\(milliseconds).\(String(repeating: "0", count: 9 - digits.count) + digits)ms"
    }
}
