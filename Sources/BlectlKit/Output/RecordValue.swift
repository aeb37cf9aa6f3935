// SPDX-License-Identifier: GPL-2.0-or-later

/// A value of a record, read back from the JSON that `JSONWriter` wrote.
///
/// `--format` reads the record itself, so that a line can say nothing that the record does not.
enum RecordValue: Equatable, Sendable {
    case null
    /// A number, `true` or `false`, as it is written.
    case literal(String)
    case text(String)
    /// An array; `json` is its JSON.
    case list([RecordValue], json: String)
    /// An object; `json` is its JSON.
    case members([String: RecordValue], json: String)

    /// Reads one line of JSON. Invalid JSON is `null`.
    init(json: [UInt8]) {
        var reader = RecordReader(json)
        self = reader.value()
    }

    /// The value at a path of keys, and of indices into arrays; `nil` if there is none. A key may lack the unit at its
    /// end.
    subscript(path: ArraySlice<String>) -> RecordValue? {
        guard let key = path.first else { return self }
        switch self {
        case .members(let members, _):
            if let member = members[key] { return member[path.dropFirst()] }
            let meant = Self.keys(meantBy: key, in: members)
            guard let only = meant.first, meant.count == 1 else { return nil }
            return members[only]?[path.dropFirst()]
        case .list(let elements, _):
            guard let index = Int(key), elements.indices.contains(index) else { return nil }
            return elements[index][path.dropFirst()]
        case .null, .literal, .text: return nil
        }
    }

    /// Whether a path does not exist, because an object on it lacks a member, or because a value on it has no members.
    /// An element after the end of an array, and a member of a null, may come with the next value.
    func lacksMember(at path: ArraySlice<String>) -> Bool {
        guard let key = path.first else { return false }
        switch self {
        case .members:
            guard let member = self[[key]] else { return true }
            // A value without a known format has no fields.
            if member == .null, path.count > 1, key == LineFormat.openKey { return true }
            return member.lacksMember(at: path.dropFirst())
        case .list(let elements, _):
            guard let index = Int(key) else { return true }
            return elements.indices.contains(index) && elements[index].lacksMember(at: path.dropFirst())
        case .null: return false
        case .literal, .text: return true
        }
    }

    /// The value for a line, safe to print; `nil` for null. The elements of an array are separated by commas, unless
    /// some are arrays or objects themselves: these, and objects, are JSON.
    var line: String? {
        switch self {
        case .null: return nil
        case .literal(let text): return text
        case .text(let text): return TerminalText.escaped(text)
        case .list(let elements, let json):
            var parts: [String] = []
            for element in elements {
                switch element {
                case .list, .members: return json
                case .null, .literal, .text: parts.append(element.line ?? "")
                }
            }
            return parts.joined(separator: ",")
        case .members(_, let json): return json
        }
    }
}

/// Reads JSON of `JSONWriter`: it has no blanks, and the depth of its arrays and objects is that of our own records.
///
/// FoundationEssentials' decoder, which reads all other JSON, would round numbers and forget how they are written.
private struct RecordReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Takes an octet if it is the next one.
    private mutating func take(_ octet: UInt8) -> Bool {
        guard next == octet else { return false }
        position += 1
        return true
    }

    /// Parses a value. It accepts more than JSON, because only this program's own records are parsed.
    mutating func value() -> RecordValue {
        let start = position
        switch next {
        case UInt8(ascii: "{"):
            position += 1
            var members: [String: RecordValue] = [:]
            while let octet = next, octet != UInt8(ascii: "}") {
                let key = string()
                guard take(UInt8(ascii: ":")) else { break }
                members[key] = value()
                guard take(UInt8(ascii: ",")) else { break }
            }
            _ = take(UInt8(ascii: "}"))
            return .members(members, json: text(from: start))
        case UInt8(ascii: "["):
            position += 1
            var elements: [RecordValue] = []
            while let octet = next, octet != UInt8(ascii: "]") {
                elements.append(value())
                guard take(UInt8(ascii: ",")) else { break }
            }
            _ = take(UInt8(ascii: "]"))
            return .list(elements, json: text(from: start))
        case UInt8(ascii: "\""): return .text(string())
        default:
            while let octet = next, !",]}\n".utf8.contains(octet) { position += 1 }
            let literal = text(from: start)
            return literal.isEmpty || literal == "null" ? .null : .literal(literal)
        }
    }

    /// The text from a position that was passed to the present one, which may be after the end.
    private func text(from start: Int) -> String {
        let end = min(position, bytes.count)
        return String(decoding: bytes[min(start, end)..<end], as: UTF8.self)
    }

    /// Takes a string with its quotation marks.
    private mutating func string() -> String {
        guard take(UInt8(ascii: "\"")) else { return "" }
        let start = position
        while let octet = next, octet != UInt8(ascii: "\""), octet != UInt8(ascii: "\\") { position += 1 }
        if next == UInt8(ascii: "\"") {
            defer { position += 1 }
            return text(from: start)
        }
        // Escapes are units of UTF-16, and a pair of surrogates is one character only when both are there.
        var units = Array(text(from: start).utf16)
        while let octet = next, octet != UInt8(ascii: "\"") {
            if octet == UInt8(ascii: "\\") {
                position += 1
                units.append(escape())
            } else {
                let start = position
                while let octet = next, octet != UInt8(ascii: "\""), octet != UInt8(ascii: "\\") { position += 1 }
                units += text(from: start).utf16
            }
        }
        position += 1
        return String(decoding: units, as: UTF16.self)
    }

    /// Takes the rest of an escape, after the backslash.
    private mutating func escape() -> UInt16 {
        defer { position += 1 }
        switch next {
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "u"):
            let end = min(position + 5, bytes.count)
            let digits = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
            position = end - 1
            return UInt16(digits, radix: 16) ?? 0xFFFD
        case let octet?: return UInt16(octet)
        case nil: return 0xFFFD
        }
    }
}
