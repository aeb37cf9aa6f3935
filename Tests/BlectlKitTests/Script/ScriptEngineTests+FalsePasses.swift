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
