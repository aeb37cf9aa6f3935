// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface

@Suite("Lines of the shell")
struct ShellLineTests {
    private func words(_ text: String) throws -> [String] { try ShellLine(text).words.map(\.text) }

    @Test(arguments: [
        ("", []), ("  \t ", []), ("# nothing", []), ("read a b", ["read", "a", "b"]), ("  read\ta ", ["read", "a"]),
        ("read 'Pulse HR'", ["read", "Pulse HR"]), ("read \"Pulse HR\"", ["read", "Pulse HR"]),
        ("read Pulse\\ HR", ["read", "Pulse HR"]), ("a'b c'd\"e f\"g", ["ab cde fg"]),
        ("write x ''", ["write", "x", ""]),
        ("'a\\b' \"a\\\"b\\\\c\\d\"", ["a\\b", "a\"b\\c\\d"]), ("a # b", ["a"]),
        ("a#b '#c' \\#d", ["a#b", "#c", "#d"]),
        ("'it'\\''s'", ["it's"]), ("é\\ü", ["éü"]),
    ])
    func `words are split as in other shells`(_ text: String, _ expected: [String]) throws {
        let line = try ShellLine(text)
        #expect(line.words.map(\.text) == expected)
        #expect(!line.isBackground)
    }

    @Test(arguments: ["notify x &", "notify x&", "notify x  &  ", "notify x & # so"])
    func `an ampersand at the end means the background`(_ text: String) throws {
        let line = try ShellLine(text)
        #expect(line.isBackground)
        #expect(line.words.map(\.text) == ["notify", "x"])
    }

    @Test func `an ampersand in quotes is a character`() throws {
        let line = try ShellLine("write x 'a&b' c\\&")
        #expect(!line.isBackground)
        #expect(line.words.map(\.text) == ["write", "x", "a&b", "c&"])
    }

    @Test(arguments: [
        ("read 'a", ShellLine.Problem.openQuote("'")), ("read \"a'", .openQuote("\"")), ("read \\", .lonelyBackslash),
        ("&", .misplacedAmpersand), ("a & b", .misplacedAmpersand), ("a && b", .misplacedAmpersand),
    ])
    func `an invalid line is refused`(_ text: String, _ problem: ShellLine.Problem) {
        #expect(throws: problem) { try ShellLine(text) }
    }

    @Test func `an escaped word is read back`() throws {
        let hard = ["", " ", "Pulse HR", "it's", "a\"b", "\\", "#x", "a#b", "a&b", "-x", "\t", "é ü", "'\"\\ &#"]
        for word in hard {
            #expect(try words("read \(ShellLine.escaped(word)) end") == ["read", word, "end"], "\(word)")
        }
    }

    @Test func `places count scalars, and an unfinished line keeps the part before its end`() {
        let line = ShellLine(unfinished: "é  'a b' \"c")
        #expect(line.words == [.init(text: "é", start: 0), .init(text: "a b", start: 3), .init(text: "c", start: 9)])
        #expect(!line.isLastComplete)
        #expect(ShellLine(unfinished: "a ").isLastComplete)
    }

    @Test func `random text never traps`() {
        var random = SystemRandomNumberGenerator()
        let pieces = Array("ab '\"\\&#\té\u{0301}👍🏽\u{0}\n")
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in pieces.randomElement(using: &random) }
            )
            let line = ShellLine(unfinished: text)
            #expect(line.words.allSatisfy { $0.start < text.unicodeScalars.count })
        }
    }
}
