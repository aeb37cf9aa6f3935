// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Toolkit

/// A script, completely read: the files that it includes are in it, and everything that can be checked without a device
/// was checked.
package struct Script: Sendable, Equatable {
    /// The path of the file, or `-` for standard input.
    package var name: String
    /// The devices, in the order of their declaration.
    package var devices: [ScriptDevice] = []
    /// The steps before the first test. If one of them fails, no test runs.
    package var setup: [ScriptStep] = []
    /// The tests in order. A failed test does not keep the next one from running if `--keep-going` is given.
    package var tests: [ScriptTest] = []
    /// The steps that run at the end in any case.
    package var cleanup: [ScriptStep] = []
}

package struct ScriptPlace: Sendable, Hashable {
    package var file: String
    package var line: Int
    /// The column in characters, from 1.
    package var column: Int = 1
}

/// A device under a name: `device strap --name 'Pulse *'`.
package struct ScriptDevice: Sendable, Equatable {
    package var name: String
    /// The device options, as a command line has them.
    package var options: [ScriptWord]
    package var place: ScriptPlace
}

/// A test: a name, steps, and steps that run after these in any case.
package struct ScriptTest: Sendable, Equatable {
    package var name: String
    package var steps: [ScriptStep] = []
    package var cleanup: [ScriptStep] = []
    package var place: ScriptPlace
}

/// A step: an action, and its expectations.
package struct ScriptStep: Sendable, Equatable {
    package var action: ScriptAction
    /// The name of the value that the step gives, or of the stream that it begins (`as NAME`).
    package var name: String?
    /// The time limit of the step (`within 5 s`); `nil` for `--timeout`.
    package var limit: Duration?
    /// The expectations, all of which have to be met.
    package var expectations: [ScriptExpectation] = []
    /// The values that the variable of a repetition has in its rounds (`for`); empty for the numbers of the rounds.
    package var values: [ScriptWord] = []
    /// The step as it was typed, without its indentation and its comment.
    package var text: String
    package var place: ScriptPlace
}

/// The action of a step. A stream has the name that `as NAME` gave to its step.
package indirect enum ScriptAction: Sendable, Equatable {
    /// A command of blectl with its words, without the name of the device and without the clauses of the step.
    case command(CommandName, device: String?, [ScriptWord])
    /// Connect now; a command would connect without this.
    case connect(device: String?)
    case disconnect(device: String?)
    /// Set a variable: `set level 50`.
    case set(String, ScriptWord)
    /// Wait for further values of a stream that meet the condition.
    case await(stream: String, count: Int, where: ScriptCondition?)
    /// Wait for the whole time, and expect that no value of a stream meets the condition.
    case never(stream: String, where: ScriptCondition?, for: Duration)
    /// Wait for the whole time, and count the values of a stream that meet the condition. Without an upper bound, the
    /// wait ends when the lower one is reached.
    case count(stream: String, atLeast: Int, atMost: Int?, where: ScriptCondition?, for: Duration)
    /// Wait for values of a stream that meet the conditions one after the other, with any others in between.
    case order(stream: String, [ScriptCondition])
    /// End a stream: unsubscribe, stop scanning.
    case stop(stream: String)
    /// Compare a variable.
    case expect(ScriptWord, ScriptCondition)
    /// Look at the state of a link: `check strap mtu >= 100 and rssi > -80`.
    case check(device: String?, ScriptCondition)
    case pause(Duration)
    /// Carry out the steps several times; the variable has the number of the round, from 1, or one of the step's values.
    case `repeat`(Int, variable: String?, [ScriptStep])
}

extension ScriptAction {
    /// The stream that the step takes results from, and its conditions; `nil` for another step.
    var awaited: (stream: String, conditions: [ScriptCondition])? {
        switch self {
        case .await(let stream, _, let condition), .never(let stream, let condition, _),
            .count(let stream, _, _, let condition, _):
            (stream, condition.map { [$0] } ?? [])
        case .order(let stream, let conditions): (stream, conditions)
        default: nil
        }
    }
}

