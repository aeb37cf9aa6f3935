// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Glibc

/// An extended regular expression of POSIX, matched by the C library.
///
/// The length of the expression and of the text and the counts of repetitions are bounded, and back references are
/// refused, because the time and the memory of the C library's matcher grow fast with them.
struct RegularExpression: Equatable {
    /// The longest expression in octets.
    static let longestPattern = 256
    /// The octets of a text that are looked at.
    static let longestText = 4_096
    /// The largest product of the counts in braces.
    private static let mostRepetitions = 1_000

    package let pattern: String

    /// An expression that can be matched. Throws if it is not valid, or too costly.
    init(_ pattern: String) throws(ValueProblem) {
        self.pattern = pattern
        guard pattern.utf8.count <= Self.longestPattern else {
            throw ValueProblem(expectation: "expected at most \(Self.longestPattern) octets")
        }
        // The C library would read the expression up to the NUL only.
        guard !pattern.utf8.contains(0) else { throw ValueProblem(expectation: "expected no NUL") }
        try Self.checkCosts(pattern)
        if let problem = Self.match(pattern, nil).problem { throw ValueProblem(expectation: problem) }
    }

    package func matches(_ text: String) -> Bool {
        // A character that the limit cuts in two becomes U+FFFD.
        let part = String(decoding: text.utf8.prefix(Self.longestText), as: UTF8.self)
        // The C library would look at the text up to the first NUL only, and `.` does not match one.
        let scalars = part.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }
        return Self.match(pattern, String(String.UnicodeScalarView(scalars))).isMatch
    }

    /// Compiles the expression and looks for it in the text, if there is one.
    private static func match(_ pattern: String, _ text: String?) -> (isMatch: Bool, problem: String?) {
        // Compiled for each match, because a copyable struct cannot free the memory of regcomp(3) at its end.
        var compiled = regex_t()
        let code = regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB)
        guard code == 0 else {
            var words = [CChar](repeating: 0, count: 128)
            regerror(code, &compiled, &words, words.count)
            let octets = words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            return (false, "not a regular expression: " + String(decoding: octets, as: UTF8.self).lowercased())
        }
        defer { regfree(&compiled) }
        // Without a text, the caller asks for the validity only.
        guard let text else { return (true, nil) }
        return (regexec(&compiled, text, 0, nil, 0) == 0, nil)
    }

    /// Refuses patterns whose matching could take too long: the C library expands counted repetitions, and back
    /// references need backtracking.
    private static func checkCosts(_ pattern: String) throws(ValueProblem) {
        var product = 1
        var octets = Array(pattern.utf8)[...]
        while let octet = octets.popFirst() {
            switch octet {
            case UInt8(ascii: "\\"):
                guard let escaped = octets.popFirst(), (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(escaped) else {
                    continue
                }
                throw ValueProblem(expectation: "back references such as \\1 are not supported")
            case UInt8(ascii: "{"):
                let inside = octets.prefix { $0 != UInt8(ascii: "}") }
                // A bound that is not a number counts as 1: either it is an open end, or regcomp(3) refuses the
                // expression afterwards.
                let counts = String(decoding: inside, as: UTF8.self).split(separator: ",").map { Int($0) ?? 1 }
                // Bounded before it is multiplied, so that the product cannot overflow.
                let largest = max(1, min(mostRepetitions + 1, counts.max() ?? 1))
                product *= largest
                guard product <= mostRepetitions else {
                    throw ValueProblem(expectation: "the counts in braces may multiply to \(mostRepetitions) at most")
                }
            default: continue
            }
        }
    }
}
