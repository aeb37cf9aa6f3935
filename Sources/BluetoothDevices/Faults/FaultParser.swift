// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

struct FaultParser {
    private static let conditions =
        "a condition such as #3, every 3rd, once, 5 times, 10%, from 10s, until 20s or per connection"

    private var words: FaultWords
    private var device: String?
    /// The rule without its effect, which comes last.
    private var rule = FaultRule(.read, nil, .noAnswer)

    init(_ text: String) throws(FaultTextError) { words = try FaultWords(text) }

    /// Parses a whole fault. Conditions may stand before the colon and after the effect.
    mutating func fault() throws(FaultTextError) -> FaultText {
        if words.take("device") {
            let column = words.column
            guard let name = words.take(), !name.text.isEmpty else {
                throw FaultTextError(column, "expected a device: its name in quotes, its label or its address")
            }
            device = name.text
            guard words.takeColon() else {
                throw FaultTextError(words.column, "expected a colon after the device; quote a name of several words")
            }
        }
        let start = words.column
        try event()
        while !words.isAtEnd, try condition() {}
        guard words.takeColon() else {
            throw FaultTextError(words.column, "expected \(Self.conditions), or a colon and the effect")
        }
        let effectColumn = words.column
        rule.effect = try effect()
        while !words.isAtEnd {
            let column = words.column
            guard try condition() else { throw FaultTextError(column, "expected \(Self.conditions), or the end") }
        }
        if let problem = rule.problem {
            let isAboutEffect = !rule.operation.effects.contains(rule.effect.kind)
            throw FaultTextError(isAboutEffect ? effectColumn : start, problem)
        }
        return FaultText(rule, of: device)
    }

    // MARK: - The event

    /// Parses the operation and its target. A word that could be a condition is a target only in quotes.
    private mutating func event() throws(FaultTextError) {
        let column = words.column
        let word = words.take()
        guard let word, let operation = FaultRule.Operation(rawValue: word.text.lowercased()) else {
            let names = FaultRule.Operation.allCases.map(\.rawValue)
            throw FaultTextError(
                column,
                "expected an operation: \(names.joined(separator: ", "))" + nearest(word, names)
            )
        }
        rule.operation = operation
        guard let target = words.peek, target.isQuoted || !isCondition(target) else { return }
        guard operation.hasTarget else {
            throw FaultTextError(
                target.column,
                "\(operation.rawValue) concerns no characteristic; expected \(Self.conditions)"
            )
        }
        guard let reference = CharacteristicReference(target.text) else {
            throw FaultTextError(target.column, "expected a characteristic: its label, its assigned name or its UUID")
        }
        rule.target = reference
        _ = words.take()
    }

    /// Whether the next word begins a condition, so it is neither a target nor a code.
    private func isCondition(_ word: FaultWords.Word) -> Bool {
        let text = word.text.lowercased()
        if ["every", "once", "twice", "from", "until", "per"].contains(text) || text.hasPrefix("#") { return true }
        return text.hasSuffix("%") || words.isAtCount
    }

    // MARK: - Conditions

    private mutating func condition() throws(FaultTextError) -> Bool {
        guard let word = words.peek, !word.isQuoted else { return false }
        let text = word.text.lowercased()
        switch text {
        case "once":
            _ = words.take()
            try set(\FaultRule.times, 1, word)
        case "twice":
            _ = words.take()
            try set(\FaultRule.times, 2, word)
        case "every":
            _ = words.take()
            try set(\FaultRule.every, try ordinal(), word)
        case "per":
            _ = words.take()
            let column = words.column
            guard words.take("connection") else { throw FaultTextError(column, "expected 'per connection'") }
            rule.isPerConnection = true
        case "from":
            _ = words.take()
            let end = rule.window?.until
            rule.window = FaultRule.Window(from: try words.duration(), until: end)
        case "until":
            _ = words.take()
            let start = rule.window?.from ?? .zero
            rule.window = FaultRule.Window(from: start, until: try words.duration())
        case _ where text.hasPrefix("#"):
            _ = words.take()
            try set(\FaultRule.numbers, try Self.numbers(text.dropFirst(), word.column), word)
        case _ where text.hasSuffix("%"):
            _ = words.take()
            try set(\FaultRule.probability, try Self.probability(text.dropLast(), word.column), word)
        case _ where text.first?.isASCIIDigit == true:
            return try counted(word)
        default:
            return false
        }
        return true
    }

