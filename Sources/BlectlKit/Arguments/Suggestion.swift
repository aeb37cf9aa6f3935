// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

/// "Did you mean": finds the word that a user probably meant.
enum Suggestion {
    /// The word that is most similar to a typed one, the first of several; `nil` if none is similar enough.
    ///
    /// A word that begins with the typed one is always similar. Otherwise up to three mistakes are allowed, fewer in
    /// short words, because with half of its letters wrong a word matches any other.
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
