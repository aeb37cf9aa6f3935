// SPDX-License-Identifier: MIT

/// The words of a sentence with their places.
struct FaultWords {
    struct Word: Hashable {
        var text: String
        /// The first character, from 1 on.
        var column: Int
        var isQuoted = false
        /// Whether it is the colon after a part of the sentence.
        var isColon = false
    }

    private var words: [Word] = []
    private var next = 0
    /// The column after the last character.
    private let end: Int

    /// Cuts a text into words at spaces and commas. Quotes keep them together; a colon ends a word, except in an
    /// address.
    init(_ text: String) throws(FaultTextError) {
        let characters = Array(text)
        end = characters.count + 1
        var index = 0
        while index < characters.count {
            let character = characters[index]
            if character.isWhitespace || character == "," {
                index += 1
            } else if character == "'" || character == "\"" {
                guard let close = characters[(index + 1)...].firstIndex(of: character) else {
                    throw FaultTextError(index + 1, "this quote is not closed")
                }
                words.append(Word(text: String(characters[(index + 1)..<close]), column: index + 1, isQuoted: true))
                index = close + 1
            } else if character == ":" {
                words.append(Word(text: ":", column: index + 1, isColon: true))
                index += 1
            } else {
                let rest = characters[index...]
                let whole = rest.prefix { !$0.isWhitespace && $0 != "," }
                let word = Self.isAddress(whole) ? whole.prefix(17) : whole.prefix { $0 != ":" }
                words.append(Word(text: String(word), column: index + 1))
                index += word.count
            }
        }
    }

    /// Whether the characters begin with an address, whose colons are part of it.
    private static func isAddress(_ characters: ArraySlice<Character>) -> Bool {
        guard characters.count >= 17 else { return false }
        return characters.prefix(17).enumerated().allSatisfy { index, character in
            index % 3 == 2 ? character == ":" : character.isASCII && character.isHexDigit
        }
    }

    var isAtEnd: Bool { next >= words.count }

    /// The place of the next word, or the end.
    var column: Int { isAtEnd ? end : words[next].column }

    /// The next word, unless it is a colon.
    var peek: Word? {
        guard !isAtEnd, !words[next].isColon else { return nil }
        return words[next]
    }

    mutating func take() -> Word? {
        guard let word = peek else { return nil }
        next += 1
        return word
    }

    /// Takes the next word if it is this one, in any case, and not quoted.
    mutating func take(_ expected: String) -> Bool {
        guard let word = peek, !word.isQuoted, word.text.lowercased() == expected else { return false }
        next += 1
        return true
    }

    mutating func takeColon() -> Bool {
        guard !isAtEnd, words[next].isColon else { return false }
        next += 1
        return true
    }

    mutating func stepBack() { next = max(0, next - 1) }
}

extension FaultWords {
    /// The longest duration: a year. It keeps every sum of instants far from overflow.
    private static let longest = Duration.seconds(365 * 86_400)

    /// Whether a number comes next that belongs to a condition: `5 times`, `10 %`.
    var isAtCount: Bool {
        guard let word = peek, word.text.first?.isASCIIDigit == true, words.indices.contains(next + 1) else {
            return false
        }
        return ["times", "time", "%"].contains(words[next + 1].text.lowercased())
    }

    var isAtDuration: Bool {
        guard let word = peek, word.text.first?.isASCIIDigit == true else { return false }
        return !isAtCount && !word.text.hasSuffix("%")
    }

    /// Takes a duration: `2s`, `2 s`, `1.5 s`, `500ms`, `1 min`; without a unit, seconds.
    mutating func duration() throws(FaultTextError) -> Duration {
        let start = column
        let problem = FaultTextError(start, "expected a time such as 2s, 1.5 s, 500ms or 1 min")
        guard let word = take() else { throw problem }
        let digits = word.text.prefix { $0.isASCIIDigit || $0 == "." }
        var unit = word.text.dropFirst(digits.count).lowercased()
        if unit.isEmpty, let following = peek, FileDuration.unit(following.text) != nil {
            unit = following.text
            _ = take()
        }
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        // Eleven digits are enough for a year in milliseconds, and no product of them overflows below.
        guard
            parts.count <= 2, let first = parts.first, (1...11).contains(first.count), let whole = Int64(first),
            let length = unit.isEmpty ? .seconds(1) : FileDuration.unit(unit)
        else { throw problem }
        var duration = length * whole
        if parts.count == 2 {
            guard (1...6).contains(parts[1].count),
                let millionths = Int64(parts[1] + String(repeating: "0", count: 6 - parts[1].count))
            else { throw problem }
            duration += length * millionths / 1_000_000
        }
        guard duration <= Self.longest else { throw FaultTextError(start, "expected a year at most") }
        return duration
    }

    /// Takes a number in a range, in decimal, or in hexadecimal with `0x`.
    mutating func number(in range: ClosedRange<Int>, _ what: String) throws(FaultTextError) -> Int {
        let start = column
        guard let word = take(), let number = Self.number(word.text), range.contains(number) else {
            throw FaultTextError(start, "expected \(what) from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    static func number(_ text: some StringProtocol) -> Int? {
        let isNegative = text.hasPrefix("-")
        let digits = text.dropFirst(isNegative ? 1 : 0)
        // The digits are checked because `Int` itself would accept a second sign.
        let number: Int? =
            if digits.lowercased().hasPrefix("0x") {
                digits.dropFirst(2).allSatisfy(\.isHexDigit) ? Int(digits.dropFirst(2), radix: 16) : nil
            } else {
                digits.allSatisfy(\.isASCIIDigit) ? Int(digits) : nil
            }
        return number.map { isNegative ? -$0 : $0 }
    }
}

extension Character {
    var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
