// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CommandLineInterface
import Terminal

/// Runs the programs of `--exec`, and tells the user why one has failed.
package struct ExecRunner: Sendable {
    /// The time after which a program is killed.
    private let timeout: Duration
    /// The variables that every program gets, as `NAME=value` and a zero.
    private let environment: [[CChar]]
    /// Runs a blocking function on a separate thread, because a task must not block.
    private let start: BlockingRunner
    private let time: any TimeSource
    /// Shows the user a message.
    package let note: @Sendable (String) -> Void
    /// Lets one program start at a time.
    private let gate = HookGate()

    /// Throws in virtual time.
    ///
    /// - Parameters:
    ///   - timeout: The time after which a program is killed.
    ///   - action: What the programs are run for: `serve with --exec`.
    package init(_ context: CommandContext, timeout: Duration, doing action: String) throws(BlectlError) {
        guard let blocking = context.process.blocking else {
            throw BlectlError(
                .usage,
                cannot: action,
                "virtual time does not pass while a program runs",
                hint: "--simulate-time real"
            )
        }
        self.timeout = timeout
        environment = context.process.variables()
        start = blocking
        time = context.time
        note = { [diagnostics = context.diagnostics] in diagnostics.note($0) }
    }

    /// Runs a program, and kills it if the task is cancelled.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments.
    ///   - subject: The program in messages.
    ///   - variables: Those that it gets besides those of blectl, by their names; `nil` for one that it does not get even
    ///     if blectl has it.
    ///   - input: The octets on its standard input.
    ///   - outputLimit: The maximum number of octets that it may write.
    ///   - tooMuch: What it did if it has written more.
    /// - Returns: Its exit status and its output; `nil` if it did not end by itself, which the user was told.
    package func run(
        _ words: [String],
        for subject: String,
        variables: [String: String?],
        input: [UInt8] = [],
        outputLimit: Int,
        tooMuch: String
    ) async -> (status: Int32, output: [UInt8])? {
        // Of two variables with one name, most programs would see that of blectl.
        let replaced = variables.keys.map { "\($0)=".utf8CString.dropLast() }
        let inherited = environment.filter { variable in !replaced.contains { variable.starts(with: $0) } }
        let own = variables.compactMap { name, value in value.map { "\(name)=\($0)" } }
        let process = HookProcess(
            words,
            environment: inherited + own.sorted().map { Array($0.utf8CString) },
            input: input,
            outputLimit: outputLimit,
            gate: gate
        )
        let (ending, isLate) = await process.run(within: timeout, time, start)
        switch ending {
        case _ where isLate: note("\(subject) was killed: it took longer than \(timeout.text)")
        case .exited(let status, let output): return (status, output)
        // At the end of the command `run` kills the program itself.
        case .killed(let signal): if !Task.isCancelled { note("\(subject) was ended by signal \(signal)") }
        case .tooMuchOutput: note("\(subject) was killed: \(tooMuch)")
        case .notStarted(let reason): if !Task.isCancelled { note("\(subject) could not be run: \(reason)") }
        }
        return nil
    }
}

extension HookProcess {
    /// Runs the program to its end, or kills it at the time limit or when the task is cancelled.
    ///
    /// - Parameter start: Runs functions that block.
    fileprivate func run(
        within limit: Duration,
        _ time: any TimeSource,
        _ start: @escaping BlockingRunner
    ) async -> (ending: Ending, isLate: Bool) {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                guard (try? await time.sleep(for: limit)) != nil else { return false }
                self.kill()
                return true
            }
            let ending = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    start { continuation.resume(returning: self.run()) }
                }
            } onCancel: {
                kill()
            }
            group.cancelAll()
            let isLate = await group.next() ?? false
            // The program may have ended just before.
            if case .exited = ending { return (ending, false) }
            return (ending, isLate)
        }
    }
}
