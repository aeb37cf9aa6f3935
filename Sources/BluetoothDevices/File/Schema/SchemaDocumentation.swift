// SPDX-License-Identifier: MIT

import Bluetooth

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
        /// The term as it is written: `"uuid": a UUID`.
        public let term: String
        /// The meaning, in sentences; may be empty.
        public let text: String
        /// Its members and words.
        public let entries: [Entry]
    }

    /// The types of a device file, the file itself first.
    public static var device: [Section] { DeviceSchema.types.map { Section($0) } }

    /// The types of a format file, the file itself first.
    public static var formats: [Section] { FormatSchema.types.map { Section($0) } }

    /// The types of a key file, the file itself first.
    public static var keys: [Section] { KeySchema.types.map { Section($0) } }
}

extension DeviceFileReference.Section {
    init(_ type: SchemaType) { self.init(name: type.name.rawValue, prose: type.prose, type.kind) }

    init(name: String, prose: [String], _ kind: SchemaKind) {
        self.name = name
        self.prose = prose
        entries = kind.entries
    }
}

extension SchemaKind {
    /// The members or the forms of a value.
    fileprivate var entries: [DeviceFileReference.Entry] {
        switch self {
        case .object(let object): object.members.map(\.entry)
        case .words(let words):
            words.contains { !$0.prose.isEmpty }
                ? words.map { .init(term: "\"\($0.name)\"", text: $0.prose.sentence, entries: []) } : []
        case .anyOf(let forms): forms.flatMap(\.entries)
        case .list(let kind, _), .map(let kind): kind.isInline ? kind.entries : []
        case .null, .bool, .onlyTrue, .integer, .number, .text, .tuple, .fields, .type: []
        }
    }

    /// Whether the value has no name by which it is described elsewhere.
    private var isInline: Bool { if case .type = self { false } else { true } }

    /// The value in a term, with references to other types.
    var synopsis: String {
        switch self {
        case .type(let name): name.rawValue
        case .object(let object):
            object.marker == nil
                ? "{...}"
                : "{" + object.members.map { "\"\($0.key)\": \($0.kind.synopsis)" }.joined(separator: ", ") + "}"
        case .list(let kind, _): "[\(kind.synopsis), ...]"
        case .tuple(let kinds): "[" + kinds.map(\.synopsis).joined(separator: ", ") + "]"
        case .map(let kind): "{\"name\": \(kind.synopsis), ...}"
        case .fields(let kind): "{\"field\": \(kind.synopsis), ...}"
        case .anyOf(let forms):
            forms.map(\.kind.synopsis).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
                .joined(separator: " | ")
        case .words(let words): words.map { "\"\($0.name)\"" }.joined(separator: " | ")
        case .null, .bool, .onlyTrue, .integer, .number, .text: allowed
        }
    }
}

extension SchemaForm {
    fileprivate var entries: [DeviceFileReference.Entry] {
        switch kind {
        case .words: return kind.entries
        case .object(let object) where object.marker == nil && prose.isEmpty: return kind.entries
        default:
            guard !prose.isEmpty else { return [] }
            let members: [DeviceFileReference.Entry] =
                if case .object(let object) = kind { object.members.map(\.entry) } else { [] }
            return [.init(term: kind.synopsis, text: prose, entries: members)]
        }
    }
}

extension SchemaMember {
    fileprivate var entry: DeviceFileReference.Entry {
        var text = isRequired ? "Required. " + prose : prose
        if let byDefault { text += " By default: \(byDefault)." }
        return .init(term: "\"\(key)\": \(kind.synopsis)", text: text, entries: kind.entries)
    }
}

extension String {
    fileprivate var sentence: String { isEmpty ? "" : prefix(1).uppercased() + dropFirst() + "." }
}
