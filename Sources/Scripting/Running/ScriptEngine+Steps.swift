// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
package import CommandLineInterface
package import Records
import Terminal
package import Toolkit

extension ScriptEngine {
    /// Carries out a step. Throws a `StepFailure`, or another error if the step broke.
    package func perform(_ step: ScriptStep) async throws {
        switch step.action {
        case .command(let command, let device, let words):
            if let name = step.name, command.isStream(words) {
                try await begin(name, step, command, device, words)
            } else {
                try await run(step, command, device, words)
            }
        case .connect(let device):
            let held = try await held(try name(device)).timed(by: timing, within: searchLimit)
            try await within(step.limit ?? StepRequest.longestCommand, step) { _ = try await held.connect() }
        case .disconnect(let device): await devices[try name(device)]?.disconnect()
        case .set(let name, let word):
            let text = try variables.text(word)
            // A variable of the command line counts more than one of the script.
            if !definitions.contains(name) { variables.set(name, to: text) }
        case .await(let stream, let count, let condition):
            try await wait(for: count, of: stream, condition, step)
        case .never(let stream, let condition, let duration):
            try await expectNone(of: stream, condition, duration)
        case .count(let stream, let least, let most, let condition, let duration):
            try await count(stream, least, most, condition, duration, step)
        case .order(let stream, let conditions): try await expectOrder(of: stream, conditions, step)
        case .stop(let stream):
            // A stream that does not run is an error of the script.
            _ = try running(stream)
            try refuseFailed(stream)
            await stop(stream)
        case .expect(let word, let condition):
            try check(condition, on: try variables.subject(word, in: context.options.formats))
        case .check(let device, let condition):
            try await checkLink(condition, of: try name(device), step)
        case .pause(let duration): try await context.time.sleep(for: duration)
        // `StepCursor` resolves repetitions.
        case .repeat: throw BlectlError(.internalError, "a repetition is not a step")
        }
    }

    var evaluation: ConditionEvaluation {
        ConditionEvaluation(variables: variables, formats: context.options.formats, scope: resultScope)
    }

    package func check(_ condition: ScriptCondition, on subject: ConditionSubject) throws {
        let unmet = try evaluation.unmet(condition, on: subject)
        if let unmet { throw StepFailure(unmet, of: subject) }
    }

    package func name(_ device: String?) throws(BlectlError) -> String {
        if let device = device ?? onlyDevice { return device }
        throw BlectlError(
            .badData,
            script.devices.isEmpty ? "no device is declared" : "the step names no device, and there are several",
            hint: script.devices.isEmpty ? "device NAME -d ADDRESS" : nil
        )
    }

    /// The connection of a device, without a link as long as nothing needs one.
    package func held(_ name: String) async throws -> HeldConnection {
        if let known = devices[name] { return known }
        guard let device = script.devices.first(where: { $0.name == name }) else {
            throw BlectlError(.badData, "no device \(Prose.quoted(name)) is declared")
        }
        var (options, adapters) = try request.options(of: device, mustBeOnlyOne: script.changes(name))
        options.connection.observesLink = script.usesLinks || context.runState.timedLinks != nil
        if let adapters { try context.checkPrivacy(on: adapters) }
        // With `-v`, the choice among adapters is reported, too.
        let diagnostics = Diagnostics(
            lineOf: context.diagnostics,
            deviceMessages,
            style: .plain,
            isQuiet: false,
            verbosity: context.options.streams.verbosity,
            isRedacted: context.options.streams.isRedacted
        )
        diagnostics.conceal(options.selector?.givenName)
        let wanted = options
        let environment = context.on(adapters ?? context.options.adapters).with(diagnostics: diagnostics)
        let held = HeldConnection(try await connection(for: wanted, environment)) {
            try await self.connection(for: wanted, environment)
        }
        devices[name] = held
        return held
    }

    /// The connection for a device: on the link of a session that holds it, or else a direct one. The central of an
    /// adapter is opened for its first device.
    private func connection(for device: DeviceOptions, _ own: CommandContext) async throws -> OneTimeConnection {
        let own = own.timed(by: timing)
        if let shared = try await own.sharedConnection(for: device) { return shared }
        await own.caller.release?(device)
        let adapters = own.options.adapters
        if let central = centrals[adapters] { return OneTimeConnection(device, on: central, own) }
        let connection = try await own.ownConnection(for: device, within: searchLimit)
        // Of several adapters, the one that suits the device best is chosen anew for each device.
        if !adapters.isSeveral { centrals[adapters] = connection.connector.central }
        return connection
    }

    package var request: StepRequest { StepRequest(context: context, variables: variables, environment: environment) }

