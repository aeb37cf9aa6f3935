// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// Evaluates conditions. It only computes: the same subject and variables always give the same answer.
struct ConditionEvaluation {
    package let variables: ScriptVariables
    /// The names and formats of private characteristics, beside the assigned ones.
    package var formats = FormatCatalogue.assigned
    /// The names that the results of the step can have; `nil` allows those of every command.
    package var scope: ResultScope?

    /// Why the condition is not met; `nil` if it is. Throws if a variable is missing, or if a word does not fit the
    /// relation.
    package func unmet(_ condition: ScriptCondition, on subject: ConditionSubject) throws(BlectlError)
        -> UnmetCondition?
    {
        switch condition {
        case .comparison(let comparison): return try unmet(comparison, on: subject)
        case .all(let parts):
            for part in parts {
                if let unmet = try unmet(part, on: subject) { return unmet }
            }
            return nil
        case .any(let parts):
            // If several alternatives are unmet, the first one determines the message.
            var first: UnmetCondition?
            for part in parts {
                // Alternatives after one that is met are not evaluated, so a variable that they lack is not an error. A
                // mistyped name is one in any alternative, because it would be found only when no other is met.
                guard let unmet = try unmet(part, on: subject) else { return unknown(condition, on: subject) }
                first = first ?? unmet
            }
            guard var first else { return nil }
            first.expected = text(condition)
            return first
        case .not(let inner):
            // A field that is not there does not meet the inner condition, so its negation is met, unless its name is
            // mistyped.
            guard try unmet(inner, on: subject) == nil else { return unknown(inner, on: subject) }
            return UnmetCondition(expected: text(condition), got: subject.words ?? "that")
        }
    }

    /// The failure of a condition with a field that no record has, so that a mistyped name does not look like a field
    /// that is missing this time; `nil` if there is none.
    ///
    /// - Parameter subject: The result; `nil` as long as there is none, so that a name is found that none can have.
    package func unknown(_ condition: ScriptCondition, on subject: ConditionSubject? = nil) -> UnmetCondition? {
        switch condition {
        case .comparison(let comparison): return unknown(comparison, on: subject)
        case .all(let parts), .any(let parts): return parts.lazy.compactMap { unknown($0, on: subject) }.first
        case .not(let inner): return unknown(inner, on: subject)
        }
    }

    private func unknown(_ comparison: ScriptComparison, on subject: ConditionSubject?) -> UnmetCondition? {
        let condition = ScriptCondition.comparison(comparison)
        if let subject {
            // The values of descriptors have formats of their own.
            guard subject.record.type != nil, !subject.isDescriptor else { return nil }
        }
        guard let field = comparison.field else {
            // Where records have no value, nothing would be compared.
            return scope?.hasValues == false ? noValue(text(condition)) : nil
        }
        let path = field.split(separator: ".").map(String.init)
        if let subject {
            guard subject.content(at: path) == nil, subject.unknown[field] == nil else { return nil }
            // A name that may mean several fields compares none of them.
            guard subject.ambiguousNames(at: path).isEmpty else {
                return missing(path, subject, text(condition), isNull: false)
            }
        }
        let names = KnownFields(formats: formats, keys: variables.keys, scope: scope)
        guard !names.contain(path) else { return nil }
        var failure = noField(path, among: subject?.names(near: path) ?? names.names(near: path), text(condition))
        // For a name that other results have, the list of names alone would not explain the failure.
        let known = KnownFields(formats: formats, keys: variables.keys)
        if let scope, known.contain(path) {
            let inner = path.drop { $0 == LineFormat.openKey }.joined(separator: ".")
            let advice =
                !known.areDecoded(path)
                ? "other commands have this field, but not the command of this step"
                : scope.hasBeacons
                    ? "the values of a beacon are below 'beacon', such as beacon.\(inner)"
                    : "other values have this field, but no value of this step"
            failure.note = failure.note.map { "\(advice); \($0)" } ?? advice
        }
        return failure
    }

