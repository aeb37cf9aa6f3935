// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicFormat {
    /// The octets of a line that `read` prints for a value with several fields: `speed 10 km/h, total distance 100 m`.
    ///
    /// The line has names without the marks of an assignment, and leaves out some of them, so that it could be
    /// misunderstood. Octets are therefore taken only if they decode to the same line. `nil` for other texts.
    func octets(ofLine line: String) -> [UInt8]? {
        // No line is longer; a longer text would only take time.
        guard line.utf8.count <= 4_096, let content = TypedContent.content(ofLine: line, fields),
            let octets = try? encode(content)
        else { return nil }
        let decoded = decodeAsFarAsPossible(octets)
        return decoded.fault == nil && decoded.text == line ? octets : nil
    }
}

extension TypedContent {
    /// The fields whose parts a line has, in their order; `nil` if a part fits no field after the one before.
    fileprivate static func content(ofLine line: String, _ fields: [FieldDescription]) -> DecodedValue.Content? {
        var members: [DecodedValue.Member] = []
        var rest = fields[...]
        for part in line.split(at: ", ", omittingEmptySubsequences: false) {
            var found: DecodedValue.Content?
            while found == nil, let field = rest.popFirst() {
                found = content(ofPart: String(part), field)
                if let found { members.append(.init(field.key, found)) }
            }
            guard found != nil else { return nil }
        }
        return members.isEmpty ? nil : .object(members)
    }

    /// The content of a field in a part of a line: its name and its value, its name alone if it is true, or its value
    /// alone. `nil` if the part is not that of the field.
    private static func content(ofPart part: String, _ field: FieldDescription) -> DecodedValue.Content? {
        if field.kind == .bool, part == field.name { return .bool(true) }
        let isNamed = part.hasPrefix("\(field.name) ")
        let text = isNamed ? String(part.dropFirst(field.name.count + 1)) : part
        guard let content = try? content(of: text, field, at: field.key) else { return nil }
        switch (field.kind, content) {
        case (.number, .string(let name)): return field.special.contains(name) ? content : nil
        case (.choice, .string(let name)):
            return field.choices.contains(name) || name.hasPrefix("reserved (") ? content : nil
        // A text without the name could be that of any field.
        case (.text, _), (.hex, _), (.date, _), (.flags, _): return isNamed || field.kind == .date ? content : nil
        default: return content
        }
    }
}
