// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
package import CommandLineInterface
package import Records
package import Terminal

/// Runs a command and turns its end into an exit status.
package enum CommandRunner {
    /// Runs the command and waits until its output is written. An error is printed on standard error, and for programs
    /// as the last record on standard output. The end of the reader of standard output is not an error.
    ///
    /// If the task is cancelled, the command cleans up before this returns; its status is then meaningless.
    package static func run(_ request: CommandRequest, in context: CommandContext) async -> ExitStatus {
        // Before the first message: with --redact, errors do not show the names of devices, and the command line has
        // some.
        for name in request.command.givenNames { context.diagnostics.conceal(name) }
        var status = await outcome(of: request, context)
        if let key = context.output.lackedKey {
            let lack = "nothing was printed, because no record has the key '\(key)'"
            if status == .success, !Task.isCancelled {
                // As wrong as a key that is refused before, but here the command has done its work.
                status = .expectationFailed
                context.diagnostics.error(BlectlError(status, lack, hint: "--json shows the keys of the records"))
            } else {
                context.diagnostics.note(lack)
            }
        }
        // Records have the timing as a member, and a session has printed it when its link was made.
        if let timing = context.runState.timing, context.output.timing != nil, !context.output.writesRecords,
            !request.name.has(.holdsLink)
        {
            context.diagnostics.lines(timing.text)
        }
        await context.output.drain()
        // Between the two waits: the number is final only now, and the note has to be written, too.
        let unwritten = context.output.unwrittenCount
        if unwritten > 0 {
            context.diagnostics.note("\(count: unwritten, "octet") of results not written: the reader does not read")
        }
        await context.diagnostics.drain()
        return status
    }

    /// Runs the command, and turns its end into an exit status. After a cancellation the status means nothing, so
    /// that it is `success`.
    private static func outcome(of request: CommandRequest, _ context: CommandContext) async -> ExitStatus {
        // The error of the deadline comes from outside of the command, which alone knows the device that it has found.
        let usedDevices = UsedDevices()
        do {
            if let limit = context.options.deadline {
                let deadline = CommandDeadline(moment: context.time.now + limit, devices: usedDevices)
                var runState = context.runState
                runState.deadline = deadline
                let limited = context.with(runState: runState)
                let end: Void? = try await untilDeadline(deadline.moment, context.time) {
                    try await runUntilRest(request, limited)
                }
                // With the time of the option: on a busy machine a part of it is over before the wait begins.
                guard end != nil else { throw DeadlineExceeded(deadlineOperation, limit: limit) }
            } else {
                try await runUntilRest(request, context)
            }
            context.diagnostics.clearProgress()
            return .success
        } catch let failure as PartialFailure {
            // Each failure has been printed already.
            context.diagnostics.clearProgress()
            return failure.status
        } catch  where Task.isCancelled {
            // Ctrl-C needs no message.
            context.diagnostics.clearProgress()
            return .success
        } catch {
            // After the deadline a slow reader gets a tenth of a second in all, so that --deadline is kept.
            let isOverdue = (error as? DeadlineExceeded)?.operation == deadlineOperation
            if isOverdue { context.output.hurry(.overdue) }
            let device = isOverdue ? usedDevices.only : nil
            let action = request.command.action(on: device?.text)
            guard let described = BlectlError(describing: error, doing: action)?.inWorld(of: context.options) else {
                context.diagnostics.clearProgress()
                return .success
            }
            report(described.about(command: request.name, device: device), context)
            return described.status
        }
    }

    /// Runs the command, and throws instead of reporting a failure: a `BlectlError`, a `PartialFailure` if the output
    /// has the failure of each target, an `OutputFailure`, or a `CancellationError`.
    ///
    /// For the steps of a script and the lines of a shell; the context replaces the output, the messages and the
    /// device.
    package static func perform(_ request: CommandRequest, in context: CommandContext) async throws {
        for name in request.command.givenNames { context.diagnostics.conceal(name) }
        do {
            try await request.run(in: context)
        } catch let error where error is PartialFailure || error is OutputFailure || error is CancellationError {
            throw error
        } catch {
            try Task.checkCancellation()
            let described = BlectlError(describing: error, doing: request.command.action)?.inWorld(of: context.options)
            throw described?.about(command: request.name) ?? error
        }
    }

    private static func report(_ error: BlectlError, _ context: CommandContext) {
        context.diagnostics.error(error)
        guard context.output.writesRecords else { return }
        // If standard output itself has failed, that was reported on standard error.
        let shown = context.diagnostics.redacted(error)
        try? context.output.put(ErrorResult(error: shown, timestamp: Timestamp(context.time)))
    }

    /// Reports an error that keeps a command from starting, and returns its status.
    package static func report(
        _ error: BlectlError,
        of request: CommandRequest,
        _ output: Output,
        _ diagnostics: Diagnostics,
        _ time: any TimeSource
    ) async -> ExitStatus {
        diagnostics.error(error)
        if output.writesRecords {
            let shown = diagnostics.redacted(error.about(command: request.name))
            try? output.put(ErrorResult(error: shown, timestamp: Timestamp(time)))
        }
        await output.drain()
        await diagnostics.drain()
        return error.status
    }

    private static let deadlineOperation = "--deadline"

    /// Runs the command. A command that waits for an event that can no longer happen in the simulated world ends with
    /// an error. Commands without another end expect this, and end before.
    private static func runUntilRest(_ request: CommandRequest, _ context: CommandContext) async throws {
        // Each line of a shell is a separate command.
        if request.name.has(.isShell) { return try await runAndFlush(request, context) }
        // On a real clock this wait never ends, so that only the command does.
        let isDone = try await until {
            _ = try? await context.time.untilNothingIsDue(or: Instant(nanoseconds: .max))
        } _: {
            try await runAndFlush(request, context)
            return true
        }
        guard isDone == true else {
            // In virtual time, the same command has the same end.
            throw BlectlError(.timedOut, cannot: request.command.action, RunEnding.worldAtRest.remark ?? "")
                .withoutRetry()
        }
    }

    /// Runs the command and writes all of its output. If both fail, the error of writing takes precedence for a command
    /// whose only purpose is its output. For other commands the failure on the device counts more: it must not look
    /// like a success because a reader went away.
    private static func runAndFlush(_ request: CommandRequest, _ context: CommandContext) async throws {
        do {
            try await runWithPrivacy(request, context)
        } catch {
            // A flush after a failed write would only fail again.
            guard !(error is OutputFailure) else { throw error }
            do throws(OutputFailure) {
                try await context.output.flush()
                // In virtual time everything is written at once, so that no flush fails.
                if let failure = context.output.failure { throw failure }
            } catch let failure {
                guard !request.command.isForItsOutput else { throw failure }
                let described = BlectlError(describing: failure, doing: request.command.action)
                if let described { context.diagnostics.error(described) }
            }
            throw error
        }
        try await context.output.flush()
    }

    /// Runs the command with private addresses, if it uses the radio and wants them.
    private static func runWithPrivacy(_ request: CommandRequest, _ context: CommandContext) async throws {
        // A session that another process holds has the addresses of that process.
        guard request.usesRadio else { return try await runWhileOutputIsRead(request, context) }
        try await context.withPrivacy { try await runWhileOutputIsRead(request, $0) }
    }

    /// Runs the command. A command whose purpose is its output is cancelled when the reader goes away, and does not begin
    /// if standard output is closed.
    private static func runWhileOutputIsRead(_ request: CommandRequest, _ context: CommandContext) async throws {
        guard request.command.isForItsOutput else { return try await request.run(in: context) }
        if let failure = context.output.obstacle { throw failure }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await request.run(in: context)
                return true
            }
            group.addTask {
                await context.output.end()
                return false
            }
            defer { group.cancelAll() }
            if try await group.next() == true { return }
            group.cancelAll()
            guard let failure = context.output.failure else {
                // Both were cancelled from outside.
                _ = try await group.next()
                return
            }
            // The broken output is the error, because the command was cancelled for it, and throws only a
            // consequence.
            _ = try? await group.next()
            throw failure
        }
    }
}

extension CommandRequest {
    /// Runs the command. The policy of a link that the caller holds is that of the declaration, so that `--no-pair` is
    /// about the requests of this command alone.
    fileprivate func run(in context: CommandContext) async throws {
        let raisesNothing = context.caller.held != nil && command.device?.connection.leavesSecurity == true
        try await SecurityPolicy.$raisesNothing.withValue(raisesNothing) { try await command.run(in: context) }
    }
}
