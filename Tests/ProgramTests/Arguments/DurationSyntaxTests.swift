// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface

@Suite("Times on the command line")
struct DurationSyntaxTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let text: String
        let duration: Duration

        var testDescription: String { text }
    }

    static let vectors = [
        Vector(text: "5", duration: .seconds(5)),
        Vector(text: "007", duration: .seconds(7)),
        Vector(text: "1.5", duration: .milliseconds(1500)),
        Vector(text: "0.000000001", duration: .nanoseconds(1)),
        Vector(text: "500ms", duration: .milliseconds(500)),
        Vector(text: "1.25ms", duration: .microseconds(1250)),
        Vector(text: "2s", duration: .seconds(2)),
        Vector(text: "0.1s", duration: .milliseconds(100)),
        Vector(text: "1m", duration: .seconds(60)),
        Vector(text: "1.5m", duration: .seconds(90)),
        Vector(text: "1.5 min", duration: .seconds(90)),
        Vector(text: "10 s", duration: .seconds(10)),
        Vector(text: "250us", duration: .microseconds(250)),
        Vector(text: "7 ns", duration: .nanoseconds(7)),
        Vector(text: "1d", duration: .seconds(86_400)),
        Vector(text: "8h", duration: .seconds(28_800)),
        Vector(text: "0.5h", duration: .seconds(1800)),
        Vector(text: "8760h", duration: .seconds(31_536_000)),
        Vector(text: "31536000", duration: .seconds(31_536_000)),
    ]

    @Test("a number of seconds, or a number with a unit, is read exactly", arguments: vectors)
    func reads(_ vector: Vector) throws {
        #expect(try DurationSyntax.parse(vector.text) == vector.duration)
    }

    @Test(
        "what is not a time is refused",
        arguments: [
            "", " ", "s", "ms", ".", "5.", ".5", "1.2.3", "-1", "+1", "1e3", "nan", "inf", "0x10", "1  s", " 1", "1 ",
            "1sec", "1sm", "5S", "٣", "1,5", "1.0000000001",
        ]
    )
    func refuses(_ text: String) {
        #expect(throws: ValueProblem(expectation: "expected a time such as 5, 1.5, 500ms, 2s, 1m or 8h")) {
            try DurationSyntax.parse(text)
        }
    }

    @Test("no time at all is refused", arguments: ["0", "0.0", "0ms", "0h", "0.000000000"])
    func refusesZero(_ text: String) {
        #expect(throws: ValueProblem(expectation: "expected more than zero")) { try DurationSyntax.parse(text) }
    }

    @Test(
        "more than a year is refused",
        arguments: [
            "8760.1h", "31536001", "999999999999", "99999999999999999999d", "99999999999h", "99999999999.999999999h",
        ]
    )
    func refusesForever(_ text: String) {
        #expect(throws: ValueProblem(expectation: "expected a year at most")) { try DurationSyntax.parse(text) }
    }
}
