// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Terminal

@Suite("Drawing on a terminal")
struct DrawingTests {
    private static let unicode = TextStyle(usesColor: true, isTerminal: true)
    private static var ascii: TextStyle {
        var style = TextStyle(usesColor: false, isTerminal: true)
        style.usesUnicode = false
        return style
    }

    @Test(
        "the environment tells the abilities of a terminal",
        arguments: [
            ([:], true, true, false, false), (["TERM": "dumb"], false, true, false, false),
            (["NO_COLOR": "1"], true, false, false, false), (["NO_COLOR": ""], true, true, false, false),
            (["TERM": "xterm-256color"], true, true, true, false),
            (["COLORTERM": "truecolor"], true, true, true, false),
            (["LANG": "de_DE.UTF-8"], true, true, false, true),
            (["LC_ALL": "C", "LANG": "C.UTF-8"], true, true, false, false),
            (["LC_ALL": "", "LC_CTYPE": "en_US.utf8"], true, true, false, true),
        ] as [([String: String], Bool, Bool, Bool, Bool)]
    )
    func capabilities(
        _ environment: [String: String],
        _ movesCursor: Bool,
        _ mayColor: Bool,
        _ hasManyColors: Bool,
        _ usesUnicode: Bool
    ) {
        let found = TerminalCapabilities { environment[$0] }
        #expect(found.movesCursor == movesCursor && found.mayColor == mayColor)
        #expect(found.hasManyColors == hasManyColors && found.usesUnicode == usesUnicode)
    }

    @Test("a line is cut at the edge, even within wide characters")
    func line() {
        var line = StyledLine("心拍", .cyan)
        line.append(" is a heart", .bold)
        #expect(line.width == 15)
        #expect(line.rendered(Self.unicode, columns: 15) == "\u{1B}[36m心拍\u{1B}[0m\u{1B}[1m is a heart\u{1B}[0m")
        #expect(line.rendered(Self.unicode, columns: 7) == "\u{1B}[36m心拍\u{1B}[0m\u{1B}[1m i…\u{1B}[0m")
        #expect(line.rendered(Self.unicode, columns: 4) == "\u{1B}[36m心…\u{1B}[0m")
        #expect(line.rendered(Self.ascii, columns: 8) == "???? is~")
        for columns in 0...20 {
            let text = line.rendered(Self.ascii, columns: columns)
            #expect(TerminalText.width(of: text) <= columns)
        }
        line.isSelected = true
        #expect(line.rendered(Self.ascii, columns: 17) == "\u{1B}[7m???? is a heart  \u{1B}[0m")
    }

    @Test("only changes are drawn")
    func update() {
        var update = ScreenUpdate()
        let size = ScreenSize(columns: 20, rows: 4)
        let first = update.text(for: ["a", "b", "c"], size) ?? ""
        #expect(first.contains("a\u{1B}[K") && first.contains("\u{1B}[4;1H\u{1B}[J"))
        #expect(update.text(for: ["a", "b", "c"], size) == nil)
        let second = update.text(for: ["a", "x", "c"], size)
        #expect(second == "\u{1B}[?2026h\u{1B}[2;1Hx\u{1B}[K\u{1B}[?2026l")
        #expect(update.text(for: ["a"], size)?.contains("\u{1B}[2;1H\u{1B}[J") == true)
        #expect(
            update.text(for: ["a"], ScreenSize(columns: 21, rows: 4))?.contains("a\u{1B}[K") == true,
            "another size"
        )
        update.forget()
        #expect(update.text(for: ["a"], ScreenSize(columns: 21, rows: 4)) != nil)
        let least = update.text(for: ["a", "b", "c"], ScreenSize(columns: 1, rows: 1)) ?? ""
        #expect(least.contains("a\u{1B}[K") && !least.contains("b"))
    }

    @Test("charts keep size and order")
    func charts() {
        let chart = Chart(.unicode)
        #expect(chart.sparkline([1, 2, 3, 4, 5, 6, 7, 8], columns: 8) == "▁▂▃▄▅▆▇█")
        #expect(chart.sparkline([5, 5, nil, 5], columns: 8) == "▅▅ ▅")
        #expect(chart.sparkline([1, 2, 3], columns: 2) == "▁█")
        let greatest = Double.greatestFiniteMagnitude
        #expect(chart.sparkline([-greatest, 0, greatest], columns: 8) == "▁▅█")
        #expect(chart.sparkline([], columns: 8) == "" && chart.sparkline([nil], columns: 8) == "")
        #expect(Chart(.ascii).sparkline([1, 8], columns: 8) == "_#")
        #expect(
            chart.bar(0.5, columns: 4) == "██░░" && chart.bar(-1, columns: 2) == "░░"
                && chart.bar(9, columns: 2) == "██"
        )
        #expect(chart.bar(0.5 + 1 / 64, columns: 8) == "████▏░░░")
        #expect(chart.lines([0, 1], columns: 2, rows: 2, in: 0...1) == [" █", "▁█"])
        #expect(Chart(.ascii).bar(0.5, columns: 4).count == 4)
    }
}
