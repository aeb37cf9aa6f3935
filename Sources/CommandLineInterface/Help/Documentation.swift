// SPDX-License-Identifier: GPL-2.0-or-later

/// A term with its explanation, for the manual and for help. Both have markup.
package struct DocumentationEntry: Sendable {
    package let term: String
    package let text: String
    /// What belongs to the term, below it.
    package let entries: [DocumentationEntry]

    package init(_ term: String, _ text: String, _ entries: [DocumentationEntry] = []) {
        self.term = term
        self.text = text
        self.entries = entries
    }

    /// Terms with their texts.
    package static func list(_ entries: KeyValuePairs<String, String>) -> [DocumentationEntry] {
        entries.map { DocumentationEntry($0.key, $0.value) }
    }
}

/// A piece of the documentation that the manual and help lay out in their own ways.
package enum DocumentationPart: Sendable {
    case heading(String)
    case paragraphs([String])
    case entries([DocumentationEntry])
    case options([OptionSpec])
}

/// What `blectl help TOPIC` prints: a section of a manual page.
package struct HelpTopic: Sendable {
    package let word: String
    /// What it is about, as one line in lower case without a full stop.
    package let summary: String
    /// The heading of the section, in lower case.
    package let title: String
    /// Where the manual has it, and more: `TARGETS in blectl(1)`.
    package let place: String
    /// Makes the content, which few runs need.
    let parts: @Sendable () -> [DocumentationPart]

    package init(
        _ word: String,
        title: String? = nil,
        summary: String,
        place: String? = nil,
        parts: @escaping @Sendable () -> [DocumentationPart]
    ) {
        self.word = word
        self.summary = summary
        self.title = title ?? word
        self.place = place ?? "\(self.title.uppercased()) in \(ManualReference.program.text)"
        self.parts = parts
    }

    package init(_ concept: Concept) {
        self.init(concept.word, title: concept.title, summary: concept.summary) { concept.parts }
    }

    package init(_ group: OptionGroup) {
        self.init(group.word, title: group.title, summary: group.summary) {
            [.paragraphs([group.introduction]), .options(group.options)]
        }
    }
}
