// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles
package import CommandLineInterface
import Terminal

/// A template of lines over the keys of records: the value of `--format`.
///
/// `{name}\t{rssi}` is a line with a tab for each record that has both keys. A key leads into an object with a dot, or
/// with a number into an array: `{device.name}`, `{services.0}`. `{name|none}` is `none` where the name is null, and
/// does not require the key. `\t`, `\n`, `\r` and `\\` are the characters that they are in C, `{{` and `}}` are braces.
///
/// Below `decoded`, a record has the fields of its own value. A record that lacks one has no line.
package struct LineFormat: Sendable, Equatable {
    /// What becomes of a record.
    package enum Outcome: Equatable {
        case line(String)
        /// Its kind has no line.
        case none
        /// Its value lacks this key.
        case lacking(String)
    }

    /// The key below which the keys depend on the value.
    package static let openKey = "decoded"

    private enum Piece: Sendable, Equatable {
        case text(String)
        case value(Field)
    }

    private struct Field: Sendable, Equatable {
        let path: [String]
        /// The text where the value is null or absent.
        let fallback: String?

        var text: String { path.joined(separator: ".") }
    }

    private var pieces: [Piece] = []
    /// The kinds of records that have a line, each with the paths of the values; `nil` for a value that the kind does
    /// not have.
    private var kinds: [String: [[String]?]] = [:]

    private var fields: [Field] {
        pieces.compactMap { if case .value(let field) = $0 { field } else { nil } }
    }

    /// The paths of the fields of values, below `decoded`.
    package var fieldPaths: [[String]] {
        fields.compactMap { field in
            field.path.count > 1 && field.path.first == Self.openKey ? Array(field.path.dropFirst()) : nil
        }
    }

    // MARK: - Parsing

    /// Parses a template; `init(_:for:)` checks its keys.
    package init(_ template: String) throws(ValueProblem) {
        var literal = ""
        var rest = template[...]
        while let character = rest.popFirst() {
            switch character {
            case "\\":
                switch rest.popFirst() {
                case "t": literal += "\t"
                case "n": literal += "\n"
                case "r": literal += "\r"
                case "\\": literal += "\\"
                default: throw ValueProblem(expectation: "a backslash stands before t, n, r or another one")
                }
            case "{" where rest.first == "{", "}" where rest.first == "}":
                literal.append(character)
                rest.removeFirst()
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    throw ValueProblem(expectation: "a key ends with a brace; {{ is a brace itself")
                }
                if !literal.isEmpty { pieces.append(.text(literal)) }
                literal = ""
                pieces.append(.value(try Self.field(rest[..<end])))
                rest = rest[rest.index(after: end)...]
            default: literal.append(character)
            }
        }
        if !literal.isEmpty { pieces.append(.text(literal)) }
        guard !fields.isEmpty else { throw ValueProblem(expectation: "expected a key in braces, such as {name}") }
    }

    private static func field(_ text: Substring) throws(ValueProblem) -> Field {
        let parts = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        let path = (parts.first ?? "").split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !path.contains("") else { throw ValueProblem(expectation: "expected a key between the braces") }
        return Field(path: path, fallback: parts.count > 1 ? String(parts[1]) : nil)
    }

    /// A template for the records of a command. Throws if no record of it can have a line.
    ///
    /// - Parameters:
    ///   - records: The kinds of records that the command prints.
    ///   - hasTiming: Whether these are the records with the timing of the run.
    ///   - decoded: Returns the fields of the values as far as they are known, for the suggestion.
    package init(
        _ template: String,
        for command: CommandName,
        printing records: [RecordSchema],
        hasTiming: Bool = false,
        decoded: () -> [FieldDescription] = { [] }
    ) throws(ValueProblem) {
        try self.init(template)
        guard hasTiming || !fields.contains(where: { $0.path.first == RecordSchema.timingName }) else {
            throw ValueProblem(expectation: "records have the key 'timing' with '--timing' only")
        }
        for field in fields where records.allSatisfy({ $0.resolved(field.path) == nil }) {
            throw ValueProblem(
                expectation: "no record of '\(command.rawValue)' has the key '\(field.text)'",
                suggestion: Self.decodedKey(for: field.path, among: decoded())
                    ?? Self.suggestion(for: field.path, among: records)
            )
        }
        for record in records {
            let paths = fields.map { record.resolved($0.path) }
            let isWhole = zip(fields, paths).allSatisfy { $0.fallback != nil || $1 != nil }
            if isWhole { kinds[record.type] = paths }
        }
        guard !kinds.isEmpty else {
            let lacks = records.map { record in
                (record, fields.filter { $0.fallback == nil && record.resolved($0.path) == nil })
            }
            // The record that is meant has most of them.
            let nearest = lacks.min { $0.1.count < $1.1.count }
            let lack = nearest?.1.first.map { ": '\(nearest?.0.type ?? "")' has no '\($0.text)'" } ?? ""
            throw ValueProblem(
                expectation:
                    "no record of '\(command.rawValue)' has all of these keys\(lack); {key|} does not require its key",
                suggestion: nearest.flatMap { record, fields in
                    fields.first.flatMap { Self.suggestion(for: $0.path, among: [record]) }
                }
            )
        }
    }

    /// The key of a field of the values, which was given without `decoded`; `nil` if the values have no such field.
    private static func decodedKey(for path: [String], among fields: [FieldDescription]) -> String? {
        guard let name = path.first, fields.haveField(at: path[...]) else { return nil }
        let key = fields.map(\.key).first { name.means($0) } ?? name
        return ([openKey, key] + path.dropFirst()).joined(separator: ".")
    }

    private static func suggestion(for path: [String], among records: [RecordSchema]) -> String? {
        guard let last = path.last else { return nil }
        let places = records.compactMap { RecordType.object($0.allKeys).object(at: path.dropLast()) }
        let words = places.flatMap { place in place.keys.map { (place.path + [$0.name], $0.name) } }
        guard let near = Suggestion.closest(to: last, among: words.map(\.1)) else { return nil }
        return words.first { $0.1 == near }?.0.joined(separator: ".")
    }

    /// The first required key that none of these kinds of records has; `nil` if one of them has a line.
    package func key(lackingIn records: [RecordSchema]) -> String? {
        guard !records.contains(where: { kinds[$0.type] != nil }) else { return nil }
        let required = fields.filter { $0.fallback == nil }
        let lacking = required.first { field in records.allSatisfy { $0.resolved(field.path) == nil } }
        return (lacking ?? required.first)?.text
    }

    /// The first required key that a kind of records lacks, so that no line would be printed, although another kind has
    /// it, and the keys for which it may stand; `nil` if there is none.
    package func key(lackingIn own: RecordSchema, butIn other: RecordSchema) -> (key: String, similar: [String])? {
        let lacking = fields.first { $0.fallback == nil && own.resolved($0.path) == nil }
        guard let lacking, kinds[own.type] == nil, kinds[other.type] != nil else { return nil }
        return (lacking.text, own.keys.map(\.name).filter { $0.hasPrefix("\(lacking.text)_") })
    }

    // MARK: - Writing

    /// The line of a record, or why it has none.
    package func line(_ record: JSONValue) -> Outcome {
        guard let paths = record.text(at: "type").flatMap({ kinds[$0] }) else { return .none }
        var line = ""
        var remaining = paths[...]
        for piece in pieces {
            switch piece {
            case .text(let text): line += text
            case .value(let field):
                let path = remaining.popFirst() ?? nil
                if let path, field.fallback == nil, path.first == Self.openKey, record.lacksMember(at: path[...]) {
                    return .lacking(field.text)
                }
                line += path.flatMap { record[$0[...]]?.line } ?? field.fallback ?? ""
            }
        }
        return .line(line)
    }
}

