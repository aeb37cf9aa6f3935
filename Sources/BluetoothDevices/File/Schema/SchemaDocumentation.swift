// SPDX-License-Identifier: MIT

import BluetoothProfiles

/// The documentation of the format of device files, made from the table by which the reader checks them.
///
/// Texts have the markup of the command table: text between backticks is typed.
public enum DeviceFileReference {
    /// A type of value with its members and forms.
    public struct Section: Sendable, Equatable {
        /// The name by which others refer to the type: `CHARACTERISTIC`.
        public let name: String
        /// The description, in sentences.
        public let prose: [String]
        /// Its members, or its forms.
        public let entries: [Entry]
    }

    /// A member, a form or a word.
    public struct Entry: Sendable, Equatable {
        /// The term as it is written: `"uuid"`.
        public let term: String
        /// The type of the value of a member: `a UUID`; empty for a form and a word.
        public let type: String
        /// The meaning, in sentences; may be empty.
        public let text: String
        /// Its members and words.
        public let entries: [Entry]
    }

    /// The types of a device file, the file itself first.
    public static var device: [Section] { DeviceSchema.types.map { Section($0, referringTo: DeviceSchema.generator) } }

    /// The types of a format file, the file itself first.
    public static var formats: [Section] {
        let names = FieldDefinition.Integer.allCases.map { "`\($0.rawValue)`" }
        let prose = "A type of integers, as a text: \(names.joined(separator: ", "))."
        return FormatSchema.types.map { Section($0) } + [Section(name: integers, prose: [prose], entries: [])]
    }

    /// The name of the types of integers, which stands for their words.
    fileprivate static let integers = "INTEGER"

    /// The types of a key file, the file itself first.
    public static var keys: [Section] { KeySchema.types.map { Section($0) } }
}

extension DeviceFileReference.Section {
    /// - Parameter shared: A type whose forms other types have, too, and which is described once.
    init(_ type: SchemaType, referringTo shared: SchemaType? = nil) {
        let forms = type.name == shared?.name ? [] : shared?.kind.markers ?? []
        self.init(
            name: type.name.rawValue,
            prose: type.prose,
            entries: type.kind.replacing(forms, by: shared?.name).entries
        )
    }

    init(name: String, prose: [String], _ kind: SchemaKind) {
        self.init(name: name, prose: prose, entries: kind.entries)
    }
}

extension SchemaKind {
    /// The members or the forms of a value.
    fileprivate var entries: [DeviceFileReference.Entry] {
        switch self {
        case .object(let object): object.members.map(\.entry)
        case .words(let words):
            words.filter { !$0.prose.isEmpty }.map {
                .init(term: "\"\($0.name)\"", type: "", text: $0.prose.sentence, entries: [])
            }
        case .anyOf(let forms):
            SchemaForm.entries(of: forms)
        case .list(let kind, _), .map(let kind): kind.isInline ? kind.entries : []
        case .null, .bool, .onlyTrue, .integer, .number, .text, .tuple, .fields, .type: []
        }
    }

    /// The members by which its forms are recognised.
    fileprivate var markers: Set<String> {
        guard case .anyOf(let forms) = self else { return [] }
        return Set(forms.compactMap { if case .object(let object) = $0.kind { object.marker } else { nil } })
    }

    /// The kind with a reference to a type in the place of the forms that it has of that.
    fileprivate func replacing(_ markers: Set<String>, by type: SchemaType.Name?) -> SchemaKind {
        guard case .anyOf(let forms) = self, let type else { return self }
        let shared = forms.filter { form in
            if case .object(let object) = form.kind { object.marker.map(markers.contains) ?? false } else { false }
        }
        guard case .object(let first)? = shared.first?.kind,
            let index = forms.firstIndex(where: {
                if case .object(let form) = $0.kind { form.marker == first.marker } else { false }
            })
        else { return self }
        let hasFormat = first.members.contains { $0.key == "as" }
        var others = forms.filter { form in
            if case .object(let object) = form.kind {
                object.marker.map { !markers.contains($0) } ?? true
            } else {
                true
            }
        }
        let prose = "A number that changes\(hasFormat ? "" : ", without `as`")."
        others.insert(SchemaForm(.type(type), prose), at: index)
        return .anyOf(others)
    }

    /// Whether the value has no name by which it is described elsewhere.
    private var isInline: Bool { if case .type = self { false } else { true } }

