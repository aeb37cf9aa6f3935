// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface

@Suite("Text in columns")
struct TextLayoutTests {
    @Test("words fill a line up to its last column")
    func wrap() {
        #expect(TextLayout.wrap("aa bb cc", width: 5) == ["aa bb", "cc"])
        #expect(TextLayout.wrap("aa bb cc", width: 4) == ["aa", "bb", "cc"])
        #expect(TextLayout.wrap("a\nb  c", width: 80) == ["a b c"])
        #expect(TextLayout.wrap("", width: 5) == [])
    }

    @Test("a word longer than a line has its own line")
    func longWord() {
        #expect(TextLayout.wrap("a bbbbbbb c", width: 3) == ["a", "bbbbbbb", "c"])
        #expect(TextLayout.wrap("a b", width: -1) == ["a", "b"])
    }

    @Test("a term that is too long stands above its text")
    func table() {
        var layout = TextLayout(width: 40)
        layout.table([("one", "first"), ("a very long term", "second of the two, which goes on")], widestTerm: 8)
        #expect(
            layout.text == """
                  one  first
                  a very long term
                       second of the two, which goes on

                """
        )
    }

    @Test("sections are one empty line apart")
    func gaps() {
        var layout = TextLayout(width: 40)
        layout.gap()
        layout.heading("first")
        layout.gap()
        layout.gap()
        layout.heading("second")
        #expect(layout.text == "first:\n\nsecond:\n")
    }
}
