// SPDX-License-Identifier: MIT

/// Searches for texts in texts by their UTF-8, as the algorithms of the standard library do by characters. Those are in
/// the module of regular expressions, and one use of it links its parser and its engine, which are 1.2 MB of the program.
extension StringProtocol {
    /// Whether the text occurs in this one; the empty one does.
    package func contains(text: some StringProtocol) -> Bool {
        text.isEmpty || range(of: Array(text.utf8), from: startIndex) != nil
    }

    /// The parts between occurrences of the separator, which is not empty.
    ///
    /// - Parameter omittingEmptySubsequences: Whether empty parts are left out.
    package func split(at separator: some StringProtocol, omittingEmptySubsequences: Bool = true) -> [SubSequence] {
        let pattern = Array(separator.utf8)
        var parts: [SubSequence] = []
        var start = startIndex
        while let range = range(of: pattern, from: start) {
            parts.append(self[start..<range.lowerBound])
            start = range.upperBound
        }
        parts.append(self[start...])
        return omittingEmptySubsequences ? parts.filter { !$0.isEmpty } : parts
    }

    /// The text with each occurrence of one text, which is not empty, replaced by another.
    package func replacing(_ text: some StringProtocol, with replacement: some StringProtocol) -> String {
        split(at: text, omittingEmptySubsequences: false).joined(separator: String(replacement))
    }

    private func range(of pattern: [UInt8], from start: Index) -> Range<Index>? {
        guard let first = pattern.first else { return nil }
        var start = start
        while let candidate = utf8[start...].firstIndex(of: first) {
            var end = candidate
            if pattern.allSatisfy({ octet in
                guard end != endIndex, utf8[end] == octet else { return false }
                end = utf8.index(after: end)
                return true
            }) {
                return candidate..<end
            }
            start = utf8.index(after: candidate)
        }
        return nil
    }
}
