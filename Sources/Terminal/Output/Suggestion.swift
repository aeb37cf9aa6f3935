// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// "Did you mean": finds the word that a user probably meant.
package enum Suggestion {
    /// The word that is most similar to a typed one, the first of several; `nil` if none is similar enough.
    ///
    /// A word that begins with the typed one is always similar. Otherwise up to three mistakes are allowed, fewer in
    /// short words, because with half of its letters wrong a word matches any other. Case does not count.
    package static func closest(to typed: String, among words: [String]) -> String? {
        guard !typed.isEmpty else { return nil }
        let typed = typed.lowercased()
        // Many words begin with the same letter, so that one letter says too little.
        if typed.count > 1, let longer = words.first(where: { $0.lowercased().hasPrefix(typed) }) { return longer }
        let letters = Array(typed.utf8)
        var best: (word: String, distance: Int)?
        for word in words {
            let limit = min(3, max(1, word.count / 2 - 1))
            let found = EditDistance.distance(letters, Array(word.lowercased().utf8), limit: limit)
            if let found, found < best?.distance ?? .max { best = (word, found) }
        }
        return best?.word
    }

    /// The name of a device that is most similar to a typed one or to a pattern; `nil` if none is similar enough.
    ///
    /// Case and the signs of a pattern do not count. A name that contains the typed text comes first.
    package static func name(closestTo typed: String, among names: [String]) -> String? {
        let wanted = typed.lowercased().filter { !"*?".contains($0) }
        // The time for a distance grows with the product of both lengths, and the names come from the air.
        guard wanted.count > 1, wanted.utf8.count <= longestName else { return nil }
        let candidates = names.filter { $0.utf8.count <= longestName }.map { ($0, $0.lowercased()) }
        if let longer = candidates.first(where: {
            $0.1.contains(text: wanted) || wanted.contains(text: $0.1) && $0.1.count > 2
        }) {
            return longer.0
        }
        let letters = Array(wanted.utf8)
        let limit = min(3, max(1, wanted.count / 3))
        var best: (name: String, distance: Int)?
        for (name, lower) in candidates {
            let found = EditDistance.distance(letters, Array(lower.utf8), limit: limit)
            if let found, found < best?.distance ?? .max { best = (name, found) }
        }
        return best?.name
    }

    /// The longest name that a Device Name characteristic can hold, in octets. Advertised names are shorter.
    private static let longestName = 248
}