    /// Throws if a list of services is to contain a word that means none: no result could meet the comparison.
    ///
    /// The status of the error is `badData`, as that of a word that is not the number which a relation needs.
    func checkWords(of condition: ScriptCondition) throws(BlectlError) {
        switch condition {
        case .comparison(let comparison): try checkWords(of: comparison)
        case .all(let parts), .any(let parts):
            for part in parts { try checkWords(of: part) }
        case .not(let inner): try checkWords(of: inner)
        }
    }

    private func checkWords(of comparison: ScriptComparison) throws(BlectlError) {
        guard case .contains(let word) = comparison.relation, let field = comparison.field, let scope,
            scope.listsUUIDs(field),
            // An alternative that is not needed may lack its variable.
            let text = try? variables.text(word)
        else { return }
        do throws(AttributeTarget.Problem) {
            _ = try serviceUUID(text, in: formats)
        } catch {
            throw BlectlError(.badData, "\(Prose.quoted(text)) is not a service: \(error.expectation)")
        }
    }

    /// The condition as it is typed, with its variables replaced where they are set.
    package func text(_ condition: ScriptCondition) -> String { condition.text(shown) }

    /// The word for a message, which must not fail itself because a variable is missing.
    private func shown(_ word: ScriptWord) -> String { (try? variables.text(word)) ?? "${…}" }

    /// Why a comparison is not met; `nil` if it is met. A null counts as absent.
    private func unmet(
        _ comparison: ScriptComparison,
        on subject: ConditionSubject
    ) throws(BlectlError) -> UnmetCondition? {
        try checkWords(of: comparison)
        let expected = text(.comparison(comparison))
        let path = comparison.field.map { $0.split(separator: ".").map(String.init) }
        let content = path.map { subject.content(at: $0) } ?? subject.value
        let isThere = content != nil && content != .plain(.null)
        switch comparison.relation {
        case .present where isThere: return nil
        case .absent where !isThere: return unknown(comparison, on: subject)
        default: break
        }
        guard let content, isThere else { return missing(path, subject, expected, isNull: content != nil) }
        let label = comparison.field ?? "the value"
        let problem = try problem(comparison.relation, content, isWholeValue: path == nil, subject)
        guard let problem else { return nil }
        return UnmetCondition(
            expected: expected,
            got: "\(label) is \(content.text)",
            note: problem.isEmpty ? nil : problem
        )
    }

    /// The failure of a comparison whose field is not there, with the fields that are, so that a mistyped name is
    /// found.
    private func missing(
        _ path: [String]?,
        _ subject: ConditionSubject,
        _ expected: String,
        isNull: Bool
    ) -> UnmetCondition {
        guard let path else { return noValue(expected) }
        let field = path.joined(separator: ".")
        if let reason = subject.unknown[field] {
            return UnmetCondition(expected: expected, got: "\(field) is not known: \(reason)")
        }
        if isNull { return UnmetCondition(expected: expected, got: "\(field) is null") }
        let several = subject.ambiguousNames(at: path)
        if !several.isEmpty {
            return UnmetCondition(
                expected: expected,
                got: "no field \(Prose.quoted(field))",
                note: "it may be \(Prose.list(several, "or"))"
            )
        }
        return noField(path, among: subject.names(near: path), expected)
    }

    /// The failure of a comparison of the value itself, where there is none.
    private func noValue(_ expected: String) -> UnmetCondition {
        let note = "the results of this step have no value of their own: a comparison names a field"
        return UnmetCondition(expected: expected, got: "no value", note: scope?.hasValues == false ? note : nil)
    }

    private func noField(_ path: [String], among names: [String], _ expected: String) -> UnmetCondition {
        let field = path.joined(separator: ".")
        let similar = path.last.flatMap { Suggestion.closest(to: $0, among: names) }
        var note: String?
        if !names.isEmpty {
            note = "there are \(Prose.list(Array(names.prefix(24)), "and"))"
            if let similar { note = "did you mean '\(similar)'? \(note ?? "")" }
        }
        return UnmetCondition(expected: expected, got: "no field \(Prose.quoted(field))", note: note)
    }

