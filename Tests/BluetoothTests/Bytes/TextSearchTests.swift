// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

struct TextSearchTests {
    @Test(
        "A text is found at every place",
        arguments: [
            ("GVH5106_1234", "5106", true), ("5106", "5106", true), ("555106", "5106", true),
            ("GVH5105", "5106", false),
            ("510", "5106", false), ("", "a", false), ("", "", true), ("aaab", "aab", true), ("Grüße", "üß", true),
        ]
    )
    func contains(text: String, part: String, isFound: Bool) { #expect(text.contains(text: part[...]) == isFound) }

    @Test func `a text is split at a separator of several characters`() {
        #expect("a, b,c, ".split(at: ", ") == ["a", "b,c"])
        #expect("a, b,c, ".split(at: ", ", omittingEmptySubsequences: false) == ["a", "b,c", ""])
        #expect("".split(at: ", ", omittingEmptySubsequences: false) == [""])
        #expect("aaa".split(at: "aa", omittingEmptySubsequences: false) == ["", "a"])
    }

    @Test func `a text is replaced by its scalars`() {
        #expect("a-b--c".replacing("-", with: "\\-") == "a\\-b\\-\\-c")
        // A mark that combines with the quote before it makes one character of both.
        #expect("'\u{301}name'".replacing("\u{301}name", with: "…") == "'…'")
        #expect("same".replacing("", with: "x") == "same")
    }
}
