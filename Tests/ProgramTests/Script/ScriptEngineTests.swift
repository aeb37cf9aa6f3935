// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import CaptureCommands
import SimulatedRadio
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Scripting

@Suite("Running scripts")
struct ScriptEngineTests {
    private static let percent = ScriptExpectation.result(Make.within(nil, "20", "100"))

    @Test func `steps share a link, and later ones use values that were read`() throws {
        let script = Make.script(
            Make.test(
                "values",
                Make.command(.read, "battery-level", as: "level", expecting: [Self.percent]),
                Make.step(.expect(Make.variable("level"), Make.compare(.equal(Make.word("87"))))),
                Make.step(.set("copy", Make.variable("level", "decoded", "battery_level_percent"))),
                Make.step(.expect(Make.variable("copy"), Make.compare(.equal(Make.variable("level"))))),
                Make.command(.write, "heart-rate-control-point", "02", on: "strap", expecting: [.error(0x80)]),
                Make.command(.write, "heart-rate-control-point", "01", on: "strap"),
                Make.step(
                    .check(
                        device: nil,
                        .all([
                            Make.compare("connected", .equal(Make.word("true"))), Make.within("mtu", "23", nil),
                        ])
                    )
                )
            )
        )
        let result = try ScriptBench.run(script)
        #expect(result.verdicts == ["passed"], "\(result.firstLines)")
        #expect(result.steps.count == 7)
        // Only the first step looks for the device and connects.
        #expect(result.steps[0].duration > .milliseconds(100))
        #expect(result.steps[5].duration < .milliseconds(200))
    }

    @Test func `a stream starts before the step that causes its values`() throws {
        let measurement = Make.compare("heart_rate_bpm", .range(lower: Make.word("40"), upper: Make.word("180")))
        let script = Make.script(
            Make.test(
                "beats",
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.command(.write, "heart-rate-control-point", "01"),
                Make.step(
                    .await(stream: "beats", count: 1, where: Make.compare("energy_expended_kj", .present)),
                    as: "last",
                    within: .seconds(30),
                    expecting: [.result(measurement)]
                ),
                Make.step(.expect(Make.variable("last"), Make.compare("energy_expended_kj", .equal(Make.word("0"))))),
                Make.step(
                    .never(
                        stream: "beats",
                        where: Make.compare("contact", .equal(Make.word("false"))),
                        for: .seconds(2)
                    )
                ),
                Make.step(.count(stream: "beats", atLeast: 4, atMost: 6, where: nil, for: .seconds(5))),
                Make.step(.order(stream: "beats", [measurement, measurement]), within: .seconds(5)),
                Make.step(.pause(.seconds(600))),
                Make.step(.await(stream: "beats", count: 100, where: nil), within: .seconds(1)),
                Make.step(.stop(stream: "beats")),
                Make.step(.disconnect(device: nil))
            )
        )
        let result = try ScriptBench.run(script)
        #expect(result.verdicts == ["passed"], "\(result.firstLines)")
        #expect(result.report.duration > .seconds(608) && result.report.duration < .seconds(640))
    }

    @Test func `a scan is a stream too, even while a device is connected`() throws {
        let condition = ScriptCondition.all([
            Make.compare("name", .contains(Make.word("Thermo"))), Make.compare("rssi", .greater(Make.word("-100"))),
        ])
        let script = Make.script(
            Make.test(
                "advertisements",
                Make.command(.scan, as: "ads"),
                Make.command(.read, "battery-level", on: "strap"),
                Make.step(.await(stream: "ads", count: 1, where: condition), within: .seconds(10)),
                Make.step(
                    .never(stream: "ads", where: Make.compare("name", .equal(Make.word("Nobody"))), for: .seconds(5))
                ),
                Make.step(.stop(stream: "ads"))
            )
        )
        let result = try ScriptBench.run(script)
        #expect(result.verdicts == ["passed"], "\(result.firstLines)")
    }

    @Test func `rounds and definitions are variables, and the environment is available`() throws {
        let environment = ScriptWord(parts: [.environment("RIG")], place: Make.place)
        let script = Make.script(
            Make.test(
                "variables",
                Make.step(
                    .repeat(
                        3,
                        variable: "i",
                        [
                            Make.step(.expect(Make.variable("i"), Make.within(nil, "1", "3"))),
                            Make.step(.set("last", Make.variable("i"))),
                        ]
                    )
                ),
                Make.step(.expect(Make.variable("last"), Make.compare(.equal(Make.word("3"))))),
                // What the caller has set stays, as with make(1).
                Make.step(.set("given", Make.word("y"))),
                Make.step(.expect(Make.variable("given"), Make.compare(.equal(Make.word("x"))))),
                Make.step(.expect(environment, Make.compare(.equal(Make.word("strap")))))
            ),
            devices: []
        )
        let result = try ScriptBench.run(script, definitions: ["given": "x"])
        #expect(result.verdicts == ["passed"], "\(result.firstLines)")
        #expect(result.steps.map { $0.position.rounds.first?.number } == [1, 1, 2, 2, 3, 3, nil, nil, nil, nil])
    }