    /// Why the relation does not hold: empty if the content says it all; `nil` if it holds.
    private func problem(
        _ relation: ScriptRelation,
        _ content: ConditionSubject.Content,
        isWholeValue: Bool,
        _ subject: ConditionSubject
    ) throws(BlectlError) -> String? {
        switch relation {
        case .equal(let word):
            if let problem = try incomparable(content, word, isWholeValue: isWholeValue, subject) { return problem }
            return try equals(word, content, isWholeValue: isWholeValue, subject) ? nil : ""
        case .notEqual(let word):
            // Neither equal nor different: a value that is not read as one meets no comparison.
            if let problem = try incomparable(content, word, isWholeValue: isWholeValue, subject) { return problem }
            return try equals(word, content, isWholeValue: isWholeValue, subject) ? "" : nil
        case .less(let word): return try ordered(content, word, subject) { $0 < $1 }
        case .lessOrEqual(let word): return try ordered(content, word, subject) { $0 <= $1 }
        case .greater(let word): return try ordered(content, word, subject) { $0 > $1 }
        case .greaterOrEqual(let word): return try ordered(content, word, subject) { $0 >= $1 }
        case .range(let lower, let upper):
            if let lower, let problem = try ordered(content, lower, subject, { $0 >= $1 }) { return problem }
            if let upper, let problem = try ordered(content, upper, subject, { $0 <= $1 }) { return problem }
            return nil
        case .matches(let word):
            let pattern = try variables.text(word)
            do throws(ValueProblem) {
                return try RegularExpression(pattern).matches(content.bareText) ? nil : ""
            } catch {
                throw BlectlError(.badData, "invalid expression \(Prose.quoted(pattern)): \(error.expectation)")
            }
        case .contains(let word):
            if let problem = try incomparable(content, word, isWholeValue: isWholeValue, subject) { return problem }
            return try contains(content, word, isWholeValue: isWholeValue) ? nil : ""
        case .mask(let mask, is: let word): return try masked(content, mask, word, isWholeValue: isWholeValue, subject)
        case .length(let lower, let upper):
            let length = content.length(isWholeValue ? subject.octets : nil)
            guard length >= lower, upper.map({ length <= $0 }) ?? true else { return "its length is \(length)" }
            return nil
        case .present: return nil
        case .absent: return ""
        }
    }

    /// Why octets cannot be compared with a word; `nil` if they can, or if the content is not octets.
    ///
    /// A number is not octets: the octet 0x22 of a value that cannot be decoded is neither 22 nor different from 22.
    private func incomparable(
        _ content: ConditionSubject.Content,
        _ word: ScriptWord,
        isWholeValue: Bool,
        _ subject: ConditionSubject
    ) throws(BlectlError) -> String? {
        guard case .octets = content else { return nil }
        let text = try variables.text(word)
        guard octets(text, isWholeValue: isWholeValue, subject) == nil else { return nil }
        return "\(subject.reasonForOctets); octets are written 0x\(Hex.bytes(text) == nil ? "01ff" : text)"
    }

