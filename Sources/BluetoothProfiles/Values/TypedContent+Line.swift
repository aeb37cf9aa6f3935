// SPDX-License-Identifier: MIT

import Bluetooth

/// What a line means as a value.
enum LineReading {
    case octets([UInt8])
    /// The first part that fits no field.
    case unfit(String)
    /// Each part fits a field, and one of them cannot have the content.
    case impossible(FieldError)
    /// The line of these octets is another one, or the text is no line.
    case other
}

extension CharacteristicFormat {
    /// The octets of a line that `read` prints for a value with several fields: `speed 10 km/h, total distance 100 m`.
    ///
    /// The line has names without the marks of an assignment, and leaves out some of them, so that it could be
    /// misunderstood. Octets are therefore taken only if they decode to the same line.
    func reading(ofLine line: String) -> LineReading {
        // No line is longer; a longer text would only take time.
        guard line.utf8.count <= 4_096 else { return .other }
        let content: DecodedValue.Content
        do throws(UnfitPart) {
            content = try TypedContent.content(ofLine: line, fields)
        } catch {
            return .unfit(error.text)
        }
        do throws(FieldError) {
            let octets = try encode(content)
            let decoded = decodeAsFarAsPossible(octets)
            return decoded.fault == nil && decoded.text == line ? .octets(octets) : .other
        } catch {
            return line.contains(text: ", ") ? .impossible(error) : .other
        }
    }
}

extension FieldDescription {
    /// Whether a text that is typed may be a value of the field. Names of units are not listed.
    package func takes(_ text: String) -> Bool { kind == .choice && choices.isEmpty || content(typedAs: text) != nil }

    /// The content of a text; `nil` if it is none that the field has.
    fileprivate func content(typedAs text: String) -> DecodedValue.Content? {
        guard let content = try? TypedContent.content(of: text, self, at: key) else { return nil }
        guard case .string(let name) = content else { return content }
        return switch kind {
        case .number: special.contains { NameKey($0.utf8) == NameKey(name.utf8) } ? content : nil
        case .choice: choices.contains(name) || name.hasPrefix("reserved (") ? content : nil
        default: content
        }
    }
}

/// A part of a line that fits no field.
private struct UnfitPart: Error {
    let text: String
}

extension TypedContent {
    /// The fields whose parts a line has. Most lines have them in their order, and some at the end.
    fileprivate static func content(
        ofLine line: String,
        _ fields: [FieldDescription]
    ) throws(UnfitPart) -> DecodedValue.Content {
        var members: [DecodedValue.Member] = []
        var rest = fields
        var next = 0
        for part in line.split(at: ", ", omittingEmptySubsequences: false) {
            let found = [next..<rest.count, 0..<next].joined().lazy.compactMap { index in
                content(ofPart: String(part), rest[index]).map { (index, $0) }
            }.first
            guard let (index, content) = found else { throw UnfitPart(text: String(part)) }
            members.append(.init(rest.remove(at: index).key, content))
            next = index
        }
        return .object(members)
    }

    /// The content of a field in a part of a line: its name and its value, its name alone if it is true, or its value
    /// alone. `nil` if the part is not that of the field.
    private static func content(ofPart part: String, _ field: FieldDescription) -> DecodedValue.Content? {
        if field.kind == .bool, part == field.name || part == "no \(field.name)" { return .bool(part == field.name) }
        let label = [field.label, field.name].first { !$0.isEmpty && part.hasPrefix("\($0) ") }
        let isNamed = label != nil
        var text = String(part.dropFirst(label.map { $0.count + 1 } ?? 0))
        if field.kind == .array, field.members.first?.kind == .number {
            text = text.split(separator: " ").filter { $0 != field.unit }.joined(separator: ",")
        }
        guard let content = field.content(typedAs: text) else { return nil }
        switch (field.kind, content) {
        // A text without the name could be that of any field.
        case (.text, _), (.hex, _), (.flags, _): return isNamed ? content : nil
        case (.date, _): return isNamed || text.first?.isNumber == true ? content : nil
        case (.array, .array(let elements)) where elements.contains { if case .string = $0 { true } else { false } }:
            return nil
        default: return content
        }
    }
}
