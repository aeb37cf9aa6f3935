// SPDX-License-Identifier: MIT

import Bluetooth

/// Compares a JSON text with the schema, and reports every difference.
struct SchemaValidator {
    private(set) var faults: FaultCollector

    mutating func check(_ cursor: JSONCursor, _ kind: SchemaKind) {
        guard !faults.isFull else { return }
        switch (kind, cursor.node.content) {
        case (.type(let name), _): check(cursor, DeviceSchema.type(name).kind)
        case (.anyOf(let forms), _): check(cursor, anyOf: forms)
        case (.null, .null), (.bool, .bool), (.onlyTrue, .bool(true)), (.number, .number): break
        case (.integer(let range), .number):
            guard let number = cursor.integer, range.contains(number) else { return addFault(cursor, kind) }
        case (.words(let words), .string(let text)):
            guard words.contains(where: { $0.isSpelled(text) }) else { return addFault(cursor, kind) }
        case (.text(let form), .string(let text)):
            if let problem = form.problem(text) { faults.add(cursor, problem) }
        case (.list(let kind, let count), .array(let nodes)):
            guard count.contains(nodes.count) else {
                return addFault(cursor, kind: .list(kind, count: count), nodes.count)
            }
            for element in cursor.list { check(element, kind) }
        case (.tuple(let kinds), .array(let nodes)):
            guard nodes.count == kinds.count else { return addFault(cursor, kind: kind, nodes.count) }
            for (element, kind) in zip(cursor.list, kinds) { check(element, kind) }
        case (.object(let object), .object): check(cursor, object)
        case (.map(let kind), .object), (.fields(let kind), .object):
            checkKeys(cursor)
            for (_, member) in cursor.members { check(member, kind) }
        default: addFault(cursor, kind)
        }
    }

    private mutating func addFault(_ cursor: JSONCursor, _ kind: SchemaKind) {
        if case .text(.secret) = kind { return faults.add(cursor, "expected \(kind.allowed) in quotes") }
        // The only word that is allowed is in the sentence already.
        let isOnlyWord = if case .words(let words) = kind { words.count == 1 } else { false }
        let hint = isOnlyWord ? nil : cursor.string.map { FileName.hint($0, among: kind.words) }
        faults.add(cursor, "expected \(kind.allowed), found \(cursor.quoted)" + (hint ?? ""))
    }

    /// Reports a list with that number of elements, which is too small or too large.
    private mutating func addFault(_ cursor: JSONCursor, kind: SchemaKind, _ count: Int) {
        let found = count == 0 ? "an empty list" : "a list of \(count: count, "element")"
        faults.add(cursor, "expected \(kind.allowed), found \(found)")
    }

    // MARK: - Objects

    /// Reports keys that occur twice.
    private mutating func checkKeys(_ cursor: JSONCursor) {
        var seen: Set<String> = []
        for (key, value) in cursor.members where !seen.insert(key).inserted {
            faults.add(value, "the key occurs twice")
        }
    }

    private mutating func check(_ cursor: JSONCursor, _ object: SchemaObject) {
        checkKeys(cursor)
        var missing = object.members.filter(\.isRequired)
        for (key, value) in cursor.members {
            guard !faults.isFull else { return }
            guard let member = object.members.first(where: { $0.key == key }) else {
                let keys = object.members.map(\.key)
                let near = FileName.hint(key, among: keys)
                // A longer list would hide the message.
                let all = keys.count <= 12 ? "; there is \(keys.joined(separator: ", "))" : ""
                faults.add(value, "unknown key" + (near.isEmpty ? all : near))
                continue
            }
            missing.removeAll { $0.key == key }
            check(value, member.kind)
        }
        for member in missing {
            faults.add(cursor, "the member '\(member.key)' is missing: \(member.kind.allowed)")
        }
    }

    // MARK: - One of several forms

    private mutating func check(_ cursor: JSONCursor, anyOf forms: [SchemaForm]) {
        let kinds = forms.flatMap(\.kind.forms)
        let fitting = kinds.filter { $0.fits(cursor.node.content) }
        switch cursor.node.content {
        case .object:
            guard let kind = objectKind(of: cursor, among: fitting) else { break }
            return check(cursor, kind)
        case .string(let text):
            let isWord = fitting.contains { $0.words.contains(text) }
            let isText = fitting.contains { if case .text(let form) = $0 { form.problem(text) == nil } else { false } }
            if isWord || isText { return }
        case .number:
            let isNumber = fitting.contains { kind in
                guard case .integer(let range) = kind else { return true }
                return cursor.integer.map(range.contains) ?? false
            }
            if isNumber { return }
        default: break
        }
        // The only form of that JSON type is the one that was meant, and its own faults say more than a list of all
        // forms.
        if let only = fitting.first, fitting.count == 1 { return check(cursor, only) }
        addFault(cursor, .anyOf(kinds.map { SchemaForm($0, "") }))
    }

