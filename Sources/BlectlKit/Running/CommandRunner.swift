// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// Runs the command that was asked for and turns whatever comes of it into an exit status.
public enum CommandRunner {
    /// Runs the command, and waits until what it had to say is read. An error is told on standard error; a reader of standard
    /// output that goes away is a normal end.
    ///
    /// When the task is cancelled the command tidies up first; its status then means nothing.
    public static func run(_ context: CommandContext) async -> ExitStatus {
        let status = await outcome(context)
        await context.output.drain()
        await context.diagnostics.drain()
        return status
    }

    private static func outcome(_ context: CommandContext) async -> ExitStatus {
        do {
            if let limit = context.arguments[GlobalSpec.deadline] {
                try await withDeadline(context.time.now + limit, context.time, operation: deadlineOperation) {
                    try await work(context)
                }
            } else {
                try await work(context)
            }
            context.diagnostics.clearProgress()
            return .success
        } catch let failure as CommandFailure {
            // Told already, one by one.
            context.diagnostics.clearProgress()
            return failure.status
        } catch  where Task.isCancelled {
            // Whoever pressed Ctrl-C knows why it ended.
            context.diagnostics.clearProgress()
            return .success
        } catch {
            if let error = error as? DeadlineExceeded, error.operation == deadlineOperation { context.output.hurry() }
            guard let described = BlectlError(describing: error, doing: context.arguments.command.rawValue) else {
                context.diagnostics.clearProgress()
                return .success
            }
            context.diagnostics.error(described.message, hint: described.hint)
            return described.status
        }
    }

    private static let deadlineOperation = "--deadline"

    /// The command, and all that it had to say until it ended or failed. That this could not be written comes first.
    private static func work(_ context: CommandContext) async throws {
        let result: Result<Void, any Error>
        do {
            try await whileSomebodyReads(context)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        if !(result.error is OutputFailure) { try await context.output.flush() }
        try result.get()
    }

    /// The command; one that is there for what it prints ends when nobody reads that any more, and tidies up.
    private static func whileSomebodyReads(_ context: CommandContext) async throws {
        guard context.arguments.command.isForItsOutput else { return try await dispatch(context) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await dispatch(context)
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
                // Somebody else has cancelled both.
                _ = try await group.next()
                return
            }
            // What comes of tidying up is nobody's business any more.
            _ = try? await group.next()
            throw failure
        }
    }

    private static func dispatch(_ context: CommandContext) async throws {
        switch context.arguments.command {
        case .scan: try await ScanCommand(context).run()
        case .inspect: try await InspectCommand(context).run()
        case .read: try await ReadCommand(context).run()
        case .write: try await WriteCommand(context).run()
        case .notify: try await NotifyCommand(context).run()
        case .watch: try await WatchCommand(context).run()
        case .serve: try await ServeCommand(context).run()
        case .adapters: try await AdaptersCommand(context).run()
        case .adapter: try await AdapterCommand(context).run()
        case .version: try await VersionCommand(context).run()
        case .completion, .help: break
        }
    }

    /// Runs `body` until it ends, or until it is interrupted: then it is cancelled, and has its time to tidy up.
    public static func interruptible<Value: Sendable>(
        by interruption: Interruption,
        _ body: @escaping @Sendable () async -> Value
    ) async -> Value? {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { await body() }
            group.addTask {
                for await _ in interruption.events { break }
                return nil
            }
            var result = await group.next() ?? nil
            group.cancelAll()
            if result == nil { result = await group.next() ?? nil }
            return result
        }
    }
}

extension Result {
    fileprivate var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

/// Some of what was asked for failed, and was told already; how the program ends.
struct CommandFailure: Error {
    let status: ExitStatus
}