    /// Whether a content equals a word. A word with a mark means octets where there are some; otherwise texts are
    /// compared first, and then numbers, so that 7 equals 7.0 unless the word is quoted. Other words are the whole value
    /// as it is typed for `write`: `50%`, `high`.
    private func equals(
        _ word: ScriptWord,
        _ content: ConditionSubject.Content,
        isWholeValue: Bool,
        _ subject: ConditionSubject
    ) throws(BlectlError) -> Bool {
        let text = try variables.text(word)
        let isHex = !word.isQuoted && text.hasPrefix("0x")
        // The value of an attribute can be compared as octets even if it was decoded: `is 0x4800`.
        if isHex || !word.isQuoted && text.hasPrefix("hex:"), isWholeValue, let octets = subject.octets {
            return Self.octets(text) == octets
        }
        switch content {
        case .octets(let octets): return self.octets(text, isWholeValue: isWholeValue, subject) == octets
        case .plain(let value):
            let own = content.bareText
            if own == text || subject.ignoresCase && own.lowercased() == text.lowercased() { return true }
            if Self.isSameIdentifier(own, text, mayBeShort: !isWholeValue) { return true }
            // A quoted word is a text, so that '07' differs from 7.
            if !word.isQuoted, let left = ScriptNumber(own), let right = ScriptNumber(text) { return left == right }
            // Numbers were compared exactly, and are not rounded to the resolution of the format.
            let isText = word.isQuoted && (ScriptNumber(text) != nil || TypedValue.isMarked(text))
            if isWholeValue, !isText, let octets = subject.octets, let format = subject.format(in: formats) {
                return (try? TypedValue.octets(ofText: text, in: format)) == octets
            }
            guard isHex, case .string = value else { return false }
            // UUIDs and handles are texts with `0x` in records. The case of their digits has no meaning.
            return own.lowercased() == text.lowercased()
                || Hex.bytes(own).map { Hex.bytes(text.dropFirst(2)) == $0 } ?? false
        }
    }

    /// Whether both are the same address, or the same UUID. The case of their digits has no meaning.
    ///
    /// - Parameter mayBeShort: Whether `0x2A37` is a UUID. As a value of a device it could be a text.
    private static func isSameIdentifier(_ own: String, _ text: String, mayBeShort: Bool) -> Bool {
        if let address = BluetoothAddress(own) { return address == BluetoothAddress(text) }
        let isShort = mayBeShort && own.hasPrefix("0x") && text.hasPrefix("0x")
        guard isShort || own.utf8.count == 36, own.utf8.count == text.utf8.count, let uuid = BluetoothUUID(own) else {
            return false
        }
        return uuid == BluetoothUUID(text)
    }

    /// Compares two numbers. Returns `nil` if the comparison is met, else a note that may be empty.
    private func ordered(
        _ content: ConditionSubject.Content,
        _ word: ScriptWord,
        _ subject: ConditionSubject,
        _ isMet: (ScriptNumber, ScriptNumber) -> Bool
    ) throws(BlectlError) -> String? {
        let text = try variables.text(word)
        guard let right = ScriptNumber(text) else {
            throw BlectlError(.badData, "\(Prose.quoted(text)) is not a number")
        }
        // The digits of octets are not a number, even if no letter is among them.
        if case .octets = content { return subject.reasonForOctets }
        guard let left = ScriptNumber(content.bareText) else { return "it is not a number" }
        return isMet(left, right) ? nil : ""
    }

    /// Whether a content contains a word: octets a sequence, a list an element, and a text a part.
    private func contains(
        _ content: ConditionSubject.Content,
        _ word: ScriptWord,
        isWholeValue: Bool
    ) throws(BlectlError) -> Bool {
        let text = try variables.text(word)
        switch content {
        case .octets(let octets):
            guard let part = Self.octets(text) ?? (isWholeValue ? nil : Hex.bytes(text)) else { return false }
            // Otherwise the range below would end before its beginning, which traps.
            guard octets.count >= part.count else { return false }
            return (0...(octets.count - part.count)).contains { octets[$0..<($0 + part.count)].elementsEqual(part) }
        case .plain(.array(let elements)):
            // Records have UUIDs of services; a script may have their names, as a command line.
            let service = BluetoothUUID(text) ?? formats.uuids(named: text, among: [.service]).first?.uuid
            func isService(_ own: String) -> Bool { service != nil && BluetoothUUID(own) == service }
            return elements.contains { element in
                // An object in a list is found by any of its members, for example a service by its UUID or by
                // its name.
                if case .object(let members) = element {
                    return members.contains { member in
                        let own = ConditionSubject.Content.plain(member.value).bareText
                        return own == text || isService(own)
                    }
                }
                let own = ConditionSubject.Content.plain(element).bareText
                if own == text || own.lowercased() == text.lowercased() || isService(own) { return true }
                return ScriptNumber(own).flatMap { left in ScriptNumber(text).map { left == $0 } } ?? false
            }
        case .plain: return content.bareText.contains(text: text)
        }
    }