    /// `5 times` or `10 %`; another number does not begin a condition.
    private mutating func counted(_ word: FaultWords.Word) throws(FaultTextError) -> Bool {
        _ = words.take()
        if words.take("times") || words.take("time") {
            guard let times = FaultWords.number(word.text), times >= 1 else {
                throw FaultTextError(word.column, "expected a number of times from 1 on")
            }
            try set(\FaultRule.times, times, word)
        } else if words.take("%") {
            try set(\FaultRule.probability, try Self.probability(word.text[...], word.column), word)
        } else {
            words.stepBack()
            return false
        }
        return true
    }

    private mutating func set<Value>(
        _ member: WritableKeyPath<FaultRule, Value?>,
        _ value: Value,
        _ word: FaultWords.Word
    ) throws(FaultTextError) {
        guard rule[keyPath: member] == nil else { throw FaultTextError(word.column, "this condition is said twice") }
        rule[keyPath: member] = value
    }

    /// `3`, `3rd`
    private mutating func ordinal() throws(FaultTextError) -> Int {
        let column = words.column
        let text = words.take()?.text.lowercased() ?? ""
        let digits = text.prefix { $0.isASCIIDigit }
        guard
            let number = Int(digits), number >= 1,
            ["", "st", "nd", "rd", "th"].contains(text.dropFirst(digits.count))
        else { throw FaultTextError(column, "expected a number such as 3 or 3rd") }
        return number
    }

    /// `3`, `3-5`, `3-`
    private static func numbers(_ text: some StringProtocol, _ column: Int) throws(FaultTextError) -> ClosedRange<Int> {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let ends = parts.map { FaultWords.number($0) }
        guard let first = ends.first ?? nil, first >= 1 else {
            throw FaultTextError(column, "expected the number of an event: #3, #3-5 or #3-")
        }
        guard parts.count == 2 else { return first...first }
        if parts[1].isEmpty { return first...Int.max }
        guard let last = ends[1], last >= first else {
            throw FaultTextError(column, "expected the number of an event: #3, #3-5 or #3-")
        }
        return first...last
    }

    /// A percentage with four digits after the point at most.
    private static func probability(_ text: some StringProtocol, _ column: Int) throws(FaultTextError) -> Double {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = String(parts.first ?? "")
        let fraction = parts.count == 2 ? String(parts[1]) : ""
        // Whole millionths, as in the text of a rule, so that a rule and its text are read as the same number.
        let digits = whole + fraction + String(repeating: "0", count: max(0, 4 - fraction.count))
        guard
            !whole.isEmpty, parts.count == 1 || !fraction.isEmpty,
            fraction.count <= 4, digits.count <= 7, digits.allSatisfy(\.isASCIIDigit),
            let millionths = Int(digits), millionths <= 1_000_000
        else { throw FaultTextError(column, "expected a percentage from 0% to 100%") }
        return Double(millionths) / 1_000_000
    }

    // MARK: - Effects

    private static let effects =
        "an effect: delay TIME, error [CODE] [after TIME], refuse [CODE] [after TIME], no answer, wrong opcode CODE, "
        + "truncate to NUMBER, oversize to NUMBER, drop [before|after] [TIME] [with REASON], duplicate, reorder, lose, "
        + "pause [for TIME] or report NUMBER"

