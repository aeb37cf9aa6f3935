// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
package import CommandLineInterface
import Records
import Terminal
package import Toolkit

extension ScriptEngine {
    /// Begins a stream, and returns when it is armed: the subscription was answered, or the scan runs.
    package func begin(
        _ name: String,
        _ step: ScriptStep,
        _ command: CommandName,
        _ device: String?,
        _ words: [ScriptWord]
    ) async throws {
        // The same name again replaces the stream.
        try refuseFailed(name)
        await stop(name)
        let stream = ScriptStream(step)
        let errors = StepRecords()
        let notes = MessageSink()
        let sink = Output { record in
            // Failed targets are kept for the judgement; events between results are not results.
            if record.isResult { stream.add(record) } else if record.type == "error" { errors.add(record) }
            if let lost = record.lostValues { stream.lose(lost) }
        }
        let (request, derived) = try await prepared(step, command, device, words, sink, notes) { stream.arm() }
        let source = command.hasDevice ? device ?? onlyDevice : nil
        let malformed = await malformedUpdates(of: source)
        let task = context.scope.spawnCancellable {
            do {
                try await CommandRunner.perform(request, in: derived)
                stream.finish(.complete)
            } catch let error as PartialFailure {
                stream.finish(.failed(BlectlError(partial: error, errors.records)))
            } catch {
                let described = BlectlError(describing: error, doing: request.command.action)
                    .map { derived.diagnostics.redacted($0) }
                // A cancelled stream was stopped by a step, and has not failed.
                stream.finish(error is CancellationError ? .stopped : described.map { .failed($0) } ?? .stopped)
            }
        }
        streams[name] = RunningStream(
            stream: stream,
            task: task,
            device: source,
            scope: ResultScope(request, of: context.commands),
            malformed: malformed
        )
        do {
            try await within(step.limit ?? StepRequest.longestCommand, step) { try await stream.armed() }
        } catch {
            // A stream that did not get ready in time must not go on in the background.
            await stop(name)
            throw error
        }
        messages += notes.lines
        // The command has failed before it was ready, which the step may expect.
        if case .failed(let error)? = stream.end {
            streams[name] = nil
            return try judge(step, [], error)
        }
        try judge(step, [], nil)
    }

    /// The running stream with a name. Throws with the most similar name if there is none.
    package func running(_ name: String) throws(BlectlError) -> ScriptStream {
        if let stream = streams[name]?.stream { return stream }
        let similar = Suggestion.closest(to: name, among: streams.keys.sorted())
        throw BlectlError(
            .badData,
            "no stream \(Prose.quoted(name)) runs" + (similar.map { "; did you mean '\($0)'?" } ?? ""),
            hint: "notify TARGET as \(name)"
        )
    }

    /// Ends a stream, and waits for its command to clean up.
    package func stop(_ name: String) async {
        guard let running = streams.removeValue(forKey: name) else { return }
        running.task.cancel()
        // A task that never began has nothing to clean up.
        guard running.task.isStarted else { return }
        let stream = running.stream
        // Twice the time, because the command of the stream cleans up within this one.
        await context.scope.cleanUp(within: TaskScope.cleanupTimeout * 2, context.time) { try await stream.ended() }
    }

    // MARK: - Waiting

    /// Waits for results of a stream that meet the condition.
    package func wait(for wanted: Int, of name: String, _ condition: ScriptCondition?, _ step: ScriptStep) async throws
    {
        try checkNames(in: [condition].compactMap { $0 }, of: name)
        let limit = step.limit ?? context.options.timeout
        var met: [JSONValue] = []
        var others = 0
        var last: (UnmetCondition, JSONValue)?
        let deadline = context.time.now + limit
        // What is expected of each result cannot be known of those that were dropped.
        let needsAll = !step.expectations.isEmpty
        while met.count < wanted {
            let arrival = try await next(of: name, until: deadline, needsAll: needsAll)
            guard case .result(let record) = arrival else {
                throw missed(
                    "\(count: wanted, "result") of \(name)\(of(condition)) within \(limit.text)",
                    got: "\(met.count)" + (others > 0 ? ", and \(count: others, "other")" : ""),
                    arrival,
                    of: name,
                    last
                )
            }
            if let unmet = try unmet(condition, record) {
                others += 1
                last = (unmet, record)
            } else {
                met.append(record)
            }
        }
        resultCount = met.count
        try judgeResults(step, met)
        if let name = step.name, let last = met.last { variables.set(name, to: last) }
    }

