// SPDX-License-Identifier: GPL-2.0-or-later

/// The words of a step as arguments of a command line.
enum StepCommandLine {
    /// The texts of the words. Throws if the value of a variable would become an option, so that a text from the air
    /// never is one, such as `--output`.
    ///
    /// - Parameter text: The text of a word, with its variables replaced.
    static func texts(
        _ words: [ScriptWord],
        text: (ScriptWord) throws(BlectlError) -> String
    ) throws(BlectlError) -> [String] {
        var texts: [String] = []
        var isBehindOptions = false
        for word in words {
            let value = try text(word)
            if !isBehindOptions, becomesOption(word, value) {
                throw BlectlError(.badData, optionMessage(word, value), hint: optionHint(word))
            }
            isBehindOptions = isBehindOptions || value == "--"
            texts.append(value)
        }
        return texts
    }

    /// Whether a variable at the beginning of a word makes it an option. A negative number is none.
    static func becomesOption(_ word: ScriptWord, _ text: String) -> Bool {
        if case .literal? = word.parts.first { return false }
        guard text.hasPrefix("-"), text != "-" else { return false }
        let digits = text.dropFirst().drop { $0 == "." }
        return digits.first.map { !("0"..."9").contains($0) } ?? true
    }

    static func optionMessage(_ word: ScriptWord, _ text: String) -> String {
        "the value of \(word.shown) is \(Prose.quoted(text)), and would be an option"
    }

    static func optionHint(_ word: ScriptWord) -> String {
        "as a value: --OPTION=\(word.shown); as an argument: -- \(word.shown)"
    }
}
