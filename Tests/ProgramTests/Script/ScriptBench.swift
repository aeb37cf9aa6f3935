// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Commands
import SimulatedRadio
import Synchronization

@testable import CommandLineInterface
@testable import Records
@testable import Scripting
@testable import Terminal
@testable import Toolkit

/// Parts of scripts, made by hand.
enum Make {
    static let place = ScriptPlace(file: "rig.blectl", line: 1)

    static func word(_ text: String, isQuoted: Bool = false) -> ScriptWord {
        ScriptWord(parts: [.literal(text)], isQuoted: isQuoted, place: place)
    }

    static func variable(_ name: String, _ path: String...) -> ScriptWord {
        ScriptWord(parts: [.variable(name: name, path: path)], place: place)
    }

    static func compare(_ field: String?, _ relation: ScriptRelation) -> ScriptCondition {
        .comparison(ScriptComparison(field: field, relation: relation, place: place))
    }

    static func compare(_ relation: ScriptRelation) -> ScriptCondition { compare(nil, relation) }

    static func within(_ field: String?, _ lower: String?, _ upper: String?) -> ScriptCondition {
        compare(field, .range(lower: lower.map { word($0) }, upper: upper.map { word($0) }))
    }

    static func step(
        _ action: ScriptAction,
        as name: String? = nil,
        within limit: Duration? = nil,
        expecting expectations: [ScriptExpectation] = [],
        line: Int = 1
    ) -> ScriptStep {
        let place = ScriptPlace(file: "rig.blectl", line: line)
        return ScriptStep(
            action: action,
            name: name,
            limit: limit,
            expectations: expectations,
            text: "step \(line)",
            place: place
        )
    }

    /// A step that is a command.
    static func command(
        _ command: CommandName,
        _ words: String...,
        on device: String? = nil,
        as name: String? = nil,
        within limit: Duration? = nil,
        expecting expectations: [ScriptExpectation] = [],
        line: Int = 1
    ) -> ScriptStep {
        let action = ScriptAction.command(command, device: device, words.map { word($0) })
        return step(action, as: name, within: limit, expecting: expectations, line: line)
    }

    static func device(_ name: String, _ options: String...) -> ScriptDevice {
        ScriptDevice(name: name, options: options.map { word($0) }, place: place)
    }

    static func test(_ name: String, _ steps: ScriptStep..., cleanup: [ScriptStep] = []) -> ScriptTest {
        ScriptTest(name: name, steps: steps, cleanup: cleanup, place: place)
    }

    static func script(
        _ tests: ScriptTest...,
        setup: [ScriptStep] = [],
        cleanup: [ScriptStep] = [],
        devices: [ScriptDevice] = [Make.device("strap", "-d", "Pulse HR")]
    ) -> Script {
        Script(name: "rig.blectl", devices: devices, setup: setup, tests: tests, cleanup: cleanup)
    }
}

/// Collects the reports of an engine.
final class RunLog: RunObserver {
    private let taken = Mutex<[StepReport]>([])

    var steps: [StepReport] { taken.withLock { $0 } }

    func began(_ script: Script) async {}
    func began(_ step: ScriptStep, in section: ScriptProgress.Section, of script: Script) async {}
    func ended(_ step: StepReport, of test: String?) async { taken.withLock { $0.append(step) } }
    func ended(_ test: TestReport, number: Int, of script: Script) async {}
}

/// Runs scripts in virtual time.
enum ScriptBench {
    struct Result {
        var report: ScriptReport
        var steps: [StepReport]

        var verdicts: [String] { report.tests.map(\.verdict.name) }
        var failures: [StepFailure] { report.tests.flatMap(\.failures) }
        var firstLines: [String] { failures.first?.lines ?? [] }
    }

    static func run(
        _ script: Script,
        among devices: [SimulatedDevice]? = nil,
        keepsGoing: Bool = false,
        definitions: [String: String] = [:]
    ) throws -> Result {
        let time = VirtualTime()
        return try time.run { () async throws -> Result in
            try await withTaskScope { scope in
                let world = try devices.map { SimulatedWorld(devices: $0) } ?? .builtIn()
                let packets = PacketHistory(since: time.now)
                let system = TappedRadioSystem(
                    SimulatedRadioSystem(world, time: time, scope: scope),
                    time: time,
                    tap: packets.tap
                )
                var options = GlobalOptions()
                options.radio = .simulation(.virtual)
                let context = CommandContext(
                    commands: .all,
                    options: options,
                    system: system,
                    time: time,
                    scope: scope,
                    output: Output(MessageSink(), isJSON: true, style: .plain),
                    diagnostics: Diagnostics(MessageSink(), style: .plain, isQuiet: false, verbosity: 0),
                    stores: DataStores(),
                    process: ProcessResources(variables: { [Array("RIG=strap".utf8CString)] })
                )
                let log = RunLog()
                let engine = ScriptEngine(
                    script,
                    in: context,
                    packets: packets,
                    definitions: definitions,
                    keepsGoing: keepsGoing,
                    observer: log
                )
                let report = await engine.run()
                return Result(report: report, steps: log.steps)
            }
        }
    }
}
