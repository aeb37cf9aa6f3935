// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

/// A process that was started, and is killed where it hangs.
final class Child: Sendable {
    /// Far more than any run takes.
    private static let patience = Duration.seconds(40)

    private let process: Process
    private let ended: AsyncStream<Void>
    private let watchdog: Task<Void, any Error>

    init(
        _ program: Program,
        input: FileHandle,
        output: FileHandle,
        error: FileHandle,
        environment: [String: String]
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program.path)
        process.arguments = program.arguments
        process.environment = ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"].merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = error
        let (ended, continuation) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in continuation.finish() }
        try Self.withoutBlockedSignals { try process.run() }
        self.process = process
        self.ended = ended
        let identifier = process.processIdentifier
        watchdog = Task {
            try await Task.sleep(for: Self.patience)
            kill(identifier, SIGKILL)
        }
    }

    /// A child inherits what its parent's thread blocks, and the threads of the pool block nearly everything.
    private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    var identifier: Int32 { process.processIdentifier }

    var isRunning: Bool { process.isRunning }

    func signal(_ number: Int32) { kill(identifier, number) }

    /// Waits until it waits: for all of a tenth of a second it takes no processor time.
    ///
    /// Nothing else tells that a process hangs in write(2).
    func waitUntilIdle() async throws {
        var last = ""
        var quiet = 0
        for _ in 0..<1_000 where quiet < 10 {
            try await Task.sleep(for: .milliseconds(10))
            let line = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
            // The fields behind the name in brackets: the state, and eleven further on the ticks in user and kernel mode.
            let fields = line.split(separator: ")").last?.split(separator: " ") ?? []
            let now = fields.count > 13 ? "\(fields[0]) \(fields[11]) \(fields[12])" : ""
            quiet = now == last && now.hasPrefix("S") ? quiet + 1 : 0
            last = now
        }
        try #require(quiet == 10, "it goes on and on")
    }

    /// Waits for the end. The exit status, or the negative number of the signal.
    func status() async -> Int32 {
        for await _ in ended {}
        watchdog.cancel()
        return process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
    }
}

/// Lets a few processes run at a time, so that all tests at once do not starve each other.
actor ProcessSlots {
    /// For most runs.
    static let busy = ProcessSlots(count: 4)
    /// For runs that do little but wait for an answer that does not come.
    static let waiting = ProcessSlots(count: 8)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private init(count: Int) { free = count }

    /// Runs `body`, in its caller's place, as soon as there is a slot.
    static func use<Result>(
        _ slots: ProcessSlots = .busy,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        await slots.take()
        do {
            let result = try await body()
            await slots.give()
            return result
        } catch {
            await slots.give()
            throw error
        }
    }

    private func take() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func give() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
