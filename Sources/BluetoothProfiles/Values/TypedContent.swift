// SPDX-License-Identifier: MIT

import Bluetooth

/// The reason why words cannot be parsed as content of a format.
public enum TypedContentError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A word is not an assignment, and there are several fields or several words.
    case notAssigned(String, keys: [String])
    /// No field has this key. Near ones first, or all if none is near.
    case unknownField(String, near: [String], all: [String])
    /// A key fits several fields.
    case ambiguousField(String, keys: [String])
    /// A field is assigned twice.
    case assignedTwice(String)
    /// The index of an array is missing, is not a number, or leaves out elements.
    case badIndex(String)
    /// A field holds no truth value.
    case notBool(String, text: String)
    /// A part of a field is assigned that has none: `heart_rate_bpm[0]`.
    case hasNoParts(String)
    /// An object is written by its members.
    case isObject(String, keys: [String])

    /// The sentence, without a full stop.
    public var description: String {
        switch self {
        case .notAssigned(let word, let keys):
            keys.count == 1
                ? "'\(word)' is not FIELD=VALUE, and the only field takes one value: \(keys.joined())"
                : "'\(word)' is not FIELD=VALUE, and there are several fields: \(keys.joined(separator: ", "))"
        case .unknownField(let key, let near, let all):
            near.isEmpty
                ? "there is no field '\(key)'" + (all.isEmpty ? "" : "; there is \(all.joined(separator: ", "))")
                : "there is no field '\(key)'; did you mean \(near.joined(separator: " or "))?"
        case .ambiguousField(let key, let keys): "'\(key)' may be \(keys.joined(separator: " or "))"
        case .assignedTwice(let key): "'\(key)' is given twice"
        case .badIndex(let key): "'\(key)' needs the index of an element, from 0 without a gap: \(key)[0]"
        case .notBool(let key, let text): "\(key.isEmpty ? "" : "\(key): ")'\(text)' is not true or false"
        case .hasNoParts(let key): "'\(key)' is given as a whole: \(key)=…"
        case .isObject(let key, let keys):
            "'\(key)' has members of its own: \(keys.map { "\(key).\($0)=…" }.joined(separator: ", "))"
        }
    }
}

extension CharacteristicFormat {
    /// Parses content as a person types it: `88`, `high`, `2026-11-22T10:00:00`, or fields in any order,
    /// `heart_rate_bpm=72 contact=true rr_intervals_ms=812,815`.
    ///
    /// A field is named by its key, with or without its unit, and with hyphens or underscores. The elements of an array
    /// are separated by commas, or given one by one in their order: `rr_intervals_ms[0]=812`. Members of objects and of
    /// their arrays have a path: `records[0].glucose_mg_per_dl=5.2`.
    /// `encode` checks whether the format can hold the content.
    public func content(of words: [String]) throws(TypedContentError) -> DecodedValue.Content {
        let fields = fields.filter { !$0.isOfEarlierEdition }
        if let only = loneField, words.count == 1, let word = words.first,
            isText || assignment(word, to: fields) == nil
        {
            return try TypedContent.content(of: word, only, at: only.key)
        }
        var root = TypedContent.Object(fields)
        for word in words {
            guard let (path, text) = Self.assignment(word) else {
                throw .notAssigned(word, keys: fields.map(\.key))
            }
            try root.assign(text, to: path[...], at: "")
        }
        return root.content
    }

    /// The field that a value without a name is for: the only one, or the one beside which there is only its name, as
    /// `appearance` and `appearance_name`. `nil` if there are several.
    var loneField: FieldDescription? {
        let fields = fields.filter { !$0.isOfEarlierEdition }
        let isNamed = fields.count == 2 && fields[1].key == "\(fields[0].key)_name"
        return fields.count == 1 || isNamed ? fields.first : nil
    }

    /// The assignment that a word is, if its first key is that of a field.
    private func assignment(_ word: String, to fields: [FieldDescription]) -> ([TypedContent.Step], String)? {
        guard let (path, text) = Self.assignment(word), let key = path.first?.key else { return nil }
        return TypedContent.matches(key, fields).isEmpty ? nil : (path, text)
    }

