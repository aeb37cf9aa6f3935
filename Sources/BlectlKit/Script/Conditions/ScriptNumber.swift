// SPDX-License-Identifier: GPL-2.0-or-later

/// A number of a record or of a script. Whole numbers are compared exactly.
enum ScriptNumber: Comparable {
    case whole(Int64)
    case fraction(Double)

    /// Reads a decimal number, or a hexadecimal one behind `0x`; `nil` for any other text.
    init?(_ text: String) {
        let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
        guard let first = digits.utf8.first, (0x30...0x39).contains(first) || first == UInt8(ascii: ".") else {
            return nil
        }
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            guard let magnitude = Int64(digits.dropFirst(2), radix: 16) else { return nil }
            self = .whole(text.first == "-" ? -magnitude : magnitude)
        } else if let whole = Int64(text) {
            self = .whole(whole)
        } else if let fraction = Double(text), fraction.isFinite {
            self = .fraction(fraction)
        } else {
            return nil
        }
    }

    private var double: Double {
        switch self {
        case .whole(let number): Double(number)
        case .fraction(let number): number
        }
    }

    static func == (left: Self, right: Self) -> Bool {
        if case (.whole(let left), .whole(let right)) = (left, right) { return left == right }
        return left.double == right.double
    }

    static func < (left: Self, right: Self) -> Bool {
        if case (.whole(let left), .whole(let right)) = (left, right) { return left < right }
        return left.double < right.double
    }
}