    private mutating func effect() throws(FaultTextError) -> FaultEffect {
        let column = words.column
        let word = words.take()
        switch word?.text.lowercased() {
        case "delay": return .delay(try words.duration())
        case "error", "refuse": return try error()
        case "no-answer": return .noAnswer
        case "no":
            let place = words.column
            guard words.take("answer") else { throw FaultTextError(place, "expected 'no answer'") }
            return .noAnswer
        case "wrong-opcode": return .wrongOpcode(try octet("an opcode"))
        case "wrong":
            let place = words.column
            guard words.take("opcode") else { throw FaultTextError(place, "expected 'wrong opcode'") }
            return .wrongOpcode(try octet("an opcode"))
        case "truncate": return .truncate(try length())
        case "oversize": return .oversize(try length())
        case "drop": return .drop(try drop())
        case "duplicate": return .duplicate
        case "reorder": return .reorder
        case "lose": return .lose
        case "pause": return .pause(words.take("for") || words.isAtDuration ? try words.duration() : nil)
        case "report":
            let strength = try words.number(in: -128...127, "a strength in dBm")
            _ = words.take("dbm")
            return .report(Int8(clamping: strength))
        default:
            let names = FaultEffect.Kind.allCases.map(\.rawValue) + ["refuse"]
            throw FaultTextError(column, "expected \(Self.effects)" + nearest(word, names))
        }
    }

    private mutating func octet(_ what: String) throws(FaultTextError) -> UInt8 {
        let column = words.column
        guard let word = words.take(), let number = FaultWords.number(word.text), let octet = UInt8(exactly: number)
        else {
            throw FaultTextError(column, "expected \(what) such as 0x0B")
        }
        return octet
    }

    private mutating func length() throws(FaultTextError) -> Int {
        _ = words.take("to")
        let length = try words.number(in: 1...FaultEffect.longestPDU, "a number of octets")
        _ = words.take("octets") || words.take("octet")
        return length
    }

    private mutating func error() throws(FaultTextError) -> FaultEffect {
        var code: UInt8?
        if let word = words.peek, word.text.lowercased() != "after", !isCondition(word) {
            if rule.operation.isOfController {
                code = try status(word).rawValue
            } else {
                guard let found = FileName.attError(word.text) else {
                    throw FaultTextError(
                        word.column,
                        "expected an ATT error: 0x01 to 0xFF, or a name such as insufficient-encryption"
                            + nearest(word, FileName.attErrors)
                    )
                }
                code = found.rawValue
                _ = words.take()
            }
        }
        return .error(code: code, after: words.take("after") ? try words.duration() : .zero)
    }

    private mutating func status(_ word: FaultWords.Word) throws(FaultTextError) -> HCIStatus {
        guard let status = HCIStatus(faultWord: word.text), status != .success else {
            throw FaultTextError(
                word.column,
                "expected a status of a controller: 0x01 to 0xFF, or a name such as connection-timeout"
                    + nearest(word, HCIStatus.faultWords)
            )
        }
        _ = words.take()
        return status
    }

    private mutating func drop() throws(FaultTextError) -> FaultEffect.Drop {
        var drop = FaultEffect.Drop()
        _ = words.take("link")
        if words.take("after") {
            drop.moment = .after
        } else {
            _ = words.take("before")
        }
        if words.isAtDuration { drop.delay = try words.duration() }
        if words.take("with") {
            guard let word = words.peek else {
                throw FaultTextError(words.column, "expected a reason such as connection-timeout")
            }
            drop.reason = try status(word)
        }
        return drop
    }

    // MARK: - Help

    /// `; did you mean 'read'?`, if a word is close to one that is allowed.
    private func nearest(_ word: FaultWords.Word?, _ names: [String]) -> String {
        // A long word is not a misspelling, and comparing it with all names takes time.
        guard let word, word.text.utf8.count <= 64 else { return "" }
        let wanted = Array(word.text.lowercased().utf8)
        let close = names.compactMap { name in
            EditDistance.distance(wanted, Array(name.utf8), limit: 2).map { (distance: $0, name: name) }
        }
        guard let best = close.min(by: { $0.distance < $1.distance }) else { return "" }
        return "; did you mean '\(best.name)'?"
    }
}

extension FaultRule.Operation {
    /// Whether its errors are those of a controller, and not those of ATT.
    var isOfController: Bool { self == .connect || self == .disconnect || self == .rssi || self == .scan }
}
