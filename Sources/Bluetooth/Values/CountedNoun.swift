// SPDX-License-Identifier: MIT

extension DefaultStringInterpolation {
    /// A number and a counted noun: `\(count: 1, "octet")` is `1 octet`, and `\(count: 2, "octet")` is `2 octets`.
    public mutating func appendInterpolation(count: some BinaryInteger, _ noun: String) {
        appendInterpolation(count)
        appendLiteral(" ")
        appendLiteral(noun)
        if count != 1 { appendLiteral("s") }
    }
}