package enum ScriptExpectation: Sendable, Equatable {
    /// Each result of the step meets the condition, and there is at least one.
    case result(ScriptCondition)
    /// The device answers with an ATT error: with this code, or with any.
    case error(UInt8?)
    /// The device, which has a link, does not answer in the time of the step.
    case silence
    /// What `jitter` compares is met by the results of the step together.
    case jitter(ScriptCondition)
    /// The step fails with an exit status.
    case status(Int32)
}

/// A condition on a record, a variable or the state of a link.
package indirect enum ScriptCondition: Sendable, Equatable {
    case comparison(ScriptComparison)
    case all([ScriptCondition])
    case any([ScriptCondition])
    case not(ScriptCondition)
}

extension ScriptCondition {
    var comparisons: [ScriptComparison] {
        switch self {
        case .comparison(let comparison): [comparison]
        case .all(let parts), .any(let parts): parts.flatMap(\.comparisons)
        case .not(let inner): inner.comparisons
        }
    }

    var fields: [String] { comparisons.compactMap(\.field) }

    /// The place of the first comparison without the name of a field; `nil` if each has one.
    var placeWithoutField: ScriptPlace? { comparisons.first { $0.field == nil }?.place }
}

/// A relation of one field: `heart_rate_bpm in 40..180`.
package struct ScriptComparison: Sendable, Equatable {
    /// The path of the field, with dots between its parts; `nil` for the value itself.
    ///
    /// A path is looked for in the decoded value, and then in the record.
    package var field: String?
    var relation: ScriptRelation
    package var place: ScriptPlace
}

/// A relation between a field and a value of the script.
enum ScriptRelation: Sendable, Equatable {
    /// `==`, `is`, or nothing before the value.
    case equal(ScriptWord)
    /// `!=`, `is not`.
    case notEqual(ScriptWord)
    case less(ScriptWord)
    case lessOrEqual(ScriptWord)
    case greater(ScriptWord)
    case greaterOrEqual(ScriptWord)
    /// `in 40..180`, `in 40..`, `in ..180`; both ends belong to the range.
    case range(lower: ScriptWord?, upper: ScriptWord?)
    /// `matches '^Pulse'`: an extended regular expression of POSIX.
    case matches(ScriptWord)
    /// `contains 'HR'`: a part of a text, or an element of a list.
    case contains(ScriptWord)
    /// `mask 0x0F is 0x01`: of the octets, only the bits of the mask count.
    case mask(ScriptWord, is: ScriptWord)
    /// `length 2`, `length 2..20`: the number of octets.
    case length(lower: Int, upper: Int?)
    /// `present`: the field is there and not null.
    case present
    case absent
}

/// A word of a script, in which variables are replaced when the step runs.
package struct ScriptWord: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        case literal(String)
        /// `${level}`, or `${level.decoded.level_percent}` for a field of its record.
        case variable(name: String, path: [String])
        /// `${env:RIG_DEVICE}`, from the environment.
        case environment(String)
    }

    package var parts: [Part]
    /// Whether it was quoted, so that it is not a keyword, a number range or a relation.
    var isQuoted = false
    package var place: ScriptPlace

    /// The text, if no variable is in it.
    package var literal: String? {
        var text = ""
        for part in parts {
            guard case .literal(let piece) = part else { return nil }
            text += piece
        }
        return text
    }
}

extension CommandName {
    /// Whether a step with a name is a stream in the background, with these words.
    package func isStream(_ words: [ScriptWord]) -> Bool {
        guard !has(.stream) else { return true }
        guard let option = spec.streamOption.map({ "--\($0.long)" }) else { return false }
        return words.contains { word in
            guard case .literal(let text)? = word.parts.first else { return false }
            return text == option || text.hasPrefix("\(option)=")
        }
    }
}

extension ScriptWord.Part {
    /// What `${…}` refers to; `nil` if the text between the braces has another form.
    init?(reference text: String) {
        if text.hasPrefix("env:") {
            let name = text.dropFirst("env:".count)
            // No dash, because a shell could not set such an environment variable.
            guard ScriptName.isValid(name), !name.contains("-") else { return nil }
            self = .environment(String(name))
        } else {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard let name = parts.first, ScriptName.isValid(name), parts.dropFirst().allSatisfy(ScriptName.isField)
            else { return nil }
            self = .variable(name: String(name), path: parts.dropFirst().map(String.init))
        }
    }
}
