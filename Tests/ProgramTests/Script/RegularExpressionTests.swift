// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface
@testable import Scripting

@Suite("Regular expressions")
struct RegularExpressionTests {
    @Test func `are those of POSIX, extended`() throws {
        #expect(try RegularExpression("^Pulse( HR)?$").matches("Pulse HR"))
        #expect(try !RegularExpression("^Pulse$").matches("Pulse HR"))
        #expect(try RegularExpression("[0-9]{2,3}").matches("a 42"))
        #expect(try RegularExpression("é").matches("café"))
        #expect(try RegularExpression("").matches(""))
    }

    @Test(
        "refuse wrong and too costly patterns",
        arguments: [
            "(", "[", "a{2", "(a)\\1", String(repeating: "a", count: 257), "((a{100}){100})", "a\u{0}b",
            "a{99999999999}",
        ]
    )
    func invalid(_ pattern: String) {
        #expect(throws: ValueProblem.self) { try RegularExpression(pattern) }
    }

    @Test func `search after a NUL`() throws {
        #expect(try RegularExpression("ERROR").matches("ok\0ERROR"))
        #expect(try RegularExpression("^ok.+ERROR$").matches("ok\0\0ERROR"))
        #expect(try !RegularExpression("^ok$").matches("ok\0"))
    }

    @Test func `search a bounded part of a text`() throws {
        let expression = try RegularExpression("z")
        #expect(expression.matches(String(repeating: "a", count: 4_000) + "z"))
        #expect(!expression.matches(String(repeating: "a", count: 5_000) + "z"))
    }
}
