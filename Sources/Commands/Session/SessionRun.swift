// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import RadioSharing
import Records
import Terminal
import Toolkit

/// `blectl session`: holds a link for other commands, and reports their use.
struct SessionRun {
    let options: SessionOptions
    let context: CommandContext

    /// Starts, lists or stops sessions. Throws if the composition root offers no sessions.
    func run() async throws {
        guard let support = context.sessions else {
            // In a shell, whose lines have the world of the shell, this is not an option of the command.
            if case .simulation(.virtual) = context.options.radio {
                throw BlectlError(
                    .usage,
                    "'--simulate-time virtual' is for a world of one command, which has no sessions",
                    hint: "share one: blectl simulate serve --simulate-time virtual --socket PATH"
                )
            }
            throw BlectlError(RadioError(.unsupported, during: "session"), doing: "use sessions")
        }
        switch options.action {
        case .start(let start, let device):
            try await refuseSecond(for: device)
            if start.isForeground {
                try await SessionHolder(start, device, support, context).run()
            } else {
                try await startInBackground(support)
            }
        case .list(let selection):
            try support.folder.check()
            try await list(selection)
        case .stop(let selection):
            try support.folder.check()
            try await stop(selection)
        }
    }

    // MARK: - Starting

    /// Throws if the device has a session already. Without that, the device would only not be found.
    private func refuseSecond(for device: DeviceOptions) async throws {
        guard let selector = device.selector, selector.isOfOneDevice else { return }
        let sessions = await context.sessions(inOwnWorld: true).map(\.description)
        let choice = SessionChoice(among: sessions, for: selector, adapters: context.options.adapters)
        switch choice {
        case .none: return
        case .one(let session): throw BlectlError(held: session)
        case .several(let sessions): throw BlectlError(held: sessions[0])
        }
    }

