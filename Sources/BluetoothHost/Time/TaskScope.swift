// SPDX-License-Identifier: MIT

import Bluetooth

/// A scope for work that outlives the call that started it, such as the receive loop of a connection.
///
/// The work runs in child tasks of `withTaskScope`. It therefore inherits the executor, as virtual time requires, and
/// is cancelled and awaited at the end of the scope. There are no unstructured tasks but the one of
/// `withLastingTaskScope`.
///
/// Cancelling the task that called `withTaskScope` cancels the work at once, before `body` can clean up. Work that must
/// be interruptible therefore belongs into a child task within `body`.
public struct TaskScope: Sendable {
    private let jobs: AsyncStream<@Sendable () async -> Void>.Continuation

    fileprivate init(_ jobs: AsyncStream<@Sendable () async -> Void>.Continuation) {
        self.jobs = jobs
    }

    /// Starts work in the scope. Returns `false` if the scope has ended; the work then never runs.
    @discardableResult
    public func spawn(_ job: @escaping @Sendable () async -> Void) -> Bool {
        if case .enqueued = jobs.yield(job) { true } else { false }
    }

    /// Starts work that can be cancelled before the scope ends.
    public func spawnCancellable(_ job: @escaping @Sendable () async -> Void) -> ScopedTask {
        let (signal, continuation) = AsyncStream<Never>.makeStream()
        let isStarted = spawn {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await job() }
                group.addTask { for await _ in signal {} }
                await group.next()
                group.cancelAll()
            }
        }
        return ScopedTask(isStarted: isStarted, signal: continuation)
    }
}

extension TaskScope {
    /// Runs `body` to its end in the scope even if the calling task is cancelled, so that it can clean up.
    ///
    /// `body` must bound its own time, for example by `withDeadline`, because only the end of the scope cancels it. For
    /// work at the end of an operation, whose errors do not matter, use `cleanUp`.
    public func shielded<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, any Error>, Never>) in
            let isStarted = spawn { continuation.resume(returning: await Result(catching: body)) }
            if !isStarted { continuation.resume(returning: .failure(CancellationError())) }
        }
        return try result.get()
    }
}

extension TaskScope {
    /// How long a cancelled operation may take to restore the state of the device: long enough for a device that
    /// answers, and short for a user who waits for a program to end.
    public static let cleanupTimeout = Duration.milliseconds(750)

    /// Runs `body` to its end even if the calling task is cancelled, but cancels it after a time limit.
    ///
    /// The caller ends anyway and has its own result or error to report, so an error of `body` is dropped, and so is
    /// its exceeded limit. After the end of the scope, `body` does not run.
    ///
    /// - Parameters:
    ///   - limit: The maximum time for `body`, because the user waits for the program to end.
    ///   - time: The clock of the limit.
    ///   - body: Restores the state. It must react to cancellation.
    public func cleanUp(
        within limit: Duration = Self.cleanupTimeout,
        _ time: any TimeSource,
        _ body: @escaping @Sendable () async throws -> Void
    ) async {
        _ = try? await shielded { try await untilDeadline(time.now + limit, time, body) }
    }
}

/// Work in a scope that can be cancelled individually.
public struct ScopedTask: Sendable {
    /// `false` if the scope had ended; the work then never runs.
    public let isStarted: Bool
    private let signal: AsyncStream<Never>.Continuation

    fileprivate init(isStarted: Bool, signal: AsyncStream<Never>.Continuation) {
        self.isStarted = isStarted
        self.signal = signal
    }

    /// Cancels the work without waiting for its end. Another call, or one after the end, has no effect.
    public func cancel() {
        signal.finish()
    }
}

/// Runs `body` with a scope for background work. When `body` returns, cancels that work and waits for its end.
public func withTaskScope<Value: Sendable>(_ body: (TaskScope) async throws -> Value) async rethrows -> Value {
    // Unbounded, because it carries one job for each connection or scan, but never packets.
    let (jobs, continuation) = AsyncStream<@Sendable () async -> Void>.makeStream(bufferingPolicy: .unbounded)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await run(jobs) }
        defer {
            continuation.finish()
            group.cancelAll()
        }
        return try await body(TaskScope(continuation))
    }
}

/// Runs `body` with a scope that the cancellation of the calling task does not reach, so that `body` can still use the
/// work in the scope to clean up. When `body` returns or throws, cancels that work and waits for its end.
///
/// The work runs in a separate task, because child tasks would be cancelled with the caller. `body` itself runs where
/// the caller runs.
///
/// - Parameters:
///   - time: The clock on whose executor the work runs.
///   - body: Uses the scope.
public func withLastingTaskScope<Value>(
    _ time: any TimeSource,
    _ body: (TaskScope) async throws -> Value
) async rethrows -> Value {
    let (jobs, continuation) = AsyncStream<@Sendable () async -> Void>.makeStream(bufferingPolicy: .unbounded)
    let work = Task(executorPreference: time.executor) { await run(jobs) }
    return try await withCleanup {
        try await body(TaskScope(continuation))
    } cleanup: {
        continuation.finish()
        work.cancel()
        await work.value
    }
}

/// Runs jobs beside each other, until there are no more and all have ended.
private func run(_ jobs: AsyncStream<@Sendable () async -> Void>) async {
    // Any other group would keep the results of ended jobs until the scope ends.
    await withDiscardingTaskGroup { running in
        for await job in jobs {
            running.addTask { await job() }
        }
    }
}