    /// Runs `body` within a time. Missing a limit that the script states is an expectation that was not met.
    package func within<Value: Sendable>(
        _ limit: Duration,
        _ step: ScriptStep,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let time = context.time
        if let value = try await untilDeadline(time.now + limit, time, body) { return value }
        // A limit of the script is an expectation; one of blectl is a failure of the step.
        guard step.limit != nil else {
            throw BlectlError(.timedOut, "the step did not end in \(limit.text)", hint: "within TIME allows more time")
        }
        var what = "an end"
        if case .connect = step.action { what = "a link" }
        throw StepFailure.unmet("\(what) within \(limit.text)", got: "none")
    }

    // MARK: - Commands

    private func run(
        _ step: ScriptStep,
        _ command: CommandName,
        _ device: String?,
        _ words: [ScriptWord]
    ) async throws {
        let records = StepRecords()
        let notes = MessageSink()
        let (request, derived) = try await prepared(step, command, device, words, Output { records.add($0) }, notes)
        resultScope = ResultScope(request, of: context.commands)
        let source = command.hasDevice ? device ?? onlyDevice : nil
        let malformed = await malformedUpdates(of: source)
        if step.expectations == [.silence] {
            defer { messages += notes.lines }
            return try await expectSilence(step, request, derived, records)
        }
        var failure: BlectlError?
        do {
            try await within(step.limit ?? StepRequest.longestCommand, step) {
                try await CommandRunner.perform(request, in: derived)
            }
        } catch let error as BlectlError {
            // Kept, because the script may expect it.
            failure = derived.diagnostics.redacted(error)
        } catch let error as PartialFailure {
            failure = BlectlError(partial: error, records.records)
        } catch {
            // The step has missed its limit, or was cancelled: the remarks of the command help to see why.
            messages += notes.lines
            throw error
        }
        messages += notes.lines
        // Of a result that is missing it is not known whether it meets the condition.
        let missing = await missingResults(of: command, records, source, since: malformed)
        if failure == nil, !missing.isEmpty,
            step.expectations.contains(where: { $0.failureText == nil })
        {
            throw StepFailure.unmet("a condition of all results", got: missing.joined(separator: ", "))
        }
        let results = records.records.filter(\.isResult)
        resultCount = results.count
        try judge(step, results, failure)
        // Set only if everything was met, so that a later step does not use a wrong value.
        if let name = step.name, let last = results.last { variables.set(name, to: last) }
    }

    /// The request of a command's step, and the context in which it runs.
    package func prepared(
        _ step: ScriptStep,
        _ command: CommandName,
        _ device: String?,
        _ words: [ScriptWord],
        _ output: Output,
        _ notes: MessageSink,
        onReady: (@Sendable () -> Void)? = nil
    ) async throws -> (CommandRequest, CommandContext) {
        var declared: ScriptDevice?
        if command.hasDevice, !script.devices.isEmpty {
            let name = try name(device)
            declared = script.devices.first { $0.name == name }
        }
        var (caller, options, process) = (context.caller, context.options, context.process)
        var identifiers: [String: String] = [:]
        for name in try request.devices(namedBy: command, words, among: script.devices.map(\.name)) {
            let held = try await held(name).timed(by: timing, within: searchLimit)
            caller.named[name] = held
            // `diff` uses the link; the others need no more than the name by which the device is known.
            if !command.has(.comparesDevices) { identifiers[name] = try await held.identifier() }
        }
        let request = try request.request(
            command,
            on: declared,
            words,
            calling: identifiers,
            isEndless: onReady != nil
        )
        let diagnostics = Diagnostics(
            lineOf: context.diagnostics,
            notes,
            style: .plain,
            isQuiet: false,
            verbosity: 0,
            isRedacted: context.options.streams.isRedacted
        )
        // A step has no keys and no screen.
        process.terminal = nil
        caller.onReady = onReady
        caller.world = worldOfSteps
        if let limit = step.limit { options.timeout = limit }
        if let declared {
            caller.held = try await held(declared.name).timed(by: timing, within: searchLimit)
        } else if command.hasDevice, request.global.adapters != .first {
            try context.checkPrivacy(on: request.global.adapters)
            options.adapters = request.global.adapters
        }
        // The step judges records, whatever form the user wants on standard output.
        let derived = context.with(
            options: options,
            output: output,
            diagnostics: diagnostics,
            process: process,
            caller: caller
        )
        return (request, derived.timed(by: timing))
    }