    /// The path and the text of `key.key[0]=text`; `nil` for another text.
    private static func assignment(_ word: String) -> ([TypedContent.Step], String)? {
        guard let sign = word.firstIndex(of: "=") else { return nil }
        var path: [TypedContent.Step] = []
        for part in word[..<sign].split(separator: ".", omittingEmptySubsequences: false) {
            guard let bracket = part.firstIndex(of: "[") else {
                path.append(TypedContent.Step(key: String(part), index: nil))
                continue
            }
            guard part.last == "]", let index = Int(part[part.index(after: bracket)...].dropLast()) else { return nil }
            path.append(TypedContent.Step(key: String(part[..<bracket]), index: index))
        }
        return (path, String(word[word.index(after: sign)...]))
    }
}

/// Contents while they are put together of words.
enum TypedContent {
    /// A step to a part of the content: `records[0]`.
    struct Step: Hashable {
        let key: String
        let index: Int?
    }

    /// An object whose members are assigned one after the other.
    struct Object {
        private let fields: [FieldDescription]
        private var members: [String: Member] = [:]

        private enum Member {
            case content(DecodedValue.Content)
            case object(Object)
            case objects([Object])
            case elements([DecodedValue.Content])
        }

        init(_ fields: [FieldDescription]) { self.fields = fields }

        /// The members in the order of the format.
        var content: DecodedValue.Content {
            .object(
                fields.compactMap { field in
                    switch members[field.key] {
                    case .content(let content): .init(field.key, content)
                    case .object(let object): .init(field.key, object.content)
                    case .objects(let objects): .init(field.key, .array(objects.map(\.content)))
                    case .elements(let elements): .init(field.key, .array(elements))
                    case nil: nil
                    }
                }
            )
        }

        /// Assigns a text to a field, step by step along its path. Elements of an array are given in order, because
        /// none may be missing between two.
        mutating func assign(
            _ text: String,
            to path: ArraySlice<Step>,
            at place: String
        ) throws(TypedContentError) {
            guard let step = path.first else { return }
            let field = try TypedContent.field(step.key, fields)
            let here = place.isEmpty ? field.key : "\(place).\(field.key)"
            let rest = path.dropFirst()
            if rest.isEmpty, step.index == nil {
                guard members[field.key] == nil else { throw .assignedTwice(here) }
                members[field.key] = .content(try TypedContent.content(of: text, field, at: here))
                return
            }
            switch (field.kind, step.index) {
            case (.object, nil):
                var object = Object(field.members)
                if case .object(let known) = members[field.key] { object = known }
                try object.assign(text, to: rest, at: here)
                members[field.key] = .object(object)
            case (.array, let index?) where !field.elementMembers.isEmpty:
                var objects: [Object] = []
                if case .objects(let known) = members[field.key] { objects = known }
                if index == objects.count { objects.append(Object(field.elementMembers)) }
                guard objects.indices.contains(index) else { throw .badIndex(here) }
                try objects[index].assign(text, to: rest, at: "\(here)[\(index)]")
                members[field.key] = .objects(objects)
            case (.array, let index?) where rest.isEmpty:
                members[field.key] = .elements(try elements(of: field, with: text, at: index, here))
            case (.array, nil): throw .badIndex(here)
            case (.array, _): throw .hasNoParts("\(here)[0]")
            default: throw .hasNoParts(here)
            }
        }

        /// The elements of a list of plain values with one more after them.
        private func elements(
            of field: FieldDescription,
            with text: String,
            at index: Int,
            _ place: String
        ) throws(TypedContentError) -> [DecodedValue.Content] {
            guard let element = field.members.first else { throw .hasNoParts(place) }
            var elements: [DecodedValue.Content] = []
            switch members[field.key] {
            case .elements(let known): elements = known
            case nil: break
            case .content, .object, .objects: throw .assignedTwice(place)
            }
            guard index >= elements.count else { throw .assignedTwice("\(place)[\(index)]") }
            guard index == elements.count else { throw .badIndex(place) }
            return elements + [try TypedContent.content(of: text, element, at: "\(place)[\(index)]")]
        }
    }

    /// The fields that a key may mean: the one of that key or name, or those that it is without the unit.
    static func matches(_ key: String, _ fields: [FieldDescription]) -> [FieldDescription] {
        let wanted = NameKey(key.utf8)
        let exact = fields.filter { NameKey($0.key.utf8) == wanted }
        return exact.isEmpty ? fields.filter { NameKey($0.name.utf8) == wanted } : exact
    }

