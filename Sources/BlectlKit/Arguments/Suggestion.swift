// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

/// "Did you mean": finds the word that was probably meant.
enum Suggestion {
    /// The word that is nearest to what was typed, if any is near enough; the first of several.
    ///
    /// A word that begins with what was typed is always near. Otherwise up to three slips are forgiven, fewer in a
    /// short word: with one letter in two wrong, any word would do.
    static func closest(to typed: String, among words: [String]) -> String? {
        guard !typed.isEmpty else { return nil }
        if typed.count > 1, let longer = words.first(where: { $0.hasPrefix(typed) }) { return longer }
        let letters = Array(typed.utf8)
        var best: (word: String, distance: Int)?
        for word in words {
            let limit = min(3, max(1, word.count / 2 - 1))
            let found = EditDistance.distance(letters, Array(word.utf8), limit: limit)
            if let found, found < best?.distance ?? .max { best = (word, found) }
        }
        return best?.word
    }
}
