// SPDX-License-Identifier: GPL-2.0-or-later

import Commands

/// A terminal's screen as an SVG picture, for those who look before they read.
enum SVGPicture {
    private static let cell = (width: 8.4, height: 18.0)
    private static let margin = 14.0
    private static let barHeight = 34.0
    private static let colors = [
        "": "#cdd6f4", "1": "#ffffff", "2": "#8a90a8", "31": "#f38ba8", "32": "#a6e3a1", "33": "#f9e2af",
        "36": "#89dceb", "38;5;148": "#c6d95c", "38;5;208": "#fab387",
    ]

    /// Draws the lines below a title, which is the command.
    static func draw(_ cells: [[TerminalScreen.Cell]], title: String) -> String {
        let columns = cells.first?.count ?? 0
        let width = number(Double(columns) * cell.width + 2 * margin)
        let height = number(Double(cells.count) * cell.height + barHeight + margin)
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
            font-family="'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace" font-size="14">
            """,
            "<title>\(escaped(title))</title>",
            "<rect width=\"\(width)\" height=\"\(height)\" rx=\"8\" fill=\"#1e1e2e\"/>",
        ]
        for (index, color) in ["#f38ba8", "#f9e2af", "#a6e3a1"].enumerated() {
            lines.append(
                "<circle cx=\"\(number(margin + 6 + Double(index) * 18))\" cy=\"17\" r=\"6\" fill=\"\(color)\"/>"
            )
        }
        lines.append("<text x=\"\(number(margin + 64))\" y=\"22\" fill=\"#8a90a8\">\(escaped(title))</text>")
        for (row, line) in cells.enumerated() {
            lines += runs(line).map { draw($0, row) }
        }
        lines.append("</svg>")
        return lines.joined(separator: "\n") + "\n"
    }

    private struct Run {
        var column: Int
        var columns = 0
        var text = ""
        let attributes: String
    }

    /// The parts of a line with the same attributes. Blanks at their ends are left out, because nothing is drawn there.
    private static func runs(_ line: [TerminalScreen.Cell]) -> [Run] {
        var runs: [Run] = []
        for (column, cell) in line.enumerated() {
            if runs.last?.attributes != cell.attributes {
                runs.append(Run(column: column, attributes: cell.attributes))
            }
            runs[runs.count - 1].columns += 1
            if let character = cell.character { runs[runs.count - 1].text.append(character) }
        }
        return runs.compactMap { run in
            guard run.attributes != "7" else { return run }
            var run = run
            while run.text.last == " " {
                run.text.removeLast()
                run.columns -= 1
            }
            while run.text.first == " " {
                run.text.removeFirst()
                run.column += 1
                run.columns -= 1
            }
            return run.text.isEmpty ? nil : run
        }
    }

    private static func draw(_ run: Run, _ row: Int) -> String {
        let (x, y) = (margin + Double(run.column) * cell.width, barHeight + Double(row) * cell.height)
        let length = number(Double(run.columns) * cell.width)
        var shape = ""
        var color = colors[run.attributes] ?? "#cdd6f4"
        if run.attributes == "7" {
            shape = "<rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(length)\" height=\"18\" fill=\"#cdd6f4\"/>"
            color = "#1e1e2e"
        }
        let weight = run.attributes == "1" ? " font-weight=\"bold\"" : ""
        return shape
            + "<text x=\"\(number(x))\" y=\"\(number(y + 13.5))\" fill=\"\(color)\"\(weight) textLength=\"\(length)\" "
            + "xml:space=\"preserve\">\(escaped(run.text))</text>"
    }

    /// A number with at most one digit after the decimal point.
    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
