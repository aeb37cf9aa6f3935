// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface

@Suite("mdoc(7)")
struct TroffTests {
    private func text(_ markup: String) -> String {
        var page = Troff()
        page.paragraph(markup)
        return page.text
    }

    @Test("typed text is bold, and copied from the page unchanged")
    func literal() {
        #expect(text("Say `--name='a'` now.") == "Say \\fB\\-\\-name=\\(aqa\\(aq\\fP now.\n")
        #expect(text("In `~/x\\y^`") == "In \\fB\\(ti/x\\ey\\(ha\\fP\n")
    }

    @Test("a reference to a page keeps its section apart")
    func reference() {
        #expect(text("See `blectl-read(1)`.") == "See \\fBblectl\\-read\\fP(1).\n")
    }

    @Test("text is not taken for a macro")
    func guarding() {
        #expect(text(".Sh X") == "\\&.Sh X\n")
        #expect(text("'tis") == "\\&'tis\n")
    }

    @Test("each sentence begins a line, but typed text does not")
    func sentences() {
        #expect(text("One. Two (it is.) Three: `a. b` four.") == "One.\nTwo (it is.)\nThree: \\fBa. b\\fP four.\n")
    }

    @Test("marks come in pairs")
    func spans() {
        #expect(Markup.spans("a `b` c") == [.text("a "), .literal("b"), .text(" c")])
        #expect(Markup.spans("`b`") == [.literal("b")])
        #expect(Markup.plain("a `b` c") == "a b c")
        #expect(Markup.sentence("an apple") == "An apple.")
    }
}
