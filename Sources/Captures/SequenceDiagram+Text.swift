// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal
package import Toolkit

extension SequenceDiagram {
    package func file(_ format: DiagramFormat) -> [UInt8] {
        let text =
            switch format {
            case .text: text
            case .mermaid: mermaid
            case .picture: svg
            }
        return Array(text.utf8)
    }

    /// The columns between two participants in a text.
    private static let distance = 64
    /// The columns before the first participant: those of a time.
    private static let margin = 14

    /// The diagram as text: each participant has a column, and each arrow a line with its time.
    package var text: String {
        var lines = [header]
        let participants = participants
        for arrow in arrows {
            let (left, right) = (min(arrow.source, arrow.target), max(arrow.source, arrow.target))
            var row = ""
            for participant in participants.indices.dropLast() {
                row += "|"
                let isCrossed = left <= participant && participant < right
                row +=
                    isCrossed ? span(arrow, participant, left, right) : String(repeating: " ", count: Self.distance - 1)
            }
            lines.append(Self.time(arrow.elapsed) + row + "|")
        }
        if let omission { lines.append(String(repeating: " ", count: Self.margin) + "… \(omission)") }
        return lines.map { line in
            String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }

    /// The line with the names, each centred above its column.
    private var header: String {
        var line = ""
        for (index, name) in participants.enumerated() {
            let name = TerminalText.escaped(name)
            let column = Self.margin + index * Self.distance
            // Above its line, and a blank at least after the one before.
            let start = max(line.count + (index == 0 ? 0 : 1), column - name.count / 2)
            line += String(repeating: " ", count: start - line.count) + name
        }
        return line
    }

    /// The part of an arrow between a participant and the next one. The text is in the first part.
    private func span(_ arrow: Arrow, _ participant: Int, _ left: Int, _ right: Int) -> String {
        let stroke: Character =
            switch arrow.style {
            case .request: "-"
            case .answer, .failure: "."
            case .update: "~"
            }
        let isRightwards = arrow.source < arrow.target
        let head = arrow.style == .failure ? "x" : isRightwards ? ">" : "<"
        var text = ""
        if participant == left {
            text = TerminalText.fitted(TerminalText.escaped(arrow.text), columns: Self.distance - 8, ellipsis: "…")
            text = " \(text) "
        }
        let fill = max(0, Self.distance - 2 - text.count)
        let (before, after) = (min(2, fill), max(0, fill - 2))
        let body = String(repeating: stroke, count: before) + text + String(repeating: stroke, count: after)
        if isRightwards { return body + (participant == right - 1 ? head : String(stroke)) }
        return (participant == left ? head : String(stroke)) + body
    }

    /// The time of an arrow, as wide as the margin.
    private static func time(_ elapsed: Duration) -> String {
        let text = PacketText.seconds(elapsed)
        return String(repeating: " ", count: max(0, margin - 2 - text.count)) + text + "  "
    }

    /// The diagram in Mermaid's language. It has no times.
    var mermaid: String {
        var lines = ["sequenceDiagram"]
        for (index, name) in participants.enumerated() {
            lines.append("    participant p\(index) as \(Self.mermaid(name))")
        }
        for arrow in arrows {
            let stroke =
                switch arrow.style {
                case .request: "->>"
                case .answer: "-->>"
                case .failure: "--x"
                case .update: "-)"
                }
            lines.append("    p\(arrow.source)\(stroke)p\(arrow.target): \(Self.mermaid(arrow.text))")
        }
        if let omission { lines.append("    Note over p0: \(omission)") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A text without the characters that Mermaid interprets, which are replaced by its codes for them.
    private static func mermaid(_ text: String) -> String {
        var result = ""
        for character in TerminalText.escaped(text) {
            switch character {
            case "#", ";", "<", ">", "%", "\"": result += "#\(character.unicodeScalars.first?.value ?? 0x20);"
            default: result.append(character)
            }
        }
        return result
    }
}