extension RecordSchema {
    /// A path with the names of its keys as records of the kind have them; `nil` if they have none such.
    fileprivate func resolved(_ path: [String]) -> [String]? { RecordType.object(allKeys).resolved(path[...]) }
}

extension RecordType {
    /// The keys of the object at a path of keys and of indices into arrays, and the path with the index that it lacks;
    /// `nil` if there is no object.
    fileprivate func object(at path: ArraySlice<String>) -> (keys: [RecordKey], path: [String])? {
        switch self {
        case .object:
            guard let name = path.first else { return (allKeys, []) }
            guard let place = allKeys.first(where: { $0.name == name })?.type.object(at: path.dropFirst()) else {
                return nil
            }
            return (place.keys, [name] + place.path)
        case .array(let element):
            let index = path.first.flatMap { UInt($0) == nil ? nil : $0 }
            guard let place = element.object(at: index == nil ? path : path.dropFirst()) else { return nil }
            return (place.keys, [index ?? "0"] + place.path)
        case .optional(let type): return type.object(at: path)
        case .string, .time, .hex, .uuid, .integer, .number, .boolean, .any: return nil
        }
    }

    /// The path with the full names of its keys, because a unit at the end of a name may be left out; `nil` if the
    /// type has no such field.
    fileprivate func resolved(_ path: ArraySlice<String>) -> [String]? {
        guard let name = path.first else { return [] }
        let rest = path.dropFirst()
        switch self {
        case .object(let keys, let isOpen):
            guard let key = keys.first(where: { $0.name == name || $0.nameWithoutUnit == name }) else {
                // The unit is found when the record is there, because its kind decides.
                return isOpen && hasPart(at: path) ? Array(path) : nil
            }
            return key.type.resolved(rest).map { [key.name] + $0 }
        case .array(let element): return UInt(name) == nil ? nil : element.resolved(rest).map { [name] + $0 }
        case .optional(let type): return type.resolved(path)
        case .any: return Array(path)
        case .string, .time, .hex, .uuid, .integer, .number, .boolean: return nil
        }
    }
}

extension RecordKey {
    /// The ends of the names of fractional numbers that are their units.
    private static let fractionalUnits = ["_ms", "_kbps", "_per_s"]

    fileprivate var nameWithoutUnit: String? {
        switch type {
        case .integer(let unit?) where name.hasSuffix("_\(unit.lowercased())"):
            String(name.dropLast(unit.utf8.count + 1))
        case .number:
            Self.fractionalUnits.first { name.hasSuffix($0) }.map { String(name.dropLast($0.utf8.count)) }
        default: nil
        }
    }
}