    /// The kind of object that a member identifies; otherwise the only one without an identifying member.
    private func objectKind(of cursor: JSONCursor, among kinds: [SchemaKind]) -> SchemaKind? {
        let hasFields = kinds.contains { if case .fields = $0 { true } else { false } }
        let identified = kinds.first { kind in
            guard case .object(let object) = kind, let marker = object.marker, let value = cursor[marker] else {
                return false
            }
            // A field of a characteristic may have the same name, but not the same kind of content.
            let member = object.members.first { $0.key == marker }
            return !hasFields || member?.kind.forms.contains { $0.identifies(value.node.content) } ?? true
        }
        return identified
            ?? kinds.first { kind in
                switch kind {
                case .object(let object): object.marker == nil
                case .map, .fields: true
                default: false
                }
            }
    }
}

extension SchemaKind {
    /// The kinds without references and alternatives.
    fileprivate var forms: [SchemaKind] {
        switch self {
        case .type(let name): DeviceSchema.type(name).kind.forms
        case .anyOf(let forms): forms.flatMap(\.kind.forms)
        default: [self]
        }
    }

    /// Whether it is the content of a generator's member, and not of a field with the same name.
    fileprivate func identifies(_ content: JSONNode.Content) -> Bool {
        // A time begins with a digit, and the clock of Elapsed Time is a choice.
        if case .text(.duration) = self, case .string(let text) = content { return text.first?.isNumber == true }
        return fits(content)
    }

    fileprivate func fits(_ content: JSONNode.Content) -> Bool {
        switch (self, content) {
        case (.null, .null), (.bool, .bool), (.onlyTrue, .bool), (.number, .number), (.integer, .number),
            (.words, .string), (.text, .string), (.list, .array), (.tuple, .array), (.object, .object),
            (.map, .object), (.fields, .object):
            true
        default: false
        }
    }

    fileprivate var words: [String] {
        switch self {
        case .words(let words): words.map(\.name)
        case .anyOf(let forms): forms.flatMap(\.kind.words)
        default: []
        }
    }

    /// The allowed values, to follow "expected".
    var allowed: String {
        switch self {
        case .null: return "null"
        case .bool: return "true or false"
        case .onlyTrue: return "true"
        case .integer(let range) where range == .min ... .max: return "a whole number"
        case .integer(let range): return "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number: return "a number"
        case .words(let words): return Self.either(words.map { "'\($0.name)'" })
        case .text(let form): return form.allowed
        case .list(let kind, let count):
            let limit =
                count.lowerBound > 0
                ? " of \(count.lowerBound) to \(count.upperBound) elements"
                : count.upperBound < 1_000_000 ? " of at most \(count.upperBound) elements" : ""
            if case .words(let words) = kind { return "a list" + limit + " of " + Self.either(words.map(\.name)) }
            return "a list" + limit
        case .tuple(let kinds): return "a list of \(kinds.count) elements"
        case .object(let object):
            return object.marker.map { "an object with '\($0)'" } ?? "an object"
        case .map, .fields: return "an object"
        case .type(let name): return DeviceSchema.type(name).kind.allowed
        case .anyOf(let forms):
            let kinds = forms.flatMap(\.kind.forms)
            let markers = kinds.compactMap { kind in
                if case .object(let object) = kind { object.marker } else { nil }
            }
            guard markers.count > 2 else { return Self.either(kinds.map(\.allowed)) }
            let others = kinds.filter { kind in
                if case .object(let object) = kind { object.marker == nil } else { true }
            }
            return Self.either(
                others.map(\.allowed) + ["an object with one of " + markers.joined(separator: ", ")]
            )
        }
    }

    private static func either(_ parts: [String]) -> String {
        var unique: [String] = []
        for part in parts where !unique.contains(part) { unique.append(part) }
        guard let last = unique.last, unique.count > 1 else { return unique.first ?? "nothing" }
        return unique.dropLast().joined(separator: ", ") + " or " + last
    }
}
