// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

struct JSONSyntaxError: Error, Hashable, Sendable {
    /// The line, counted from 1.
    let line: Int
    /// The position on the line in characters, counted from 1.
    let column: Int
    /// The fault, as a sentence without a full stop.
    let message: String
}

/// Reads JSON, with the additions of JSON5 for people: comments, commas after the last element, single quotes, keys
/// without quotes, numbers in hexadecimal.
///
/// FoundationEssentials' decoder is not used, because on Linux it gives neither the line of a fault nor the line of a
/// value, and silently drops one of two members with the same key.
struct JSONParser {
    /// The number of arrays and objects that may be inside of each other, because each costs a part of the stack.
    static let maximumDepth = 64

    private let bytes: [UInt8]
    /// The next octet to be read.
    private var position = 0
    /// The line of that octet, counted from 1.
    private var line = 1

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONNode {
        var parser = JSONParser(bytes)
        // A byte order mark, which some editors write.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.position = 3 }
        // Checked as a whole, so that strings below can be decoded without a check.
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw JSONSyntaxError(line: 1, column: 1, message: "the file is not text in UTF-8")
        }
        try parser.skipBlanks()
        let value = try parser.value(depth: 0)
        try parser.skipBlanks()
        guard parser.next == nil else { throw parser.unexpected("the end of the file") }
        return value
    }

    /// The next octet; `nil` at the end.
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// The octet that many places further; `nil` after the end.
    private func octet(_ offset: Int) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    // MARK: - Errors

    /// An error at a place. The line is counted from the start, because the place may be before the present line.
    private func error(_ message: String, at position: Int) -> JSONSyntaxError {
        let before = bytes.prefix(position)
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let lines = before.count { $0 == UInt8(ascii: "\n") }
        let column = String(decoding: before[start...], as: UTF8.self).count
        return JSONSyntaxError(line: lines + 1, column: column + 1, message: message)
    }

    private func error(_ message: String) -> JSONSyntaxError { error(message, at: position) }

    private func unexpected(_ expected: String) -> JSONSyntaxError {
        let rest = String(decoding: bytes.dropFirst(position).prefix(16), as: UTF8.self)
        guard let character = rest.first else { return error("the file ends where \(expected) is expected") }
        return error("expected \(expected), found '\(character)'")
    }

    // MARK: - Blanks and comments

    /// Skips blanks, ends of lines and comments.
    private mutating func skipBlanks() throws(JSONSyntaxError) {
        while let octet = next {
            switch octet {
            case UInt8(ascii: "\n"):
                line += 1
                position += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position += 1
            case UInt8(ascii: "/"): try skipComment()
            default: return
            }
        }
    }

    /// Skips a comment to the end of its line, or to `*/`. A slash that begins no comment is an error.
    private mutating func skipComment() throws(JSONSyntaxError) {
        let start = position
        switch octet(1) {
        case UInt8(ascii: "/"):
            while let octet = next, octet != UInt8(ascii: "\n") { position += 1 }
        case UInt8(ascii: "*"):
            position += 2
            while next != UInt8(ascii: "*") || octet(1) != UInt8(ascii: "/") {
                guard let octet = next else { throw error("the comment has no end", at: start) }
                if octet == UInt8(ascii: "\n") { line += 1 }
                position += 1
            }
            position += 2
        default: throw unexpected("a value")
        }
    }

    // MARK: - Values

    /// Reads a value of any kind. `depth` is the number of lists and objects around it.
    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONNode {
        let start = line
        switch next {
        case UInt8(ascii: "{"): return JSONNode(content: .object(try members(depth: depth + 1)), line: start)
        case UInt8(ascii: "["): return JSONNode(content: .array(try elements(depth: depth + 1)), line: start)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return JSONNode(content: .string(try string()), line: start)
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            return JSONNode(content: .number(try number()), line: start)
        case let octet? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet):
            return JSONNode(content: .number(try number()), line: start)
        default:
            let begin = position
            let word = self.word()
            switch word {
            case "true": return JSONNode(content: .bool(true), line: start)
            case "false": return JSONNode(content: .bool(false), line: start)
            case "null": return JSONNode(content: .null, line: start)
            case "": throw unexpected("a value")
            default: throw error("'\(word.shortened)' is not a value; a text stands in quotes", at: begin)
            }
        }
    }

    /// Throws if lists and objects are nested too deeply, because each costs stack.
    private func check(_ depth: Int) throws(JSONSyntaxError) {
        guard depth <= Self.maximumDepth else {
            throw error("more than \(Self.maximumDepth) lists and objects are inside of each other")
        }
    }

    /// Reads a list. A comma may follow its last element.
    private mutating func elements(depth: Int) throws(JSONSyntaxError) -> [JSONNode] {
        try check(depth)
        position += 1
        var elements: [JSONNode] = []
        while true {
            try skipBlanks()
            if next == UInt8(ascii: "]") { break }
            elements.append(try value(depth: depth))
            try skipBlanks()
            if next == UInt8(ascii: ",") {
                position += 1
            } else if next != UInt8(ascii: "]") {
                throw unexpected("',' or ']'")
            }
        }
        position += 1
        return elements
    }

    /// Reads an object. A comma may follow its last member, and keys need quotes only if they have other
    /// characters than a name.
    private mutating func members(depth: Int) throws(JSONSyntaxError) -> [JSONNode.Member] {
        try check(depth)
        position += 1
        var members: [JSONNode.Member] = []
        while true {
            try skipBlanks()
            if next == UInt8(ascii: "}") { break }
            let isQuoted = next == UInt8(ascii: "\"") || next == UInt8(ascii: "'")
            let key = isQuoted ? try string() : word()
            guard isQuoted || !key.isEmpty else { throw unexpected("a key or '}'") }
            try skipBlanks()
            guard next == UInt8(ascii: ":") else { throw unexpected("':'") }
            position += 1
            try skipBlanks()
            members.append(.init(key: key, value: try value(depth: depth)))
            try skipBlanks()
            if next == UInt8(ascii: ",") {
                position += 1
            } else if next != UInt8(ascii: "}") {
                throw unexpected("',' or '}'")
            }
        }
        position += 1
        return members
    }

    /// Takes letters, digits, `_` and `$`; empty if there are none.
    private mutating func word() -> String {
        let start = position
        while let octet = next {
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"):
                position += 1
            default: return String(decoding: bytes[start..<position], as: UTF8.self)
            }
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Reads a number. All characters that could belong to one are taken first, so that the message shows all
    /// of them.
    private mutating func number() throws(JSONSyntaxError) -> DecimalNumber {
        let start = position
        while let octet = next {
            switch octet {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                position += 1
                continue
            default: break
            }
            break
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let isNegative = text.hasPrefix("-")
        let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
        if digits.lowercased().hasPrefix("0x"), let number = UInt64(hexDigits: digits.dropFirst(2)) {
            return DecimalNumber(isNegative: isNegative, magnitude: UInt128(number), exponent: 0)
        }
        let whole = digits.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        // 0123 could be octal, or hexadecimal digits whose quotes are missing.
        if whole.count > 1, whole.first == UInt8(ascii: "0") {
            throw error("a number does not begin with 0; hex digits stand in quotes", at: start)
        }
        guard digits != ".", let number = DecimalNumber(text) else {
            throw error("'\(text.shortened)' is not a number, or has too many digits", at: start)
        }
        return number
    }

    // MARK: - Strings

    /// Reads a text in single or double quotes.
    private mutating func string() throws(JSONSyntaxError) -> String {
        let start = position
        let quote = next
        position += 1
        var octets: [UInt8] = []
        while let octet = next, octet != quote {
            switch octet {
            case UInt8(ascii: "\\"): try escape(into: &octets)
            // A missing quote is reported where the text begins, and not at the next quote somewhere below.
            case 0x00..<0x20 where octet != UInt8(ascii: "\t"):
                throw error("a text ends on the line on which it begins; write \\n for a new line", at: start)
            default:
                octets.append(octet)
                position += 1
            }
        }
        guard next == quote else { throw error("the text has no end", at: start) }
        position += 1
        return String(decoding: octets, as: UTF8.self)
    }

    private mutating func escape(into octets: inout [UInt8]) throws(JSONSyntaxError) {
        let start = position
        position += 1
        defer { position += 1 }
        switch next {
        case UInt8(ascii: "n"): octets.append(0x0A)
        case UInt8(ascii: "r"): octets.append(0x0D)
        case UInt8(ascii: "t"): octets.append(0x09)
        case UInt8(ascii: "b"): octets.append(0x08)
        case UInt8(ascii: "f"): octets.append(0x0C)
        case UInt8(ascii: "v"): octets.append(0x0B)
        case UInt8(ascii: "0"): octets.append(0x00)
        // A backslash at the end of a line continues the text on the next one, as in JSON5.
        case UInt8(ascii: "\n"): line += 1
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            octets.append(bytes[position])
        case UInt8(ascii: "u"):
            guard var scalar = unit() else { throw error("\\u takes four hex digits", at: start) }
            if scalar & 0xFC00 == 0xD800, octet(1) == UInt8(ascii: "\\"), octet(2) == UInt8(ascii: "u") {
                let before = position
                position += 2
                if let low = unit(), low & 0xFC00 == 0xDC00 {
                    scalar = 0x10000 + (scalar & 0x3FF) << 10 + low & 0x3FF
                } else {
                    position = before
                }
            }
            guard let scalar = Unicode.Scalar(scalar) else {
                throw error("\\u is half of a pair, and the other half is missing", at: start)
            }
            octets += Array(String(Character(scalar)).utf8)
        default: throw error("a backslash stands before one of \" ' \\ / b f n r t u", at: start)
        }
    }

    /// Takes the hex digits of `\uXXXX`, and leaves the position at the last one.
    private mutating func unit() -> UInt32? {
        guard position + 4 < bytes.count else { return nil }
        let digits = bytes[position + 1...position + 4]
        // The conversion would accept a plus sign and three digits.
        guard let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16), digits.first != UInt8(ascii: "+")
        else { return nil }
        position += 4
        return unit
    }
}
