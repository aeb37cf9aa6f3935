// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
package import BluetoothHost
import CommandLineInterface
import Records
import Terminal
package import Toolkit

/// Runs a script: carries out the decisions of `ScriptProgress`, and notifies an observer.
package actor ScriptEngine {
    /// The number of packets that a failure shows.
    private static let packetCount = 10
    /// The time for cleanup after an interruption.
    private static let cleanupLimit = Duration.seconds(8)

    package let script: Script
    package let context: CommandContext
    package let environment: [String: String]
    /// The names of the variables that the caller has set.
    package let definitions: Set<String>
    package var variables: ScriptVariables
    package var streams: [String: RunningStream] = [:]
    package var devices: [String: HeldConnection] = [:]
    /// The devices with a link that no step has ended, so that one without a link has lost it.
    var linkedDevices: Set<String> = []
    /// The central of the devices that use one adapter, by its name.
    package var centrals: [AdapterSelection: Central] = [:]
    let deviceMessages = MessageSink()
    /// The remarks of the step that runs.
    package var messages: [String] = []
    /// The faults that steps have added to the world, with the test that did; `nil` for the setup.
    var addedFaults: [(fault: FaultText, test: Int?)] = []
    /// The number of results of the step that runs.
    var resultCount = 0
    /// The names for the results of the step that runs; `nil` while it looks at none.
    var resultScope: ResultScope?
    /// The times of the step that runs; `nil` without `--timing`.
    package var timing: RunTiming?
    /// The time of the step that runs for the search of its device; `nil` for `--timeout`.
    var searchLimit: Duration?

    package let packets: PacketHistory?
    private let observer: any RunObserver
    /// The test that runs; `nil` before the first one and between two.
    var currentTest: Int?
    private var progress: ScriptProgress
    private var report: ScriptReport
    private var firstNumber: Int
    private var testStart: Timestamp
    private var stepCount = 0

    package struct RunningStream {
        package let stream: ScriptStream
        package let task: ScopedTask
        /// The name of its device; `nil` for a scan.
        package let device: String?
        package let scope: ResultScope
        /// The number of malformed updates of its device that a step has taken into account.
        package var malformed = 0
        /// Whether its failure needs no more attention: a step has failed with it, or a step was to end its link.
        var isExcused = false
    }

    /// - Parameters:
    ///   - script: The script. Without a test, its steps are one.
    ///   - context: The context of the run; steps have their own output.
    ///   - packets: The last packets, for failures.
    ///   - definitions: The variables that the caller sets, which the script does not set again.
    ///   - keepsGoing: Whether a failed test does not keep the next ones from running.
    ///   - number: The number of its first test in the whole run.
    package init(
        _ script: Script,
        in context: CommandContext,
        packets: PacketHistory?,
        definitions: [String: String] = [:],
        keepsGoing: Bool,
        firstTest number: Int = 1,
        observer: any RunObserver
    ) {
        let script = script.withTest
        self.script = script
        // A step reports a pairing only by a message, because its results are those of its command.
        let context = context.withoutPairingRecords()
        self.context = context
        self.packets = packets
        self.observer = observer
        let environment = context.environment
        self.environment = environment
        self.definitions = Set(definitions.keys)
        variables = ScriptVariables(
            definitions,
            environment: environment,
            keys: context.commands.records.flatMap(\.allKeys)
        )
        progress = ScriptProgress(script, keepsGoing: keepsGoing)
        let start = Timestamp(context.time)
        report = ScriptReport(name: script.name, start: start, duration: .zero)
        testStart = start
        firstNumber = number
    }

    /// Runs the script to its end. A cancelled task still carries out the cleanup.
    package func run() async -> ScriptReport {
        await observer.began(script)
        if await !drive() {
            // The deadline may come between two steps. If it has cut off a step, that has failed already, and does not
            // fail twice.
            if let overdue {
                report.interruption = .deadline
                progress.interrupt(overdue.message, failing: overdue)
            } else {
                report.interruption = .signal
                progress.interrupt()
            }
            let (limit, time) = (Self.cleanupLimit, context.time)
            // The task is cancelled here, so that the cleanup runs in the scope of the whole command.
            let isComplete = try? await context.scope.shielded {
                try await untilDeadline(time.now + limit, time) { await self.drive() }
            }
            if isComplete != true {
                // Without this, the report would lack the test that was cleaned up, and all later ones.
                progress.abandon()
                _ = await drive(isCancellable: false)
            }
        }
        // A run that was cut off could not look at its streams.
        let streamFailures = report.interruption == nil ? await unseenFailures() : []
        await end()
        let cleanupFailures = progress.cleanupFailures + streamFailures
        // TAP and JUnit have no failures outside of tests.
        for (failures, name) in [(progress.setupFailures, "setup"), (cleanupFailures, "cleanup")] {
            guard let first = failures.first else { continue }
            let test = TestReport(
                name: name,
                place: first.place,
                verdict: .failed(failures),
                start: Timestamp(context.time),
                duration: .zero,
                stepCount: failures.count
            )
            await ended(test)
        }
        report.duration = context.time.now - report.start.monotonic
        return report
    }

    /// The failure of any step after the time of `--deadline` is over; `nil` before that.
    private var overdue: StepFailure? {
        guard let end = context.runState.deadline?.moment, context.time.now >= end, let limit = context.options.deadline
        else {
            return nil
        }
        return StepFailure(
            kind: .broke(.timedOut),
            message: "the run did not end in \(limit.text) (--deadline)"
        )
    }

    /// Carries out actions until the end: `true`; or until the task is cancelled: `false`.
    ///
    /// - Parameter isCancellable: Whether to end at a cancellation. Only actions without a step can do without.
    private func drive(isCancellable: Bool = true) async -> Bool {
        while true {
            // Between steps as well: a step that waits for nothing does not notice the cancellation.
            if isCancellable, Task.isCancelled { return false }
            switch progress.next() {
            case .finish: return true
            case .begin(let test):
                currentTest = test
                testStart = Timestamp(context.time)
                stepCount = 0
            case .run(let position, let section): await run(position, section)
            case .end(let test, let verdict):
                await removeFaults(of: test)
                currentTest = nil
                let verdict = progress.verdict(verdict, adding: await unseenFailures())
                await ended(test, verdict, testStart, stepCount)
            case .skip(let test, let reason):
                await ended(test, .skipped(reason), Timestamp(context.time), 0)
            }
        }
    }

    private func ended(
        _ index: Int,
        _ verdict: ScriptProgress.Verdict,
        _ start: Timestamp,
        _ steps: Int
    ) async {
        let test = script.tests[index]
        await ended(
            TestReport(
                name: test.name,
                place: test.place,
                verdict: verdict,
                start: start,
                duration: context.time.now - start.monotonic,
                stepCount: steps
            )
        )
    }

    private func ended(_ test: TestReport) async {
        report.tests.append(test)
        await observer.ended(test, number: firstNumber + report.tests.count - 1, of: script)
    }

    /// Runs a step, and reports its end to the state machine.
    private func run(_ position: StepCursor.Position, _ section: ScriptProgress.Section) async {
        await observer.began(position.step, in: section, of: script)
        let start = Timestamp(context.time)
        messages = []
        resultCount = 0
        resultScope = nil
        timing = await begunTiming(of: position.step)
        // The time of a silence begins when there is a link.
        searchLimit = position.step.expectations == [.silence] ? nil : position.step.limit
        let lost = await lostLinks()
        let streamsBefore = streams.filter { $0.value.stream.end == nil }.keys.sorted()
        let end: ScriptProgress.StepEnd
        do {
            // The cursor does not report the beginning of a round, so that each step sets the variables.
            for round in position.rounds {
                guard let variable = round.variable else { continue }
                let value = round.values.isEmpty ? nil : try variables.text(round.values[round.number - 1])
                variables.set(variable, to: value ?? "\(round.number)")
            }
            try await perform(position.step)
            end = .passed
        } catch is CancellationError where Task.isCancelled {
            // A step that the deadline has cut off is an error of its test; one that the user has ended is none.
            if let overdue { end = .failed(await described(overdue, position)) } else { end = .interrupted }
        } catch {
            end = .failed(await described(error, position))
        }
        await excuse(streamsBefore, after: position.step)
        stepCount += 1
        messages += deviceMessages.take()
        await noteLinks(lost, after: position.step)
        timing?.end()
        progress.stepEnded(end)
        let report = StepReport(
            position: position,
            section: section,
            end: end,
            start: start,
            duration: context.time.now - start.monotonic,
            messages: messages,
            resultCount: resultCount,
            timing: timing.map { StepTiming($0) }
        )
        await observer.ended(report, of: section.test.map { script.tests[$0].name })
    }

    /// The counter of a step's times. It counts all packets while the step runs, because steps run one after the other.
    private func begunTiming(of step: ScriptStep) async -> RunTiming? {
        guard let links = context.runState.timedLinks else { return nil }
        var device: DeviceAddress?
        if let name = deviceName(of: step) { device = await devices[name]?.reference?.address }
        return links.begin(.all, on: device)
    }

    /// The failure with all that is known of the step.
    package func described(_ error: any Error, _ position: StepCursor.Position) async -> StepFailure {
        let step = position.step
        var failure: StepFailure
        if let known = error as? StepFailure {
            failure = known
        } else if let described = BlectlError(describing: error, doing: "carry out the step") {
            // The details of a comparison are results, which stay.
            failure = StepFailure(context.diagnostics.redacted(described).with(details: described.details))
        } else {
            failure = StepFailure(kind: .broke(.internalError), message: "\(error)")
        }
        failure.step = step.text
        failure.place = step.place
        let rounds = position.rounds.map { "round \($0.number) of \($0.count)" }
        if !rounds.isEmpty { failure.round = rounds.joined(separator: ", ") }
        if let device = deviceName(of: step), let note = await linkedNamesake(of: device, failure.status) {
            failure.notes.append(context.diagnostics.redacted(note))
        }
        if let packets, let device = deviceName(of: step) {
            failure.packets = packets.lines(of: await devices[device]?.reference?.address, Self.packetCount)
        }
        return failure
    }

    /// The name of the device that a step is about; `nil` for none.
    package func deviceName(of step: ScriptStep) -> String? {
        switch step.action {
        case .command(let command, let device, _): command.hasDevice ? device ?? onlyDevice : nil
        case .connect(let device), .disconnect(let device), .check(let device, _): device ?? onlyDevice
        case .await(let stream, _, _), .never(let stream, _, _), .count(let stream, _, _, _, _), .order(let stream, _),
            .stop(let stream):
            streams[stream]?.device
        case .set, .expect, .pause, .repeat: nil
        }
    }

    var onlyDevice: String? { script.devices.count == 1 ? script.devices[0].name : nil }

    /// Ends the streams and closes the links.
    private func end() async {
        // Streams first, because they unsubscribe over the links. In the order of names, so that a run in virtual time
        // can be repeated.
        for name in streams.keys.sorted() { await stop(name) }
        for name in devices.keys.sorted() { await devices[name]?.disconnect() }
        // In the scope of the whole command, because the task is cancelled after an interruption, and a shared world goes on.
        _ = try? await context.scope.shielded { await self.removeFaults(of: nil) }
    }
}

extension ScriptProgress.Section {
    /// The index of the test; `nil` for a step outside of tests.
    package var test: Int? {
        switch self {
        case .test(let index), .cleanup(let index): index
        case .setup, .finalCleanup: nil
        }
    }
}

extension Script {
    /// The script with its setup as a test, if it has no other.
    var withTest: Script {
        guard tests.isEmpty, let first = setup.first else { return self }
        var script = self
        let file = name == "-" ? "standard input" : String(name.split(separator: "/").last ?? "script")
        script.tests = [ScriptTest(name: file, steps: setup, place: first.place)]
        script.setup = []
        return script
    }
}

/// Gets the events of a script while it runs. It cannot fail: a run has effects besides what is told of it, and goes on
/// to its cleanup when nobody listens any more.
package protocol RunObserver: Sendable {
    /// A script begins, with that many tests.
    func began(_ script: Script) async

    func began(_ step: ScriptStep, in section: ScriptProgress.Section, of script: Script) async

    func ended(_ step: StepReport, of test: String?) async

    /// A test has ended, or is skipped. `number` is its number in the whole run, from 1.
    func ended(_ test: TestReport, number: Int, of script: Script) async
}
