// SPDX-License-Identifier: GPL-2.0-or-later

/// "Did you mean": finds the word that was probably meant.
enum Suggestion {
    /// The word that is nearest to what was typed, if any is near enough; the first of several.
    ///
    /// A word that begins with what was typed is always near. Otherwise up to three slips are forgiven, fewer in a
    /// short word: with one letter in two wrong, any word would do.
    static func closest(to typed: String, among words: [String]) -> String? {
        guard !typed.isEmpty else { return nil }
        if typed.count > 1, let longer = words.first(where: { $0.hasPrefix(typed) }) { return longer }
        var best: (word: String, distance: Int)?
        for word in words {
            let limit = min(3, max(1, word.count / 2 - 1))
            let found = distance(from: typed, to: word, limit: limit)
            if let found, found < best?.distance ?? .max { best = (word, found) }
        }
        return best?.word
    }

    /// How many letters have to be added, dropped, replaced or swapped with their neighbour to make one word of the
    /// other, or nil if more than the limit. (The restricted Damerau-Levenshtein distance.)
    static func distance(from first: String, to second: String, limit: Int) -> Int? {
        let first = Array(first.unicodeScalars)
        let second = Array(second.unicodeScalars)
        // The lengths differ by at least as many letters: the arguments of a program can be very long.
        guard abs(first.count - second.count) <= limit else { return nil }
        var beforePrevious: [Int] = []
        var previous = Array(0...second.count)
        for i in first.indices {
            var row = [i + 1]
            for j in second.indices {
                let replaced = previous[j] + (first[i] == second[j] ? 0 : 1)
                var cost = min(replaced, previous[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
                    cost = min(cost, beforePrevious[j - 1] + 1)
                }
                row.append(cost)
            }
            (beforePrevious, previous) = (previous, row)
        }
        let distance = previous[second.count]
        return distance <= limit ? distance : nil
    }
}
