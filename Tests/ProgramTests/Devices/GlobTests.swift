// SPDX-License-Identifier: GPL-2.0-or-later

import Testing
import Toolkit

@Suite("Glob")
struct GlobTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let pattern: String
        let text: String
        let matches: Bool
        var testDescription: String { "\(pattern) \(matches ? "matches" : "does not match") \(text)" }
    }

    @Test(
        "matches as a shell does, in either case",
        arguments: [
            Vector(pattern: "Pulse", text: "Pulse", matches: true),
            Vector(pattern: "pulse", text: "PULSE", matches: true),
            Vector(pattern: "Pulse", text: "Pulse HR", matches: false),
            Vector(pattern: "Pulse*", text: "Pulse HR", matches: true),
            Vector(pattern: "*HR", text: "Pulse HR", matches: true),
            Vector(pattern: "*l*e*", text: "Pulse HR", matches: true),
            Vector(pattern: "P?lse*", text: "Pulse HR", matches: true),
            Vector(pattern: "?", text: "", matches: false),
            Vector(pattern: "*", text: "", matches: true),
            Vector(pattern: "", text: "", matches: true),
            Vector(pattern: "", text: "x", matches: false),
            Vector(pattern: "a\\*", text: "a*", matches: true),
            Vector(pattern: "a\\*", text: "ab", matches: false),
            Vector(pattern: "[a-c]1", text: "B1", matches: true),
            Vector(pattern: "[a-c]1", text: "d1", matches: false),
            Vector(pattern: "[!a-c]1", text: "d1", matches: true),
            Vector(pattern: "[!a-c]1", text: "a1", matches: false),
            Vector(pattern: "[]]", text: "]", matches: true),
            Vector(pattern: "[abc", text: "[abc", matches: true),
            Vector(pattern: "*[0-9][0-9]", text: "Sensor 42", matches: true),
        ]
    )
    func matches(vector: Vector) {
        #expect(Glob(vector.pattern).matches(vector.text) == vector.matches)
    }

    @Test("takes no exponential time, whatever the pattern")
    func linear() {
        #expect(!Glob(String(repeating: "*a", count: 50) + "b").matches(String(repeating: "a", count: 500)))
    }
}
