// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import BlectlKit

extension ScriptEngineTests {
    /// Steps that check nothing, and so must not pass.
    static let passingFalsely: [Failing] = [
        Failing(
            name: "silence of a stream that has ended",
            steps: [
                Make.command(.notify, "heart-rate-measurement", "--count=1", as: "beats"),
                Make.step(.await(stream: "beats", count: 1, where: nil)),
                Make.step(
                    .never(
                        stream: "beats",
                        where: Make.compare("heart_rate_bpm", .greater(Make.word("0"))),
                        for: .seconds(5)
                    )
                ),
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  beats to run for the whole time", "  got       it has ended",
                "  note      it began at rig.blectl:1: step 1",
            ]
        ),
        Failing(
            name: "a count in a stream that has ended",
            steps: [
                Make.command(.notify, "heart-rate-measurement", "--count=1", as: "beats"),
                Make.step(.await(stream: "beats", count: 1, where: nil)),
                Make.step(.count(stream: "beats", atLeast: 0, atMost: 0, where: nil, for: .seconds(5))),
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  beats to run for the whole time", "  got       it has ended",
            ]
        ),
        Failing(
            name: "a mistyped field that must not come",
            steps: [
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.step(
                    .never(
                        stream: "beats",
                        where: Make.compare("hart_rate_bpm", .greater(Make.word("0"))),
                        for: .seconds(5)
                    )
                ),
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  hart_rate_bpm > 0", "  got       no field 'hart_rate_bpm'",
            ]
        ),
        Failing(
            name: "a mistyped field that is counted",
            steps: [
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.step(
                    .count(
                        stream: "beats",
                        atLeast: 0,
                        atMost: 0,
                        where: Make.compare("hart_rate_bpm", .present),
                        for: .seconds(5)
                    )
                ),
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  hart_rate_bpm present", "  got       no field 'hart_rate_bpm'",
            ]
        ),
        Failing(
            name: "a value beside the error that is expected",
            steps: [
                Make.command(.read, "battery-level", "heart-rate-control-point", expecting: [.error(nil)])
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  an ATT error and no result", "  got       87 %",
                "  value     57",
            ]
        ),
    ]

    /// A stream that ends before it has what it was to bring.
    private static let short = Make.command(
        .notify,
        "heart-rate-measurement",
        "--count=50",
        "--duration=2",
        as: "beats",
        line: 3
    )
    private static let reason = "2 of 50 values received from Pulse HR (C8:4B:1D:3A:90:5E): --duration ended the run"

    @Test func `a stream that has failed fails the step that ends or replaces it`() throws {
        let ends = [
            Make.step(.stop(stream: "beats"), line: 5),
            Make.command(.notify, "heart-rate-measurement", as: "beats", line: 5),
        ]
        for end in ends {
            let script = Make.script(Make.test("one", Self.short, Make.step(.pause(.seconds(5)), line: 4), end))
            let result = try ScriptBench.run(script)
            #expect([result.report].status == .expectationFailed)
            // It is told once, although nobody looks at the stream until the end.
            #expect(result.failures.map(\.place.line) == [5], "\(result.failures)")
            #expect(result.failures.first?.message.hasPrefix("beats has ended: \(Self.reason)") == true)
            #expect(result.failures.first?.notes.last == "it began at rig.blectl:3: step 3")
        }
    }

    @Test func `a stream that has failed, and that no step looks at, fails the test that ends next`() throws {
        let one = Make.test("one", Self.short, Make.step(.pause(.seconds(5)), line: 4))
        let alone = try ScriptBench.run(Make.script(one))
        #expect(alone.verdicts == ["failed"])
        #expect(alone.failures.map(\.place.line) == [3], "\(alone.failures)")
        #expect(alone.failures.first?.message.hasPrefix("beats has ended: \(Self.reason)") == true)
        #expect(alone.failures.first?.notes.last == "no step has looked at beats since")
        #expect(alone.failures.first?.packets.isEmpty == false)
        // The link is open, and the stream runs, when the first test ends.
        let later = try ScriptBench.run(
            Make.script(
                Make.test("begins", Self.short),
                Make.test("waits", Make.step(.pause(.seconds(5)))),
                Make.test("is skipped", Make.step(.pause(.seconds(5))))
            )
        )
        #expect(later.verdicts == ["passed", "failed", "skipped"], "\(later.firstLines)")
        let last = try ScriptBench.run(
            Make.script(Make.test("begins", Self.short), cleanup: [Make.step(.pause(.seconds(5)))])
        )
        #expect(last.report.tests.map(\.name) == ["begins", "cleanup"])
        #expect(last.verdicts == ["passed", "failed"], "\(last.firstLines)")
    }

    @Test func `a stream whose link the script closes has not failed`() throws {
        let script = Make.script(
            Make.test(
                "one",
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.step(.disconnect(device: nil)),
                Make.step(.pause(.seconds(1))),
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.step(.await(stream: "beats", count: 1, where: nil)),
                Make.step(.disconnect(device: nil)),
                Make.step(.stop(stream: "beats")),
                Make.command(.notify, "heart-rate-measurement", as: "beats")
            ),
            cleanup: [Make.step(.disconnect(device: nil))]
        )
        let result = try ScriptBench.run(script)
        #expect(result.verdicts == ["passed"], "\(result.firstLines)")
        let messages = result.steps.flatMap(\.messages)
        #expect(!messages.contains { $0.contains("was lost") }, "\(messages)")
    }

    @Test func `a check with a name that no link has fails beside one that is met`() throws {
        let connected = Make.compare("connected", .equal(Make.word("true")))
        let typo = Make.compare("mut", .greater(Make.word("23")))
        for condition in [.any([connected, typo]), .any([typo, connected]), Make.compare("mut", .absent)] {
            let script = Make.script(
                Make.test("one", Make.step(.connect(device: nil)), Make.step(.check(device: nil, condition)))
            )
            let result = try ScriptBench.run(script)
            #expect(result.failures.first?.got == "no field 'mut'", "\(result.failures)")
        }
    }

    @Test func `a field of another value is missing, and no failure`() throws {
        let low = Make.compare("battery_level", .less(Make.word("5")))
        let script = Make.script(
            Make.test(
                "one",
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.step(.never(stream: "beats", where: low, for: .seconds(5)))
            )
        )
        let result = try ScriptBench.run(script)
        #expect(result.verdicts == ["passed"], "\(result.firstLines)")
    }
}
