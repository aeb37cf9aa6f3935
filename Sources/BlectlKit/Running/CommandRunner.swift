// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// Runs the command that was asked for and turns whatever comes of it into an exit status.
public enum CommandRunner {
    /// Runs the command. An error is told on standard error; a closed standard output is a normal end.
    ///
    /// When the task is cancelled the command tidies up first; its status then means nothing.
    public static func run(_ context: CommandContext) async -> ExitStatus {
        do {
            if let limit = context.arguments[GlobalSpec.deadline] {
                try await withDeadline(context.time.now + limit, context.time, operation: "--deadline") {
                    try await dispatch(context)
                }
            } else {
                try await dispatch(context)
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
            guard let described = BlectlError(describing: error, doing: context.arguments.command.rawValue) else {
                context.diagnostics.clearProgress()
                return .success
            }
            context.diagnostics.error(described.message, hint: described.hint)
            return described.status
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
        case .version: try VersionCommand(context).run()
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

/// Some of what was asked for failed, and was told already; how the program ends.
struct CommandFailure: Error {
    let status: ExitStatus
}
