// SPDX-License-Identifier: MIT

import Bluetooth

/// A format that the user chooses for a value: `u16`, `s32be`, `utf8`, `hex`.
///
/// Numbers are little-endian, as in most of Bluetooth, unless the name ends with `be`. A value may contain several
/// numbers.
public struct ValueFormat: Hashable, Sendable, CustomStringConvertible {
    /// The meaning of the octets.
    public enum Kind: Hashable, Sendable {
        /// Hex digits.
        case hex
        /// The octets themselves, for a file or a pipe.
        case raw
        /// Text.
        case utf8
        /// Text in 16-bit units.
        case utf16
        /// Unsigned integers of that many octets.
        case unsigned(octets: Int)
        /// Signed integers of that many octets.
        case signed(octets: Int)
        /// IEEE 754 numbers of four or eight octets.
        case float(octets: Int)
        /// IEEE 11073 numbers of two (SFLOAT) or four (FLOAT) octets.
        case medicalFloat(octets: Int)
    }

    /// The meaning of the octets.
    public let kind: Kind
    /// Whether the most significant octet comes first.
    public let isBigEndian: Bool

    /// Hex digits.
    public static let hex = ValueFormat(.hex)
    /// The octets themselves.
    public static let raw = ValueFormat(.raw)
    /// Text.
    public static let utf8 = ValueFormat(.utf8)

    /// Creates a format.
    public init(_ kind: Kind, isBigEndian: Bool = false) {
        self.kind = kind
        self.isBigEndian = isBigEndian
    }

    /// The names of the formats without their endings `le` and `be`, in the order of the documentation.
    public static var names: [String] { table.map(\.name) }

    private static let table: [(name: String, kind: Kind)] = [
        ("hex", .hex), ("utf8", .utf8), ("utf16", .utf16), ("raw", .raw),
        ("u8", .unsigned(octets: 1)), ("s8", .signed(octets: 1)),
        ("u16", .unsigned(octets: 2)), ("s16", .signed(octets: 2)),
        ("u24", .unsigned(octets: 3)), ("s24", .signed(octets: 3)),
        ("u32", .unsigned(octets: 4)), ("s32", .signed(octets: 4)),
        ("u48", .unsigned(octets: 6)), ("s48", .signed(octets: 6)),
        ("u64", .unsigned(octets: 8)), ("s64", .signed(octets: 8)),
        ("f32", .float(octets: 4)), ("f64", .float(octets: 8)),
        ("medfloat16", .medicalFloat(octets: 2)), ("medfloat32", .medicalFloat(octets: 4)),
    ]

    /// Names that other places have: the specification's for numbers are `uint16`, `sint16`, `float32`.
    private static let otherNames: [String: String] = {
        var names = [
            "text": "utf8", "string": "utf8", "utf8s": "utf8", "utf16s": "utf16", "sfloat": "medfloat16",
            "float32": "f32", "float64": "f64",
        ]
        for (name, kind) in table {
            switch kind {
            case .unsigned: names["uint\(name.dropFirst())"] = name
            case .signed: for prefix in ["i", "int", "sint"] { names["\(prefix)\(name.dropFirst())"] = name }
            default: break
            }
        }
        return names
    }()

    /// All names of a format, in the same order of octets: of `u16be` also `uint16be`.
    package static func names(of name: String) -> [String] {
        guard let format = try? ValueFormat(name) else { return [name] }
        let base = format.isBigEndian ? String(format.description.dropLast(2)) : format.description
        let names = [base] + otherNames.filter { $0.value == base }.keys.sorted()
        let hasOrder = (format.elementOctets ?? 1) > 1
        if format.isBigEndian { return names.map { $0 + "be" } }
        return names + (hasOrder ? names.map { $0 + "le" } : [])
    }

