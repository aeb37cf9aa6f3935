// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import BluetoothProfiles
import CaptureCommands
import CommandLineInterface
import SimulatedRadio
import Testing

@testable import Commands
@testable import Scripting

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
            name: "a field of another value that must not come",
            steps: [
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.step(
                    .never(
                        stream: "beats",
                        where: Make.compare("spo2_percent", .less(Make.word("90"))),
                        for: .seconds(5)
                    )
                ),
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  spo2_percent < 90", "  got       no field 'spo2_percent'",
            ]
        ),
        Failing(
            name: "a member of the record that it cannot have",
            steps: [
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.step(
                    .never(
                        stream: "beats",
                        where: Make.compare("device.nam", .equal(Make.word("strap"))),
                        for: .seconds(5)
                    )
                ),
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  device.nam is strap", "  got       no field 'device.nam'",
            ]
        ),
        Failing(
            name: "a field of another value behind 'absent'",
            steps: [
                Make.command(
                    .read,
                    "battery-level",
                    expecting: [.result(Make.compare("heart_rate", .absent))]
                )
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  heart_rate absent", "  got       no field 'heart_rate'",
                "  value     57  (87 %)",
            ]
        ),
        Failing(
            name: "a field of a beacon without its path",
            steps: [
                Make.command(.scan, "--duplicates", as: "ads"),
                Make.step(
                    .never(
                        stream: "ads",
                        where: Make.compare("temperature", .greater(Make.word("50"))),
                        for: .seconds(5)
                    )
                ),
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  temperature > 50", "  got       no field 'temperature'",
            ]
        ),
        Failing(
            name: "a part of a number that must not come",
            steps: [
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.step(
                    .never(
                        stream: "beats",
                        where: Make.compare("heart_rate.bpm", .greater(Make.word("3"))),
                        for: .seconds(3)
                    )
                ),
            ],
            status: .expectationFailed,
            lines: ["rig.blectl:1: step 1", "  expected  heart_rate.bpm > 3", "  got       no field 'heart_rate.bpm'"]
        ),
        Failing(
            name: "a part of a number beside an alternative that is met",
            steps: [
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.step(
                    .await(
                        stream: "beats",
                        count: 1,
                        where: .any([
                            Make.compare("heart_rate.min", .greater(Make.word("3"))),
                            Make.compare("heart_rate", .greater(Make.word("0"))),
                        ])
                    )
                ),
            ],
            status: .expectationFailed,
            lines: ["rig.blectl:1: step 1", "  expected  heart_rate.min > 3", "  got       no field 'heart_rate.min'"]
        ),
        Failing(
            name: "a mistyped key of a beacon",
            steps: [
                Make.command(
                    .scan,
                    "--manufacturer=76",
                    "--duration=2",
                    expecting: [.result(Make.compare("beacon.majr", .absent))]
                )
            ],
            status: .expectationFailed,
            lines: ["rig.blectl:1: step 1", "  expected  beacon.majr absent", "  got       no field 'beacon.majr'"]
        ),
        Failing(
            name: "a mistyped field on a silent stream",
            steps: [
                Make.command(.scan, "--name=Nobody", as: "ads"),
                Make.step(.never(stream: "ads", where: Make.compare("nmae", .present), for: .seconds(2))),
            ],
            status: .expectationFailed,
            lines: ["rig.blectl:1: step 1", "  expected  nmae present", "  got       no field 'nmae'"]
        ),
        Failing(
            name: "a value of results that have none",
            steps: [
                Make.command(.scan, "--duplicates", as: "ads"),
                Make.step(
                    .never(stream: "ads", where: Make.compare(.equal(Make.word("Pulse HR"))), for: .seconds(2))
                ),
            ],
            status: .expectationFailed,
            lines: [
                "rig.blectl:1: step 1", "  expected  is 'Pulse HR'", "  got       no value",
                "  note      the results of this step have no value of their own: a comparison names a field",
            ]
        ),
        Failing(
            name: "a negation about a value of results that have none",
            steps: [
                Make.command(.scan, "--duration=2", expecting: [.result(.not(Make.compare(.equal(Make.word("5")))))])
            ],
            status: .expectationFailed,
            lines: ["rig.blectl:1: step 1", "  expected  is 5", "  got       no value"]
        ),
        Failing(
            name: "a service that does not exist",
            steps: [
                Make.command(.scan, "--name=Nobody", as: "ads"),
                Make.step(
                    .never(
                        stream: "ads",
                        where: Make.compare("services", .contains(Make.word("heart-rte"))),
                        for: .seconds(2)
                    )
                ),
            ],
            status: .badData,
            lines: [
                "rig.blectl:1: step 1",
                "  'heart-rte' is not a service: expected a UUID or the assigned name of a service; did you mean "
                    + "'heart-rate'?",
            ]
        ),
        Failing(
            name: "a mistyped field of a variable",
            steps: [
                Make.command(.read, "battery-level", as: "level"),
                Make.step(.expect(Make.variable("level", "decoding_err"), Make.compare(.absent))),
            ],
            status: .badData,
            lines: [
                "rig.blectl:1: step 1",
                "  the variable 'level' has no field 'decoding_err'; did you mean 'decoding_error'?",
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

    /// A stream that ends before it has brought its values.
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
            // It is reported once, although no step reads the stream until the end.
            #expect(result.failures.map(\.place.line) == [5], "\(result.failures)")
            #expect(result.failures.first?.message.hasPrefix("beats has ended: \(Self.reason)") == true)
            #expect(result.failures.first?.notes.last == "it began at rig.blectl:3: step 3")
        }
    }

    @Test func `a failed stream that no step checks fails the test that ends next`() throws {
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

    @Test func `a check of a name that no link has fails, even beside one that is met`() throws {
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

    @Test func `a field of another value of the stream is missing, without a failure`() throws {
        let low = Make.compare("battery_level", .less(Make.word("5")))
        for command in [
            Make.command(.notify, "heart-rate-measurement", "battery-level", as: "beats"),
            Make.command(.watch, "heart-rate", "battery", as: "beats"),
            // The format of its values is not known before they come.
            Make.command(.notify, "handle:0x0010", as: "beats"),
        ] {
            let script = Make.script(
                Make.test("one", command, Make.step(.never(stream: "beats", where: low, for: .seconds(5))))
            )
            let result = try ScriptBench.run(script)
            #expect(result.verdicts == ["passed"], "\(result.firstLines)")
        }
    }

    @Test func `a field of another value is reported as such`() throws {
        func note(_ command: ScriptStep, _ field: String) throws -> String? {
            let condition = Make.compare(field, .greater(Make.word("50")))
            let script = Make.script(
                Make.test("one", command, Make.step(.never(stream: "stream", where: condition, for: .seconds(5))))
            )
            return try ScriptBench.run(script).failures.first?.notes.first
        }
        let value = try note(Make.command(.notify, "heart-rate-measurement", as: "stream"), "spo2_percent")
        #expect(value?.hasPrefix("other values have this field, but no value of this step; there are ") == true)
        let beacon = try note(Make.command(.scan, "--duplicates", as: "stream"), "temperature")
        let path = "the values of a beacon are below 'beacon', such as beacon.temperature; there are "
        #expect(beacon?.hasPrefix(path) == true)
        let inner = try note(Make.command(.scan, "--duplicates", as: "stream"), "decoded.temperature")
        #expect(inner?.hasPrefix("the values of a beacon are below 'beacon', such as beacon.temperature") == true)
        for key in ["mtu", "decoded"] {
            let other = try note(Make.command(.scan, "--duplicates", as: "stream"), key)
            let advice = "other commands have this field, but not the command of this step; there are "
            #expect(other?.hasPrefix(advice) == true, "\(key)")
        }
    }

    @Test func `a malformed update fails only a step about all results`() throws {
        let rate = Make.compare("heart_rate_bpm", .greater(Make.word("200")))
        let steps: [(ScriptStep, Bool)] = [
            (Make.step(.never(stream: "beats", where: rate, for: .seconds(5)), line: 4), false),
            (Make.step(.count(stream: "beats", atLeast: 0, atMost: 0, where: rate, for: .seconds(5)), line: 4), false),
            (
                Make.step(
                    .await(stream: "beats", count: 3, where: nil),
                    expecting: [.result(.not(rate))],
                    line: 4
                ), false
            ),
            (Make.step(.await(stream: "beats", count: 3, where: nil), line: 4), true),
        ]
        for (step, passes) in steps {
            let script = Make.script(
                Make.test("one", Make.command(.notify, "heart-rate-measurement", as: "beats"), step)
            )
            let result = try ScriptBench.run(script, among: [try SimulatedDevice.strap("notify #2: truncate to 1")])
            #expect(result.verdicts == [passes ? "passed" : "failed"], "\(result.firstLines)")
            guard !passes else { continue }
            #expect(result.failures.first?.expected == "all results of beats")
            #expect(result.failures.first?.got == "1 malformed update dropped")
        }
    }

    @Test func `a malformed update fails a command without a stream that expects something of each value`() throws {
        let rate = Make.compare("heart_rate_bpm", .greater(Make.word("200")))
        let command = Make.command(
            .notify,
            "heart-rate-measurement",
            "--count=3",
            expecting: [.result(.not(rate))]
        )
        let result = try ScriptBench.run(
            Make.script(Make.test("one", command)),
            among: [try SimulatedDevice.strap("notify #2: truncate to 1")]
        )
        #expect(result.verdicts == ["failed"], "\(result.firstLines)")
        #expect(result.failures.first?.expected == "a condition of all results")
        #expect(result.failures.first?.got == "1 malformed update dropped")
    }

    @Test func `a malformed update that was skipped fails no later step`() throws {
        let rate = Make.compare("heart_rate_bpm", .greater(Make.word("200")))
        let script = Make.script(
            Make.test(
                "one",
                Make.command(.notify, "heart-rate-measurement", as: "beats"),
                Make.step(.pause(.seconds(4))),
                Make.step(.never(stream: "beats", where: rate, for: .seconds(5)))
            )
        )
        let result = try ScriptBench.run(script, among: [try SimulatedDevice.strap("notify #2: truncate to 1")])
        #expect(result.verdicts == ["passed"], "\(result.firstLines)")
    }

    @Test func `lost values fail a step about all results`() throws {
        let stream = ScriptStream(Make.command(.notify, "heart-rate-measurement", as: "beats"))
        let dropped = #"{"count":3,"first_sequence":7,"type":"values-dropped"}"#
        stream.lose(try #require(JSONValue(json: Array(dropped.utf8)).lostValues))
        #expect([stream.takeLost(), stream.takeLost()] == [3, 0])
        stream.lose(2)
        stream.skip()
        #expect(stream.takeLost() == 0)
        #expect(try JSONValue(json: Array(#"{"count":3,"type":"device"}"#.utf8)).lostValues == nil)
    }

    @Test func `a failed comparison shows the differences`() throws {
        let script = Make.script(
            Make.test("one", Make.command(.diff, "thermometer", "strap", "--ignore-advertising"))
        )
        let result = try ScriptBench.run(script)
        #expect(result.verdicts == ["failed"])
        let failure = try #require(result.failures.first)
        #expect(failure.message == "10 differences between thermometer and Pulse HR (C8:4B:1D:3A:90:5E)")
        #expect(failure.notes.count == 10)
        #expect(failure.notes.contains("- environmental-sensing  service  0x001A"), "\(failure.notes)")
        let serial = "~ device-information/serial-number-string  value  TH1-004711 -> PHR-000117"
        #expect(failure.notes.contains(serial), "\(failure.notes)")
    }

    @Test func `the error for a missing device says that another name holds its link`() throws {
        func note(_ options: String...) throws -> String? {
            let second = ScriptDevice(name: "again", options: options.map { Make.word($0) }, place: Make.place)
            let script = Make.script(
                Make.test(
                    "one",
                    Make.step(.connect(device: "strap")),
                    Make.command(.read, "battery-level", on: "again", line: 2)
                ),
                devices: [Make.device("strap", "-d", "Pulse HR"), second]
            )
            let result = try ScriptBench.run(script)
            #expect(result.verdicts == ["failed"])
            return result.failures.first?.notes.last
        }
        let fact = "this script has a link to Pulse HR (C8:4B:1D:3A:90:5E), as strap"
        let remedy = "put 'disconnect strap' before this step"
        let hidden = "\(fact), and many devices do not advertise while connected: if it is the same one, \(remedy)"
        #expect(try note("-d", "pulse hr") == hidden)
        #expect(try note("--service", "heart-rate", "--name", "Pulse *") == hidden)
        #expect(try note("-d", "Nobody") == nil)
    }
}
