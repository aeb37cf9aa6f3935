// SPDX-License-Identifier: MIT

// The initializers of the standard library take a sign in front of the digits, so that `0x-5` would be a number, and
// `-0x-8000000000000000` one that cannot be negated.
extension FixedWidthInteger {
    /// Reads a number without a sign as people type it: decimal digits, or hexadecimal ones after `0x` or `0X`.
    ///
    /// `nil` for any other text, and for a number that does not fit.
    package init?(numeral text: some StringProtocol) {
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            self.init(hexDigits: text.dropFirst(2))
        } else {
            guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
            self.init(text, radix: 10)
        }
    }

    /// Reads hexadecimal digits in upper or lower case, without prefix and sign.
    ///
    /// `nil` for any other text, and for a number that does not fit.
    package init?(hexDigits text: some StringProtocol) {
        guard text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        self.init(text, radix: 16)
    }
}
