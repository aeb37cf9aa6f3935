// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal
import Toolkit

extension SequenceDiagram {
    /// The pixels between two arrows.
    private static let rowHeight = 26
    /// The pixels between two participants, wide enough for most texts of packets.
    private static let columnWidth = 420
    /// The pixels at both sides, where the times stand.
    private static let margin = 150
    /// The pixels above the first arrow.
    private static let top = 56

    package var svg: String {
        let width = Self.margin * 2 + (participants.count - 1) * Self.columnWidth
        let rows = arrows.count + (omittedCount > 0 ? 1 : 0)
        let bottom = Self.top + (rows + 1) * Self.rowHeight
        var lines = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(width) \#(bottom + 10)" width="\#(width)" "#
                + #"font-family="sans-serif" font-size="12">"#,
            #"<style>text{fill:#1c2733}.t{fill:#66727f;text-anchor:end;font-family:monospace}.n{text-anchor:middle;"#
                + #"font-weight:bold}.m{text-anchor:middle}.l{stroke:#b6c0ca}path{fill:none;stroke-width:1.4}"#
                + #".request{stroke:#1f6feb}.answer{stroke:#2f855a;stroke-dasharray:6 3}.failure{stroke:#c53030;"#
                + #"stroke-dasharray:6 3}.update{stroke:#b7791f}</style>"#,
            #"<rect width="100%" height="100%" fill="white"/>"#,
        ]
        for (index, name) in participants.enumerated() {
            let x = Self.x(index)
            lines.append(#"<line class="l" x1="\#(x)" y1="36" x2="\#(x)" y2="\#(bottom)"/>"#)
            lines.append(#"<text class="n" x="\#(x)" y="26">\#(SVGText.escaped(name))</text>"#)
        }
        for (index, arrow) in arrows.enumerated() {
            lines += Self.rows(of: arrow, at: Self.top + index * Self.rowHeight)
        }
        if let omission {
            lines.append(#"<text class="t" x="\#(Self.x(0) - 14)" y="\#(bottom - Self.rowHeight)">\#(omission)</text>"#)
        }
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private static func rows(of arrow: Arrow, at y: Int) -> [String] {
        let (from, to) = (x(arrow.source), x(arrow.target))
        let back = from < to ? -8 : 8
        let head =
            arrow.style == .failure
            ? "M\(to + min(back, 0)) \(y - 4)l8 8m0 -8l-8 8" : "M\(to + back) \(y - 4)L\(to) \(y)L\(to + back) \(y + 4)"
        let seconds = PacketText.seconds(arrow.elapsed).drop { $0 == " " }
        return [
            #"<text class="t" x="\#(x(0) - 14)" y="\#(y + 4)">\#(seconds)</text>"#,
            #"<text class="m" x="\#((from + to) / 2)" y="\#(y - 5)">\#(SVGText.escaped(SVGText.fitted(arrow.text, columns: 56)))</text>"#,
            #"<path class="\#(arrow.style)" d="M\#(from) \#(y)L\#(to) \#(y)\#(head)"/>"#,
        ]
    }

    private static func x(_ participant: Int) -> Int { margin + participant * columnWidth }
}