    /// Waits for the whole time, and throws if a result meets the condition.
    func expectNone(of name: String, _ condition: ScriptCondition?, _ duration: Duration) async throws {
        try checkNames(in: [condition].compactMap { $0 }, of: name)
        // Only results from now on count.
        try await skipResults(of: name)
        let deadline = context.time.now + duration
        while case .result(let record) = try await next(of: name, until: deadline, isWholeTime: true, needsAll: true) {
            resultCount += 1
            guard try unmet(condition, record) == nil else {
                try refuseUnknown(condition, record)
                continue
            }
            let subject = ConditionSubject(record: record)
            var failure = StepFailure.unmet(
                "no result of \(name)\(of(condition)) for \(duration.text)",
                got: subject.words ?? "one"
            )
            if let hex = record.text(at: "value") { failure.value = hex }
            throw failure
        }
    }

    /// Counts the results of a stream that meet the condition.
    package func count(
        _ name: String,
        _ least: Int,
        _ most: Int?,
        _ condition: ScriptCondition?,
        _ duration: Duration,
        _ step: ScriptStep
    ) async throws {
        try checkNames(in: [condition].compactMap { $0 }, of: name)
        try await skipResults(of: name)
        let range = most == least ? "\(least)" : most.map { "\(least) to \($0)" } ?? "at least \(least)"
        let expected = "\(range) results of \(name)\(of(condition)) in \(duration.text)"
        var met: [JSONValue] = []
        var last: (UnmetCondition, JSONValue)?
        var arrival = Arrival.none
        let deadline = context.time.now + duration
        // With an upper bound the whole time is waited for, because one more result would break it, also one that was
        // dropped.
        while most != nil || met.count < least {
            arrival = try await next(
                of: name,
                until: deadline,
                isWholeTime: met.count >= least,
                needsAll: most != nil || !step.expectations.isEmpty
            )
            guard case .result(let record) = arrival else { break }
            if let unmet = try unmet(condition, record) {
                try refuseUnknown(condition, record)
                last = (unmet, record)
                continue
            }
            met.append(record)
            if let most, met.count > most { throw StepFailure.unmet(expected, got: "\(met.count) already") }
        }
        resultCount = met.count
        guard met.count >= least else { throw missed(expected, got: "\(met.count)", arrival, of: name, last) }
        try judgeResults(step, met)
        if let name = step.name, let last = met.last { variables.set(name, to: last) }
    }

    /// Waits for results of a stream that meet the conditions one after the other.
    func expectOrder(of name: String, _ conditions: [ScriptCondition], _ step: ScriptStep) async throws {
        try checkNames(in: conditions, of: name)
        let limit = step.limit ?? context.options.timeout
        let deadline = context.time.now + limit
        var last: (UnmetCondition, JSONValue)?
        for (index, condition) in conditions.enumerated() {
            while true {
                let arrival = try await next(of: name, until: deadline)
                guard case .result(let record) = arrival else {
                    let place = "number \(index + 1) of \(conditions.count) in order"
                    throw missed(
                        "a result of \(name)\(of(condition)), \(place), within \(limit.text)",
                        got: index == 0 ? "none of them" : "the first" + (index == 1 ? "" : " \(index)") + " of them",
                        arrival,
                        of: name,
                        last
                    )
                }
                resultCount += 1
                guard let unmet = try unmet(condition, record) else {
                    if index == conditions.count - 1, let name = step.name { variables.set(name, to: record) }
                    break
                }
                last = (unmet, record)
            }
        }
    }

    /// The outcome of a wait for a result.
    private enum Arrival {
        case result(JSONValue)
        /// The time is over.
        case none
        /// The command has all results that its options request; no more will come.
        case ended
    }