    /// Each kind of failure.
    struct Failing: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [ScriptStep]
        let status: CommandLineInterface.ExitStatus
        let lines: [String]
        var testDescription: String { name }
    }

    static let failing: [Failing] = [
        Failing(
            name: "a value out of range",
            steps: [
                Make.command(.read, "battery-level", expecting: [.result(Make.within("battery_level", "90", "100"))])
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  battery_level in 90..100", "  got       battery_level is 87",
                "  value     57  (87 %)",
            ]
        ),
        Failing(
            name: "no error where one is expected",
            steps: [Make.command(.read, "battery-level", expecting: [.error(nil)])],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  an ATT error", "  got       no error, but a result: 87 %",
                "  value     57",
            ]
        ),
        Failing(
            name: "another error than expected",
            steps: [Make.command(.write, "heart-rate-control-point", "02", expecting: [.error(0x05)])],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1",
                "  expected  ATT error 0x05 insufficient authentication",
                "  got       cannot write heart-rate-control-point to Pulse HR (C8:4B:1D:3A:90:5E): the device refused "
                    + "(ATT 0x80 Heart Rate: control point not supported)",
            ]
        ),
        Failing(
            name: "an error",
            steps: [Make.command(.write, "heart-rate-control-point", "02")],
            status: .protocolError,
            lines: [
                "rig.blectl:1: step 1",
                "  cannot write heart-rate-control-point to Pulse HR (C8:4B:1D:3A:90:5E): the device refused "
                    + "(ATT 0x80 Heart Rate: control point not supported)",
            ]
        ),
        Failing(
            name: "nothing came",
            steps: [
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.step(
                    .await(
                        stream: "beats",
                        count: 2,
                        where: Make.compare("heart_rate_bpm", .greater(Make.word("250")))
                    ),
                    within: .milliseconds(2_500)
                ),
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  2 results of beats where heart_rate_bpm > 250 within 2.5 s",
                "  got       0, and 2 others",
            ]
        ),
        Failing(
            name: "too many came",
            steps: [
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.step(.count(stream: "beats", atLeast: 0, atMost: 1, where: nil, for: .seconds(5))),
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  0 to 1 results of beats in 5 s", "  got       2 already",
            ]
        ),
        Failing(
            name: "one came that must not",
            steps: [
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.step(
                    .never(
                        stream: "beats",
                        where: Make.compare("heart_rate_bpm", .greater(Make.word("20"))),
                        for: .seconds(5)
                    )
                ),
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  no result of beats where heart_rate_bpm > 20 for 5 s",
            ]
        ),
        Failing(
            name: "only the first came in order",
            steps: [
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.step(
                    .order(
                        stream: "beats",
                        [
                            Make.compare("heart_rate_bpm", .greater(Make.word("20"))),
                            Make.compare("heart_rate_bpm", .greater(Make.word("250"))),
                        ]
                    ),
                    within: .milliseconds(2_500)
                ),
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1",
                "  expected  a result of beats where heart_rate_bpm > 250, number 2 of 2 in order, within 2.5 s",
                "  got       the first of them",
            ]
        ),
        Failing(
            name: "a stream that has brought all that it was to bring",
            steps: [
                Make.command(.notify, "heart-rate-measurement", "--count=2", as: "beats"),
                Make.step(.await(stream: "beats", count: 3, where: nil), within: .seconds(20)),
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  3 results of beats within 20 s",
                "  got       2, and beats has ended", "  note      it began at rig.blectl:1: step 1",
            ]
        ),
        Failing(
            name: "a link that is not there",
            steps: [Make.step(.check(device: "strap", Make.compare("mtu", .greater(Make.word("23")))))],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  mtu > 23", "  got       strap is not connected",
                "  hint      connect strap, in a step before: 'check' does not connect",
            ]
        ),
        Failing(
            name: "a negation about a link that is not there",
            steps: [Make.step(.check(device: "strap", .not(Make.compare("mtu", .greater(Make.word("23"))))))],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  not mtu > 23", "  got       strap is not connected",
                "  hint      connect strap, in a step before: 'check' does not connect",
            ]
        ),
        Failing(
            name: "the absence of a property of a link that is not there",
            steps: [Make.step(.check(device: "strap", Make.compare("mtu", .absent)))],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  mtu absent", "  got       strap is not connected",
                "  hint      connect strap, in a step before: 'check' does not connect",
            ]
        ),
        Failing(
            name: "an alternative that only a missing link meets",
            steps: [
                Make.step(
                    .check(
                        device: "strap",
                        .any(
                            [
                                Make.compare("connected", .equal(Make.word("true"))),
                                .not(Make.compare("encrypted", .equal(Make.word("true")))),
                            ]
                        )
                    )
                )
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  connected is true or (not encrypted is true)",
                "  got       strap is not connected",
                "  hint      connect strap, in a step before: 'check' does not connect",
            ]
        ),
        Failing(
            name: "a negation about a field that no link has",
            steps: [
                Make.step(.connect(device: "strap")),
                Make.step(.check(device: "strap", .not(Make.compare("mut", .greater(Make.word("23")))))),
            ],
            status: .expectationFailed,
            lines: ["rig.blectl:1: step 1", "  expected  not mut > 23", "  got       no field 'mut'"]
        ),
        Failing(
            name: "a link with other properties",
            steps: [
                Make.step(.connect(device: "strap")),
                Make.step(.check(device: "strap", Make.compare("mtu", .less(Make.word("24"))))),
            ],
            status: .expectationFailed,
            lines: ["rig.blectl:1: step 1", "  expected  mtu < 24", "  got       mtu is 247"]
        ),
        Failing(
            name: "a device that is not there",
            steps: [Make.command(.read, "battery-level", on: "nobody")],
            status: .notFound,
            lines: ["rig.blectl:1: step 1", "  no device named 'Nobody' was found in 10 s"]
        ),
        Failing(
            name: "a stream that was not begun",
            steps: [Make.step(.await(stream: "beats", count: 1, where: nil))],
            status: .badData,
            lines: ["rig.blectl:1: step 1", "  no stream 'beats' runs", "  hint      notify TARGET as beats"]
        ),
        Failing(
            name: "a step that took too long",
            steps: [Make.command(.read, "battery-level", within: .milliseconds(10))],
            status: .expectationFailed,
            lines: ["rig.blectl:1: step 1", "  expected  an end within 10 ms", "  got       none"]
        ),
        Failing(
            name: "a link that was closed under a stream",
            steps: [
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.step(.disconnect(device: "strap")),
                Make.step(.await(stream: "beats", count: 1, where: nil)),
            ],
            status: .temporaryFailure,
            lines: ["rig.blectl:1: step 1"]
        ),
    ]

    @Test("fails with its reason", arguments: Self.failing + Self.passingFalsely)
    func failure(_ row: Failing) throws {
        var script = Make.script(devices: [
            Make.device("strap", "-d", "Pulse HR"), Make.device("nobody", "-d", "Nobody"),
        ])
        var steps = row.steps
        for index in steps.indices {
            if case .command(let command, nil, let words) = steps[index].action {
                steps[index].action = .command(command, device: "strap", words)
            }
        }
        script.tests = [ScriptTest(name: "one", steps: steps, place: Make.place)]
        let result = try ScriptBench.run(script)
        let failure = try #require(result.failures.first)
        #expect(failure.status == row.status)
        #expect([result.report].status == row.status)
        #expect(Array(result.firstLines.prefix(row.lines.count)) == row.lines)
        if row.status == .protocolError {
            #expect(failure.packets.last?.contains("Error Response") == true, "\(failure.packets)")
        }
    }

    @Test func `cleanup runs after a failure, and the first failed step gives the status`() throws {
        let script = Make.script(
            Make.test(
                "one",
                Make.command(.read, "battery-level", expecting: [.result(Make.within(nil, "90", "100"))]),
                Make.step(.pause(.seconds(5)), line: 2),
                cleanup: [Make.command(.write, "heart-rate-control-point", "02", line: 3)]
            ),
            Make.test("two", Make.step(.pause(.seconds(1)))),
            cleanup: [Make.step(.pause(.seconds(1)), line: 4)]
        )
        let result = try ScriptBench.run(script)
        #expect(result.verdicts == ["failed", "skipped"])
        #expect(result.steps.map { $0.position.step.place.line } == [1, 3, 4])
        #expect([result.report].status == .protocolError)
    }

    @Test func `a check exchanges the MTU that it needs, and ignores the case of words`() throws {
        let conditions = [
            Make.compare("mtu", .greater(Make.word("23"))), Make.compare("phy_tx", .equal(Make.word("1m"))),
            Make.compare("role", .equal(Make.word("Central"))), Make.compare("level", .notEqual(Make.word("HIGH"))),
        ]
        let script = Make.script(
            Make.test(
                "one",
                Make.step(.connect(device: "strap")),
                Make.step(.check(device: "strap", .all(conditions)))
            )
        )
        let result = try ScriptBench.run(script)
        #expect(result.verdicts == ["passed"], "\(result.firstLines)")
    }

    @Test func `commands with a declared device get its known properties`() throws {
        let script = Make.script(
            Make.test("forgets", Make.command(.unpair, "strap", expecting: [.status(68)])),
            Make.test("compares", Make.command(.diff, "strap", "pulse-strap", "--ignore-values"))
        )
        let result = try ScriptBench.run(script)
        #expect(result.verdicts == ["passed", "passed"], "\(result.firstLines)")
    }

    @Test func `a script without tests counts as one`() throws {
        let result = try ScriptBench.run(Make.script(setup: [Make.command(.lookup, "battery")], devices: []))
        #expect(result.report.tests.map(\.name) == ["rig.blectl"])
        #expect(result.verdicts == ["passed"], "\(result.firstLines)")
    }
}