    /// The value in a term, with references to other types.
    var synopsis: String {
        switch self {
        case .type(let name): name.rawValue
        case .object(let object):
            // Its members are described below it.
            object.marker.map { "{\"\($0)\": ...}" } ?? "{...}"
        case .list(let kind, _): "[\(kind.synopsis), ...]"
        case .tuple(let kinds): "[" + kinds.map(\.synopsis).joined(separator: ", ") + "]"
        case .map(let kind): "{\"name\": \(kind.synopsis), ...}"
        case .fields(let kind): "{\"field\": \(kind.synopsis), ...}"
        case .anyOf(let forms):
            forms.map(\.kind.synopsis).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
                .joined(separator: " | ")
        case .words(let words): Self.synopsis(of: words.map(\.name))
        case .integer(let range) where range != .min ... .max: "\(range.lowerBound) to \(range.upperBound)"
        case .text(let form): form.synopsis
        case .null, .bool, .onlyTrue, .integer, .number: allowed
        }
    }
}

extension SchemaKind {
    /// Words, with one name for those of the types of integers.
    private static func synopsis(of words: [String]) -> String {
        let integers = FieldDefinition.Integer.allCases.map(\.rawValue)
        let hasAll = Set(words).isSuperset(of: integers)
        let others = (hasAll ? words.filter { !integers.contains($0) } : words).map { "\"\($0)\"" }
        return ((hasAll ? [DeviceFileReference.integers] : []) + others).joined(separator: " | ")
    }
}

extension SchemaText {
    /// The text in a term. The pages explain once what a service, a time, a format of numbers and a range are.
    fileprivate var synopsis: String {
        switch self {
        case .any(let octets) where octets.upperBound >= DeviceFile.maximumSize: "a text"
        case .any(let octets): "a text of \(octets.lowerBound == 0 ? "0" : "1") to \(octets.upperBound) octets"
        case .hex(let octets) where octets.count > 1: "hex digits of at most \(octets.upperBound) octets"
        case .uuid(let kind): "a \(kind.rawValue)"
        case .reference: "a characteristic"
        case .duration(let range): "\(FileDuration.text(range.lowerBound)) to \(FileDuration.text(range.upperBound))"
        case .address: "an address"
        case .appearance: "an appearance"
        case .numeral: "\"0x...\""
        case .unit: "a unit"
        case .attError: "an error"
        case .numberFormat: "a format of numbers"
        case .presentationFormat: "a format type"
        default: allowed
        }
    }
}

extension SchemaForm {
    /// The members that all objects have among several that are told apart by another member.
    fileprivate static func commonMembers(of forms: [SchemaForm]) -> [SchemaMember] {
        let objects = forms.compactMap { form -> SchemaObject? in
            if case .object(let object) = form.kind, object.marker != nil { object } else { nil }
        }
        guard objects.count > 2, let first = objects.first else { return [] }
        return first.members.filter { member in
            objects.allSatisfy { $0.members.contains { $0.key == member.key && $0.prose == member.prose } }
        }
    }

    /// The entries of forms, with the members that all objects have once, behind them.
    fileprivate static func entries(of forms: [SchemaForm]) -> [DeviceFileReference.Entry] {
        let common = commonMembers(of: forms)
        guard !common.isEmpty else { return forms.flatMap { $0.entries() } }
        let further = DeviceFileReference.Entry(
            term: "{...}",
            type: "",
            text: "Further members of each of these objects.",
            entries: common.map(\.entry)
        )
        return forms.flatMap { $0.entries(leavingOut: Set(common.map(\.key))) } + [further]
    }

    fileprivate func entries(leavingOut keys: Set<String> = []) -> [DeviceFileReference.Entry] {
        switch kind {
        case .words: return kind.entries
        case .object(let object) where object.marker == nil && prose.isEmpty: return kind.entries
        default:
            guard !prose.isEmpty else { return [] }
            let members: [DeviceFileReference.Entry] =
                if case .object(let object) = kind {
                    object.members.filter { !keys.contains($0.key) }.map(\.entry)
                } else {
                    []
                }
            return [.init(term: kind.synopsis, type: "", text: prose, entries: members)]
        }
    }
}

extension SchemaMember {
    fileprivate var entry: DeviceFileReference.Entry {
        var text = isRequired ? "Required. " + prose : prose
        if let byDefault { text += " Default: \(byDefault)." }
        // Words that are all explained are not listed twice.
        let isExplained = if case .words(let words) = kind { words.allSatisfy { !$0.prose.isEmpty } } else { false }
        return .init(
            term: "\"\(key)\"",
            type: isExplained ? "a word" : kind.synopsis,
            text: text,
            entries: kind.entries
        )
    }
}

extension String {
    fileprivate var sentence: String { isEmpty ? "" : prefix(1).uppercased() + dropFirst() + "." }
}