    /// Throws unless a command meets its expectations.
    ///
    /// - Parameter failure: The failure of the command; `nil` if it succeeded.
    func judge(_ step: ScriptStep, _ results: [JSONValue], _ failure: BlectlError?) throws {
        var wantsFailure = false
        for expectation in step.expectations {
            guard let wanted = expectation.failureText else { continue }
            wantsFailure = true
            if let failure {
                if expectation.isMet(by: failure) {
                    // Another target has a result: not all of what was asked for has failed.
                    guard case .error = expectation, let last = results.last else { continue }
                    throw StepFailure.unmet("\(wanted) and no result", of: ConditionSubject(record: last))
                }
                // An expectation does not refer to the loss of the link.
                guard failure.attError != nil || failure.status == .protocolError || expectation.isStatus else {
                    throw failure
                }
                throw StepFailure.unmet(wanted, got: failure.message)
            }
            // Exit status 0 is expected, and nothing has failed.
            if case .status(0) = expectation { continue }
            guard let last = results.last else { throw StepFailure.unmet(wanted, got: "no error") }
            throw StepFailure.unmet(wanted, of: ConditionSubject(record: last), got: "no error, but a result: ")
        }
        if let failure {
            // Each expected failure was met.
            if wantsFailure { return }
            throw failure
        }
        try judgeResults(step, results)
    }

    /// Throws unless a command gets no answer in the time of its step.
    private func expectSilence(
        _ step: ScriptStep,
        _ request: CommandRequest,
        _ derived: CommandContext,
        _ records: StepRecords
    ) async throws {
        // Before the time begins: that a device without a link is silent says nothing.
        _ = try await derived.caller.held?.connect()
        let limit = step.limit ?? context.options.timeout
        // The command waits longer than the step, so that its own limits do not look like silence.
        var options = derived.options
        options.timeout = limit + StepRequest.longestCommand
        let unlimited = derived.with(options: options)
        let answer = try await untilDeadline(context.time.now + limit, context.time) {
            do {
                try await CommandRunner.perform(request, in: unlimited)
            } catch let error as PartialFailure {
                let described = BlectlError(partial: error, records.records)
                guard described.status == .protocolError else { throw described }
                return described.message
            } catch let error as BlectlError where error.status == .protocolError {
                // An error of the device is an answer.
                return error.message
            }
            return records.records.last { $0.isResult }.flatMap { ConditionSubject(record: $0).words } ?? "an answer"
        }
        if let answer { throw StepFailure.unmet("silence for \(limit.text)", got: answer) }
    }

    /// Throws unless each result meets the conditions, and all of them together those of jitter.
    func judgeResults(_ step: ScriptStep, _ results: [JSONValue]) throws {
        for case .jitter(let condition) in step.expectations {
            guard let jitter = Jitter(of: results) else {
                let wanted = evaluation.text(condition)
                throw StepFailure.unmet(wanted, got: "\(count: results.count, "result"), of which jitter needs three")
            }
            do {
                try check(condition, on: ConditionSubject(record: jitter.record))
            } catch var failure as StepFailure {
                failure.notes.append(jitter.note)
                throw failure
            }
        }
        for case .result(let condition) in step.expectations {
            guard !results.isEmpty else {
                let wanted = evaluation.text(condition)
                throw StepFailure.unmet(wanted, got: "no result")
            }
            for result in results { try check(condition, on: ConditionSubject(record: result)) }
        }
    }
}

extension StepFailure {
    package static func unmet(_ expected: String, got: String) -> StepFailure {
        var failure = StepFailure(kind: .unmet, message: "expected \(expected), got \(got)")
        failure.expected = expected
        failure.got = got
        return failure
    }

    /// An expectation of a failure, where a result came.
    fileprivate static func unmet(
        _ expected: String,
        of result: ConditionSubject,
        got before: String = ""
    ) -> StepFailure {
        var failure = StepFailure.unmet(expected, got: result.words.map { before + $0 } ?? "no error")
        if let hex = result.record.text(at: "value") { failure.value = hex }
        return failure
    }
}

extension ScriptExpectation {
    /// The failure that is expected, in words; `nil` if none is.
    var failureText: String? {
        switch self {
        case .result, .jitter: nil
        case .silence: "silence"
        case .error(let code?):
            "ATT error 0x\(Hex.string(code, minimumDigits: 2))"
                + (ATTErrorCode(rawValue: code).name.map { " \($0)" } ?? "")
        case .error(nil): "an ATT error"
        case .status(let status): "exit status \(status)"
        }
    }

    /// Whether an exit status is expected, which any failure has.
    fileprivate var isStatus: Bool { if case .status = self { true } else { false } }

    fileprivate func isMet(by failure: BlectlError) -> Bool {
        switch self {
        case .result, .jitter, .silence: false
        case .error(let code?): failure.attError == code
        case .error(nil): failure.attError != nil
        case .status(let status): failure.status.rawValue == status
        }
    }
}
