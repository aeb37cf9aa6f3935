// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothProfiles
import CommandLineInterface
package import Records
import Terminal
package import Toolkit

/// The variables of a script that runs: texts, and the records of steps.
package struct ScriptVariables: Sendable {
    private var records: [String: JSONValue]
    private let environment: [String: String]
    package let keys: [RecordKey]

    /// - Parameters:
    ///   - texts: The variables that are set already.
    ///   - environment: The variables of the process.
    ///   - keys: The keys of all records, for names that are mistyped.
    init(_ texts: [String: String] = [:], environment: [String: String] = [:], keys: [RecordKey]) {
        self.keys = keys
        records = texts.mapValues { .string($0) }
        self.environment = environment
    }

    package mutating func set(_ name: String, to text: String) { records[name] = .string(text) }

    package mutating func set(_ name: String, to record: JSONValue) { records[name] = record }

    /// The object of a condition on the word: the whole record if the word is one variable, else the text. Throws for
    /// a field that no record can have.
    ///
    /// - Parameter formats: The names and formats of private characteristics, beside the assigned ones.
    package func subject(
        _ word: ScriptWord,
        in formats: FormatCatalogue = .assigned
    ) throws(BlectlError) -> ConditionSubject {
        if word.parts.count == 1, case .variable(let name, let path) = word.parts[0] {
            guard let record = records[name] else { throw missing(name, word) }
            guard !path.isEmpty else { return ConditionSubject(record: record) }
            let subject = ConditionSubject(record: record)
            guard let content = subject.content(at: path) else {
                // A field that is missing this time is `null` here, so that `absent` can be met. Within a text it would
                // be an error, and so is a mistyped name here.
                guard subject.canHave(path, in: formats, keys) else { throw noField(path, of: name, subject) }
                return ConditionSubject(record: .null)
            }
            switch content {
            // A record with nothing else, because as a text its digits could be taken for a number.
            case .octets(let octets):
                return ConditionSubject(record: .object([.init("value", .string(Hex.string(octets)))]))
            case .plain(let value): return ConditionSubject(record: value)
            }
        }
        return ConditionSubject(record: .string(try text(word)))
    }

    package func text(_ word: ScriptWord) throws(BlectlError) -> String {
        var text = ""
        for part in word.parts {
            switch part {
            case .literal(let literal): text += literal
            case .environment(let name):
                guard let value = environment[name] else {
                    throw BlectlError(.badData, "there is no environment variable \(Prose.quoted(name))")
                }
                text += value
            case .variable(let name, let path): text += try value(of: name, path, word)
            }
        }
        return text
    }

    /// The text of a variable, or of a field in its record. Throws with the names of the fields if it has no such
    /// field.
    private func value(of name: String, _ path: [String], _ word: ScriptWord) throws(BlectlError) -> String {
        guard let record = records[name] else { throw missing(name, word) }
        let subject = ConditionSubject(record: record)
        guard let content = path.isEmpty ? subject.value : subject.content(at: path) else {
            throw noField(path, of: name, subject)
        }
        switch content {
        // With `0x`, so that digits are not taken for a number where they are written.
        case .octets(let octets): return octets.isEmpty ? "" : "0x\(Hex.string(octets))"
        case .plain(.string(let text)): return text
        case .plain(let value): return value.line ?? ""
        }
    }

    /// The error that a variable has no such field, or no value if the path is empty, with the fields that it has.
    private func noField(_ path: [String], of name: String, _ subject: ConditionSubject) -> BlectlError {
        let field = path.joined(separator: ".")
        let problem = path.isEmpty ? "has no value" : "has no field \(Prose.quoted(field))"
        let several = subject.ambiguousNames(at: path)
        let names = subject.names(near: path)
        let similar = several.isEmpty ? path.last.flatMap { Suggestion.closest(to: $0, among: names) } : nil
        var hint = names.isEmpty ? nil : "there are \(Prose.list(Array(names.prefix(20)), "and"))"
        if !several.isEmpty { hint = "it may be \(Prose.list(several, "or"))" }
        return BlectlError(
            .badData,
            "the variable \(Prose.quoted(name)) \(problem)" + (similar.map { "; did you mean '\($0)'?" } ?? ""),
            hint: hint
        )
    }

    private func missing(_ name: String, _ word: ScriptWord) -> BlectlError {
        // Sorted, because the order of a dictionary differs from run to run, and of several similar names the first is
        // taken.
        let similar = Suggestion.closest(to: name, among: records.keys.sorted())
        return BlectlError(
            .badData,
            "there is no variable \(Prose.quoted(name))" + (similar.map { "; did you mean '\($0)'?" } ?? "")
        )
    }
}

extension ConditionSubject {
    /// Whether a record of the kind of this one can have a field at the path, although this one has not.
    fileprivate func canHave(_ path: [String], in formats: FormatCatalogue, _ keys: [RecordKey]) -> Bool {
        // A text has no fields.
        guard case .object = record else { return false }
        // A name that may mean several fields means none of them. The values of descriptors have formats of their own.
        guard ambiguousNames(at: path).isEmpty else { return false }
        return isDescriptor || KnownFields(formats: formats, keys: keys).contain(path)
    }
}