    /// The next result of a stream. Throws if the stream has ended with an error.
    ///
    /// - Parameters:
    ///   - isWholeTime: Whether the stream has to run until the deadline, so that its end is a failure.
    ///   - needsAll: Whether the step says something of all results, so that a dropped one is a failure.
    private func next(
        of name: String,
        until deadline: Instant,
        isWholeTime: Bool = false,
        needsAll: Bool = false
    ) async throws -> Arrival {
        let (stream, time) = (try running(name), context.time)
        resultScope = streams[name]?.scope
        try await noteGap(in: stream, name, needsAll: needsAll)
        // A result that was taken just when the deadline came is returned nevertheless, and not lost.
        let next = try await untilDeadline(deadline, time) { try await stream.next() }
        // Again, because results may have been dropped during the wait.
        try await noteGap(in: stream, name, needsAll: needsAll)
        switch next {
        case nil: return .none
        case .result(let record)?: return .result(record)
        case .ended(.failed(let error))?:
            streams[name]?.isExcused = true
            throw Self.failure(error, of: name, stream)
        case .ended?:
            guard isWholeTime else { return .ended }
            // That nothing came says nothing then.
            var failure = StepFailure.unmet("\(name) to run for the whole time", got: "it has ended")
            failure.notes.append(Self.beginning(of: stream))
            throw failure
        }
    }

    /// Notes how many results were lost or dropped. Throws if the step makes a statement about all results.
    private func noteGap(in stream: ScriptStream, _ name: String, needsAll: Bool) async throws {
        try await noteLosses(in: stream, name, needsAll: needsAll)
        let dropped = stream.takeDropped()
        guard dropped > 0 else { return }
        messages.append("\(count: dropped, "result") of \(name) dropped, because no step took them")
        guard needsAll else { return }
        var failure = StepFailure.unmet("all results of \(name)", got: "\(count: dropped, "result") dropped")
        failure.notes.append("at most \(ScriptStream.limit) are kept until a step takes them")
        failure.hint = "stop \(name), or take its results, before there are too many"
        throw failure
    }

    /// The failure of a step that looks at a stream which has failed.
    package static func failure(_ error: BlectlError, of name: String, _ stream: ScriptStream) -> StepFailure {
        var failure = StepFailure(error)
        failure.message = "\(name) has ended: \(failure.message)"
        failure.notes.append(beginning(of: stream))
        return failure
    }

    package static func beginning(of stream: ScriptStream) -> String {
        "it began at \(stream.step.place.file):\(stream.step.place.line): \(stream.step.text)"
    }

    /// The failure of a step that has waited in vain.
    private func missed(
        _ expected: String,
        got: String,
        _ arrival: Arrival,
        of name: String,
        _ last: (UnmetCondition, JSONValue)?
    ) -> StepFailure {
        var failure: StepFailure
        if case .ended = arrival, let stream = streams[name]?.stream {
            failure = StepFailure.unmet(expected, got: "\(got), and \(name) has ended")
            failure.notes.append(Self.beginning(of: stream))
        } else {
            failure = StepFailure.unmet(expected, got: got)
        }
        failure.take(last)
        return failure
    }

    /// Why a result does not meet a condition; `nil` if it does, or if there is no condition.
    private func unmet(_ condition: ScriptCondition?, _ record: JSONValue) throws -> UnmetCondition? {
        guard let condition else { return nil }
        return try evaluation.unmet(condition, on: ConditionSubject(record: record))
    }

    /// Throws if a condition names a field that no result of the stream can have, or a service that does not exist. A
    /// stream on which nothing comes would never show it.
    private func checkNames(in conditions: [ScriptCondition], of name: String) throws {
        guard let scope = streams[name]?.scope else { return }
        resultScope = scope
        for condition in conditions {
            if let unknown = evaluation.unknown(condition) {
                throw StepFailure(unknown, of: ConditionSubject(record: .null))
            }
            try evaluation.checkWords(of: condition)
        }
    }

    /// Throws if a condition names a field that no record has: where no result has to meet it, nothing was checked.
    private func refuseUnknown(_ condition: ScriptCondition?, _ record: JSONValue) throws {
        let subject = ConditionSubject(record: record)
        if let condition, let unknown = evaluation.unknown(condition, on: subject) {
            throw StepFailure(unknown, of: subject)
        }
    }

    /// A condition in words, with a blank in front; empty without one.
    private func of(_ condition: ScriptCondition?) -> String {
        guard let condition else { return "" }
        return " where \(evaluation.text(condition))"
    }
}

extension StepFailure {
    /// Takes the last result that did not meet a condition as evidence.
    fileprivate mutating func take(_ last: (UnmetCondition, JSONValue)?) {
        guard let (unmet, record) = last else { return }
        if let hex = record.text(at: "value") { value = hex }
        if let words = record.text(at: "text") { text = words }
        notes.append("the last other result: \(unmet.got)" + (unmet.note.map { "; \($0)" } ?? ""))
    }
}