    /// Compares the masked bits of a number, or those of octets from the first on. Returns `nil` if they are equal.
    private func masked(
        _ content: ConditionSubject.Content,
        _ mask: ScriptWord,
        _ word: ScriptWord,
        isWholeValue: Bool,
        _ subject: ConditionSubject
    ) throws(BlectlError) -> String? {
        let mask = try variables.text(mask)
        let wanted = try variables.text(word)
        // A number in a record has no octets. Both words have to be whole numbers then.
        if !isWholeValue, case .plain(let own) = content, own.isScalar, own.text == nil {
            guard case .whole(let bits)? = ScriptNumber(mask), case .whole(let wanted)? = ScriptNumber(wanted) else {
                throw BlectlError(.badData, "mask \(Prose.quoted(mask)) is \(Prose.quoted(wanted)): not numbers")
            }
            guard case .whole(let own)? = ScriptNumber(own.json) else { return "it is not a whole number" }
            return own & bits == wanted
                ? nil : "masked it is 0x\(Hex.string(UInt128(bitPattern: own & bits), minimumDigits: 2))"
        }
        // With different lengths, it would be unclear which octets the mask is for.
        guard let bits = Self.octets(mask), let wanted = Self.octets(wanted), bits.count == wanted.count else {
            throw BlectlError(
                .badData,
                "mask \(Prose.quoted(mask)) is \(Prose.quoted(wanted)): expected as many octets on both sides, written 0x0f"
            )
        }
        let own: [UInt8]?
        if case .octets(let octets) = content {
            own = octets
        } else {
            // The octets as they were received, because the mask means their bits and not those of the decoded
            // text.
            own = (isWholeValue ? subject.octets : nil) ?? Hex.bytes(content.bareText)
        }
        guard let own else { return "it has no octets" }
        guard own.count >= bits.count else { return "it has \(count: own.count, "octet"), and the mask \(bits.count)" }
        let masked = zip(own, bits).map { $0 & $1 }
        return masked == wanted ? nil : "0x\(Hex.string(own)) masked is 0x\(Hex.string(masked))"
    }

    /// The octets that a word means beside those of a value: also the fields of a format that has several.
    /// The key `value` of a record is hex digits, which it can be compared with as they are.
    private func octets(_ text: String, isWholeValue: Bool, _ subject: ConditionSubject) -> [UInt8]? {
        if let octets = Self.octets(text) { return octets }
        guard isWholeValue else { return Hex.bytes(text) }
        guard let format = subject.format(in: formats), format.fields.count > 1 else { return nil }
        return try? TypedValue.octets(ofText: text, in: format)
    }

    /// The octets that a word means: those behind a mark, or hex digits that cannot be a number.
    private static func octets(_ text: String) -> [UInt8]? {
        if text.hasPrefix("0x") { return Hex.bytes(text.dropFirst(2)) }
        if text.hasPrefix("hex:") { return try? ValueFormat.encode(text) }
        return text.contains(where: \.isLetter) && ScriptNumber(text) == nil ? Hex.bytes(text) : nil
    }
}

extension ConditionSubject.Content {
    /// The content as text that can be compared; octets are hex digits.
    fileprivate var bareText: String {
        switch self {
        case .octets(let octets): Hex.string(octets)
        case .plain(.string(let text)): text
        case .plain(let value): value.line ?? ""
        }
    }

    /// The number of octets, or of the elements of a list.
    fileprivate func length(_ octetsOfValue: [UInt8]?) -> Int {
        if let octetsOfValue { return octetsOfValue.count }
        switch self {
        case .octets(let octets): return octets.count
        case .plain(.array(let elements)): return elements.count
        case .plain: return bareText.utf8.count
        }
    }
}
