// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal
import Testing

@Suite("TerminalText")
struct TerminalTextTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let text: String
        let escaped: String
        var testDescription: String { escaped }
    }

    @Test(
        "escapes characters that a terminal obeys, or that mislead a reader",
        arguments: [
            Vector(text: "\u{1B}[31mred\u{1B}[0m", escaped: "\\u{1B}[31mred\\u{1B}[0m"),
            Vector(text: "\u{1B}]0;title\u{07}", escaped: "\\u{1B}]0;title\\u{7}"),
            Vector(text: "\u{9B}31m", escaped: "\\u{9B}31m"),
            Vector(text: "a\nb\rc\td", escaped: "a\\nb\\rc\\td"),
            Vector(text: "a\r\nb", escaped: "a\\r\\nb"),
            Vector(text: "NUL\u{0}DEL\u{7F}", escaped: "NUL\\u{0}DEL\\u{7F}"),
            Vector(text: "\u{202E}gpj.exe", escaped: "\\u{202E}gpj.exe"),
            Vector(text: "zero\u{200B}width\u{FEFF}", escaped: "zero\\u{200B}width\\u{FEFF}"),
            Vector(text: "\u{2028}\u{2029}\u{2066}", escaped: "\\u{2028}\\u{2029}\\u{2066}"),
            Vector(text: "tag\u{E0041}", escaped: "tag\\u{E0041}"),
        ]
    )
    func escapes(vector: Vector) {
        #expect(TerminalText.escaped(vector.text) == vector.escaped)
    }

    @Test(
        "leaves ordinary text alone",
        arguments: ["Pulse HR", "Frühstück", "心拍計", "back\\slash", "$(reboot)", "-rf", "e\u{301}"]
    )
    func keeps(text: String) {
        #expect(TerminalText.escaped(text) == text)
    }

    @Test("removes every scalar that is a control, a format or a separator")
    func allScalars() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let escaped = TerminalText.escaped(String(Character(scalar)))
            if value < 0x20 || (0x7F...0x9F).contains(value) || (0x202A...0x202E).contains(value) || value == 0x200F {
                #expect(!escaped.unicodeScalars.contains(scalar))
            }
        }
    }

    @Test("knows the width of text, and cuts it to fit")
    func width() {
        #expect(TerminalText.width(of: "abc") == 3)
        #expect(TerminalText.width(of: "心拍計") == 6)
        #expect(TerminalText.width(of: "e\u{301}") == 1)
        #expect(TerminalText.fitted("Heart Rate", columns: 5) == "Hear…")
        #expect(TerminalText.fitted("心拍計", columns: 5) == "心拍…")
        #expect(TerminalText.fitted("abc", columns: 3) == "abc")
        #expect(TerminalText.fitted("abc", columns: 0) == "")
        #expect(TerminalText.padded("心", columns: 4) == "心  ")
    }

    @Test("typed text is escaped and cut before a terminal shows it")
    func quoting() {
        #expect(Prose.quoted("a\u{1B}[31mb\n") == "'a\\u{1b}[31mb\\u{a}'")
        #expect(Prose.quoted("\u{202E}evil\u{200B}") == "'\\u{202e}evil\\u{200b}'")
        #expect(Prose.quoted("größer") == "'größer'")
        #expect(Prose.quoted(String(repeating: "x", count: 81)) == "'\(String(repeating: "x", count: 80))...'")
        #expect(Prose.quoted(String(repeating: "x", count: 80)) == "'\(String(repeating: "x", count: 80))'")
    }
}