    /// Parses the name of a format, in upper or lower case: `u16`, `u16le`, `u16be`, `text`.
    public init(_ name: some StringProtocol) throws(ValueFormatError) {
        let lower = name.lowercased()
        let isOrdered = lower.hasSuffix("le") || lower.hasSuffix("be")
        let base = isOrdered ? String(lower.dropLast(2)) : lower
        let known = Self.otherNames[base] ?? base
        guard let entry = Self.table.first(where: { $0.name == known }) else { throw .unknownFormat(String(name)) }
        self.init(entry.kind, isBigEndian: lower.hasSuffix("be"))
        // A single octet, and text in UTF-8, have no order of octets.
        if isOrdered, elementOctets == nil || elementOctets == 1 { throw .unknownFormat(String(name)) }
    }

    /// The name: `u16`, `u16be`.
    public var description: String {
        let name = Self.table.first { $0.kind == kind }?.name ?? "hex"
        return isBigEndian ? name + "be" : name
    }

    /// The meaning, as one line in lower case without a full stop: `unsigned number of 16 bits`.
    public var summary: String {
        switch kind {
        case .hex: "bytes in hexadecimal"
        case .raw: "bytes as they are"
        case .utf8: "text in UTF-8"
        case .utf16: "text in UTF-16"
        case .unsigned(let octets): "unsigned number of \(8 * octets) bits"
        case .signed(let octets): "signed number of \(8 * octets) bits"
        case .float(let octets): "floating-point number of \(8 * octets) bits"
        case .medicalFloat(let octets): "number of a medical device in \(8 * octets) bits"
        }
    }

    /// The number of octets of one number, or of one unit of text; `nil` if the format has no such unit.
    var elementOctets: Int? {
        switch kind {
        case .hex, .raw, .utf8: nil
        case .utf16: 2
        case .unsigned(let octets), .signed(let octets), .float(let octets), .medicalFloat(let octets): octets
        }
    }
}

/// The reason why a value cannot be decoded or encoded in a format, as a sentence for the user.
public enum ValueFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no such format.
    case unknownFormat(String)
    /// The value's length is not a multiple of the format's size.
    case wrongLength(format: ValueFormat, octets: Int, unit: Int)
    /// The octets are not text in this encoding.
    case notText(ValueFormat)
    /// The text is not a value.
    case notAValue(String)
    /// The text is not hex digits.
    case notHex(String)
    /// The text has a group of hex digits that is not a whole number of octets.
    case oddDigits(String)
    /// The text is not a number.
    case notANumber(format: ValueFormat, text: String)
    /// The number is too small or too large for the format.
    case outOfRange(format: ValueFormat, text: String, range: String)

    /// The sentence, without a full stop.
    public var description: String {
        switch self {
        case .unknownFormat(let name):
            "'\(name)' is not a format (\(ValueFormat.names.joined(separator: ", ")); numbers may end with le or be)"
        case .wrongLength(let format, let octets, let unit):
            octets == 0
                ? "the value is empty, and \(format) takes \(count: unit, "octet")"
                : "the value has \(count: octets, "octet"), which is not a multiple of the \(unit) of \(format)"
        case .notText(let format):
            "the value is not \(format) text"
        case .notAValue(let text):
            "'\(text)' is not a value: write hex digits (0x01ff), text:…, or a format and a number (u16:500)"
        case .notHex(let text):
            "'\(text)' is not an even number of hex digits"
        case .oddDigits(let text):
            "'\(text)' has an odd number of hex digits: the bytes are written \(Self.padded(text))"
                + (UInt16(text).map { ", the number \($0 > 0xFF ? "u16" : "u8"):\(text)" } ?? "")
        case .notANumber(let format, let text):
            text.isEmpty ? "a number is missing after \(format):" : "'\(text)' is not a number that \(format) can hold"
        case .outOfRange(let format, let text, let range):
            "\(text) does not fit \(format) (\(range))"
        }
    }

    /// The digits with a zero before the first one.
    private static func padded(_ digits: String) -> String {
        let prefix = digits.lowercased().hasPrefix("0x") ? 2 : 0
        return "\(digits.prefix(prefix))0\(digits.dropFirst(prefix))"
    }
}
