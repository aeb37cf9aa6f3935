// SPDX-License-Identifier: MIT

import Bluetooth

extension ValueFormat {
    /// Encodes a value in its form on the command line.
    ///
    /// `0x01ff`, `01ff`, `hex:01 ff`; `text:hello`; `u16:500`, `s8:-3`, `u8:1,2,3`, `f32be:1.5`.
    public static func encode(_ text: some StringProtocol) throws(ValueFormatError) -> [UInt8] {
        if let colon = text.firstIndex(of: ":") {
            let name = text[..<colon]
            // The text before the colon is a format, or the first of several octets that are separated by colons.
            if let format = try? ValueFormat(name) { return try format.encode(text[text.index(after: colon)...]) }
            guard let bytes = hexOctets(text) else {
                throw name.isEmpty ? .notAValue(String(text)) : .unknownFormat(String(name))
            }
            return bytes
        }
        guard let bytes = hexOctets(text) else {
            throw isOdd(text) ? .oddDigits(String(text)) : .notAValue(String(text))
        }
        return bytes
    }

    /// Encodes a value in this format. Several numbers are separated by commas or spaces.
    public func encode(_ text: some StringProtocol) throws(ValueFormatError) -> [UInt8] {
        switch kind {
        case .hex, .raw:
            guard let bytes = Self.hexOctets(text) else {
                throw Self.isOdd(text) ? .oddDigits(String(text)) : .notHex(String(text))
            }
            return bytes
        case .utf8:
            return Array(text.utf8)
        case .utf16:
            return text.utf16.flatMap { octets(UInt64($0), count: 2) }
        case .unsigned, .signed, .float, .medicalFloat:
            var bytes: [UInt8] = []
            for element in text.split(separator: ",", omittingEmptySubsequences: false) {
                let numbers = element.split(separator: " ")
                // A number is missing beside a comma, or after the name of the format.
                guard !numbers.isEmpty else { throw .notANumber(format: self, text: String(text)) }
                for number in numbers { bytes += try self.number(Substring(number)) }
            }
            return bytes
        }
    }

    /// Whether the text is an odd number of hex digits.
    private static func isOdd(_ text: some StringProtocol) -> Bool {
        let digits = text.lowercased().hasPrefix("0x") ? text.dropFirst(2) : text[...]
        return !digits.utf8.count.isMultiple(of: 2) && Hex.bytes("0\(digits)") != nil
    }

    /// The octets of hex digits, with an optional `0x` before them, and spaces, colons or hyphens between octets. An
    /// empty text is an empty value, and a single digit after `0x` is an octet. Other characters than digits and spaces
    /// need a digit beside them.
    private static func hexOctets(_ text: some StringProtocol) -> [UInt8]? {
        var digits = text[...]
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            digits = digits.dropFirst(2)
            if digits.isEmpty { return nil }
            if digits.utf8.count == 1 { return Hex.bytes("0\(digits)") }
        }
        var bytes: [UInt8] = []
        for group in digits.split(whereSeparator: { $0 == " " || $0 == ":" || $0 == "-" }) {
            guard let octets = Hex.bytes(group) else { return nil }
            bytes += octets
        }
        return bytes.isEmpty && !digits.allSatisfy { $0 == " " } ? nil : bytes
    }

    /// The octets of a number in this format. Throws with the range if the number does not fit.
    private func number(_ text: Substring) throws(ValueFormatError) -> [UInt8] {
        switch kind {
        case .unsigned(let size):
            let value = try integer(text)
            let highest = UInt64.max >> UInt64(64 - 8 * size)
            guard value >= 0, value <= Int128(highest) else {
                throw .outOfRange(format: self, text: String(text), range: "0 to \(highest)")
            }
            return octets(UInt64(truncatingIfNeeded: value), count: size)
        case .signed(let size):
            let value = try integer(text)
            let highest = Int64.max >> Int64(64 - 8 * size)
            guard value >= Int128(~highest), value <= Int128(highest) else {
                throw .outOfRange(format: self, text: String(text), range: "\(~highest) to \(highest)")
            }
            return octets(UInt64(truncatingIfNeeded: value), count: size)
        case .float(let size):
            guard let value = Double(text) else { throw .notANumber(format: self, text: String(text)) }
            // Infinity can be written, but a number that becomes infinite is too large.
            let isInfinite = (size == 8 ? value.isInfinite : Float(value).isInfinite)
            guard !isInfinite || value.isInfinite && !text.contains(where: \.isNumber) else {
                let range = size == 8 ? "up to 1.8e308" : "up to 3.4e38"
                throw .outOfRange(format: self, text: String(text), range: range)
            }
            if size == 8 { return octets(value.bitPattern, count: 8) }
            let single = Float(value)
            return octets(UInt64(single.bitPattern), count: 4)
        case .medicalFloat(let size):
            guard let value = DecimalNumber(text) else { throw .notANumber(format: self, text: String(text)) }
            if size == 2 {
                guard let encoded = MedicalFloat.sfloat(value) else {
                    throw .outOfRange(format: self, text: String(text), range: "3 digits, up to 2.045e10")
                }
                return octets(UInt64(encoded), count: 2)
            }
            guard let encoded = MedicalFloat.float(value) else {
                throw .outOfRange(format: self, text: String(text), range: "6 digits, up to 8.388e133")
            }
            return octets(UInt64(encoded), count: 4)
        case .hex, .raw, .utf8, .utf16:
            throw .notANumber(format: self, text: String(text))
        }
    }

    /// A decimal integer, or one in the base of its prefix `0x`, `0o` or `0b`.
    private func integer(_ text: Substring) throws(ValueFormatError) -> Int128 {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text
        let radix = ["0x": 16, "0o": 8, "0b": 2][digits.prefix(2).lowercased()] ?? 10
        let figures = radix == 10 ? digits : digits.dropFirst(2)
        // The first character is checked, because `Int128` would take a second sign.
        guard figures.utf8.count <= 96, figures.first?.isHexDigit == true, let value = Int128(figures, radix: radix)
        else {
            throw .notANumber(format: self, text: String(text))
        }
        return isNegative ? -value : value
    }

    private func octets(_ value: UInt64, count: Int) -> [UInt8] {
        let littleEndian = (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
        return isBigEndian ? littleEndian.reversed() : littleEndian
    }
}