    private static func field(
        _ key: String,
        _ fields: [FieldDescription]
    ) throws(TypedContentError) -> FieldDescription {
        let found = matches(key, fields)
        if let field = found.first, found.count == 1 { return field }
        let keys = fields.map(\.key)
        guard found.isEmpty else { throw .ambiguousField(key, keys: found.map(\.key)) }
        throw .unknownField(key, near: keys.near(key), all: keys)
    }

    /// The content of one field, as its kind asks for.
    static func content(
        of text: String,
        _ field: FieldDescription,
        at place: String
    ) throws(TypedContentError) -> DecodedValue.Content {
        switch field.kind {
        case .number:
            // A text may be the name of a special value, which `encode` checks.
            return number(text, field.unit).map { .number($0) } ?? .string(text)
        case .choice:
            return DecimalNumber(text).map { .number($0) } ?? .string(choice(text, among: field.choices))
        case .bool:
            switch text.lowercased() {
            case "true", "yes", "on", "1": return .bool(true)
            case "false", "no", "off", "0": return .bool(false)
            default: throw .notBool(place, text: text)
            }
        case .flags:
            if let number = DecimalNumber(text) { return .number(number) }
            return .array(parts(text).map { .string(choice($0, among: field.choices)) })
        case .date, .text, .hex:
            return .string(text)
        case .array:
            let members = field.elementMembers
            guard members.isEmpty, let element = field.members.first else {
                throw .isObject("\(place)[0]", keys: members.map(\.key))
            }
            var contents: [DecodedValue.Content] = []
            for part in parts(text) { contents.append(try content(of: part, element, at: place)) }
            return .array(contents)
        case .object:
            throw .isObject(place, keys: field.members.map(\.key))
        }
    }

    /// More characters than any unit has, so that a long text takes no long search.
    private static let longestUnit = 24

    /// A number, with or without the unit of its field behind it: `50`, `50 %`, `21.5C`. `nil` for another text, and for
    /// another unit.
    private static func number(_ text: String, _ unit: String) -> DecimalNumber? {
        if let number = DecimalNumber(text) { return number }
        guard !unit.isEmpty else { return nil }
        if unit == FieldUnit.minutes.symbol, text.hasPrefix("UTC") { return minutes(ofTimeZone: text.dropFirst(3)) }
        let wanted = FieldUnit.letters(unit)
        // The unit is the shortest ending that is it: what comes before it is a number, or nothing fits.
        for index in text.indices.suffix(longestUnit).reversed() where FieldUnit.letters(text[index...]) == wanted {
            var digits = text[..<index]
            while digits.last == " " { digits.removeLast() }
            if let number = DecimalNumber(String(digits)) { return number }
        }
        return nil
    }

    /// The minutes of a time zone as it is printed: `+02:00` behind `UTC`.
    private static func minutes(ofTimeZone text: Substring) -> DecimalNumber? {
        let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        guard let sign = text.first, sign == "+" || sign == "-", parts.count == 2, let hours = UInt8(parts[0]),
            let minutes = UInt8(parts[1]), minutes < 60
        else { return nil }
        let total = Int(hours) * 60 + Int(minutes)
        return DecimalNumber(sign == "-" ? -total : total)
    }

    /// The choice that a text means: the one of that name, or the only one that begins with it, as `high` of `high
    /// alert`. A text that means none is returned as it is.
    private static func choice(_ text: String, among names: [String]) -> String {
        let wanted = NameKey(text.utf8)
        guard !wanted.octets.isEmpty, !names.contains(where: { NameKey($0.utf8) == wanted }) else { return text }
        let beginning = names.filter { NameKey($0.utf8).octets.starts(with: wanted.octets) }
        return beginning.count == 1 ? beginning[0] : text
    }

    /// The parts of a list, separated by commas, or by plus signs with blanks as `read` prints them; none of an empty
    /// text.
    private static func parts(_ text: String) -> [String] {
        let text = text == "none" ? "" : text
        let parts = text.contains(text: " + ") ? text.split(at: " + ") : text.split(separator: ",")
        return parts.map { part in
            var part = part
            while part.first == " " { part.removeFirst() }
            while part.last == " " { part.removeLast() }
            return String(part)
        }
    }
}

extension FieldDescription {
    fileprivate var elementMembers: [FieldDescription] {
        guard let element = members.first, members.count == 1, element.key.isEmpty else { return members }
        return element.members
    }
}