    /// Starts a process that holds the link, and waits until it does.
    private func startInBackground(_ support: SessionSupport) async throws {
        guard let blocking = context.process.blocking else {
            throw BlectlError(RadioError(.unsupported, during: "session"), doing: "start a session")
        }
        var arguments = support.arguments
        // The child runs the same command line with `--foreground`, so that it holds the link itself.
        arguments.insert("--foreground", at: min(1, arguments.count))
        let process = try BackgroundProcess(arguments, environment: context.process.variables())
        // A signal to this process is passed on, so that the child ends its half-made connection.
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<BackgroundProcess.Outcome, Never>) in
                blocking { continuation.resume(returning: process.wait()) }
            }
        } onCancel: {
            process.interrupt()
        }
        switch outcome {
        case .ready: return
        case .exited(let number):
            try Task.checkCancellation()
            // The child has reported its error itself. A status that is not in the table of exit statuses is a bug.
            throw PartialFailure(status: ExitStatus(rawValue: number) ?? .internalError)
        case .killed(let signal):
            try Task.checkCancellation()
            throw BlectlError(
                .temporaryFailure,
                cannot: "start a session",
                "the process in the background was killed by signal \(signal)"
            )
        }
    }

    // MARK: - The others

    /// Lists sessions of all worlds, as far as they answer.
    private func list(_ selection: SessionSelection) async throws {
        let now = Timestamp(context.time)
        let results = try selection.chosen(among: await context.sessions(inOwnWorld: false)).map {
            SessionResult(session: $0.description, state: nil, timestamp: now)
        }
        try await context.output.emit(list: results)
    }

    /// Stops sessions, and reports each one with its statistics. A failure does not keep the others from being stopped.
    private func stop(_ selection: SessionSelection) async throws {
        let (found, silent) = await context.sessionSurvey(inOwnWorld: false)
        var failures: [BlectlError] = []
        let chosen: [CommandContext.FoundSession]
        do throws(BlectlError) {
            chosen = try selection.chosen(among: found)
            if case .fitting = selection { try SessionSelection.refuseSeveral(chosen) }
        } catch {
            // It may be the one that was meant.
            let meant = silent.filter { name in
                switch selection {
                case .all: false
                case .named(let text): text == name
                case .fitting, .only: found.isEmpty
                }
            }
            throw meant.count == 1 ? BlectlError(silent: meant[0]) : error
        }
        for session in chosen {
            do {
                try await stop(session)
            } catch let error as BlectlError {
                // A cancelled command ends without messages.
                try Task.checkCancellation()
                failures.append(error)
            }
        }
        if case .all = selection { failures += silent.map { BlectlError(silent: $0) } }
        guard let first = failures.first else { return }
        // A single failure is that of the command.
        guard failures.count > 1 else { throw first }
        for failure in failures { try await report(failure) }
        throw PartialFailure(status: first.status)
    }

    /// Stops a session, and reports it when it has ended.
    private func stop(_ session: CommandContext.FoundSession) async throws {
        let last: SessionDescription
        do throws(RadioError) {
            last = try await session.client.stop(timeout: context.options.timeout)
        } catch {
            let action = "stop session '\(session.description.name)'"
            switch error.cause {
            // Another command has stopped it meanwhile.
            case .socket(_, .noFile), .socket(_, .nobodyListens), .closedByPeer, .cancelled: last = session.description
            // The other end is a process, and not a controller.
            case .controllerSilent:
                let reason = "its process \(session.description.process) does not answer"
                let hint = "wait longer: --timeout; or end that process"
                throw BlectlError(.timedOut, cannot: action, reason, hint: hint)
            default: throw BlectlError(error, doing: action)
            }
        }
        try await waitForEnd(of: session)
        try await context.output.emit(
            SessionResult(session: last, state: .stopped, timestamp: Timestamp(context.time))
        )
    }

    /// Reports a failure on standard error, and as a record too if records are written.
    private func report(_ failure: BlectlError) async throws {
        context.diagnostics.error(failure)
        guard context.output.writesRecords else { return }
        let shown = context.diagnostics.redacted(failure.about(command: .session))
        try await context.output.emit(ErrorResult(error: shown, timestamp: Timestamp(context.time)))
    }

    /// How long to wait for the end of a session's process whose socket is gone.
    private static let farewell = Duration.seconds(2)

    /// Waits until the socket is gone, so that the same session can be started again, and then for the process: until it
    /// ends, it has its place in a shared world, and with the place the adapter that the bonds are of.
    private func waitForEnd(of session: CommandContext.FoundSession) async throws {
        let deadline = context.time.now + context.options.timeout
        let isGone = try await waits(until: deadline) {
            context.sessions?.folder.entries().contains(session.entry) != true
        }
        guard isGone else {
            throw BlectlError(.timedOut, cannot: "stop session '\(session.description.name)'", "it does not end")
        }
        // A shared clock has the order of the ends.
        guard !context.options.sharesClock else { return }
        _ = try await waits(until: min(deadline, context.time.now + Self.farewell)) {
            !BackgroundProcess.isRunning(session.description.process)
        }
    }

    /// Waits for a condition. Returns whether it was met before the deadline.
    private func waits(until deadline: Instant, _ isMet: () -> Bool) async throws -> Bool {
        // Doubled up to a tenth of a second: most sessions end at once, and polling must not keep the machine busy.
        var pause = Duration.milliseconds(2)
        while !isMet() {
            guard context.time.now < deadline else { return false }
            try await context.time.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(100))
        }
        return true
    }
}

extension BlectlError {
    /// The error for a session that is to be stopped, and does not answer.
    fileprivate init(silent name: String) {
        self.init(
            .timedOut,
            cannot: "stop session '\(name)'",
            "it does not answer",
            hint: "wait longer: --timeout; or end its process, which 'pgrep -f \"session start\"' finds"
        )
    }

    init(held session: SessionDescription) {
        self.init(
            .temporaryFailure,
            cannot: "start a session with \(session.reference.text)",
            "session '\(session.name)' holds it already (process \(session.process))",
            hint: "blectl session stop \(Prose.quoted(session.name))"
        )
    }
}
