// SPDX-License-Identifier: GPL-2.0-or-later

/// A place for work that outlives the call that started it, such as the receive loop of a connection.
///
/// The work runs as child tasks of `withTaskScope`: it inherits the executor (virtual time needs that), and it is cancelled
/// and awaited when the scope ends. No task of ours is unstructured.
///
/// Cancelling the task that called `withTaskScope` cancels the work at once, before `body` had its time to tidy up: what is
/// to be interrupted is a child task in the scope's body, not the scope.
public struct TaskScope: Sendable {
    private let jobs: AsyncStream<@Sendable () async -> Void>.Continuation

    fileprivate init(_ jobs: AsyncStream<@Sendable () async -> Void>.Continuation) {
        self.jobs = jobs
    }

    /// Starts work in the scope. `false`: the scope has ended, and the work will never run.
    @discardableResult
    public func spawn(_ job: @escaping @Sendable () async -> Void) -> Bool {
        if case .enqueued = jobs.yield(job) { true } else { false }
    }

    /// Starts work that can be cancelled by itself, before the scope ends.
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
    /// Runs `body` to its end in the scope, whether or not the calling task is cancelled: for tidying up.
    ///
    /// It has to come to an end by itself; `withDeadline` sees to that. Only the end of the scope cancels it.
    public func shielded<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, any Error>, Never>) in
            let isStarted = spawn {
                do {
                    continuation.resume(returning: .success(try await body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            if !isStarted { continuation.resume(returning: .failure(CancellationError())) }
        }
        return try result.get()
    }
}

/// Work in a scope that can be cancelled by itself.
public struct ScopedTask: Sendable {
    /// `false`: the scope had ended, and the work will never run.
    public let isStarted: Bool
    private let signal: AsyncStream<Never>.Continuation

    fileprivate init(isStarted: Bool, signal: AsyncStream<Never>.Continuation) {
        self.isStarted = isStarted
        self.signal = signal
    }

    /// Cancels the work; does not wait for its end. Cancelling twice, or after the end, does nothing.
    public func cancel() {
        signal.finish()
    }
}

/// Runs `body` with a scope for background work; ends that work, and waits for it, when `body` returns.
public func withTaskScope<Value: Sendable>(_ body: (TaskScope) async throws -> Value) async rethrows -> Value {
    // Unbounded, because it carries as many jobs as connections and scans are started, never packets.
    let (jobs, continuation) = AsyncStream<@Sendable () async -> Void>.makeStream(bufferingPolicy: .unbounded)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            await withDiscardingTaskGroup { running in
                for await job in jobs {
                    running.addTask { await job() }
                }
            }
        }
        defer {
            continuation.finish()
            group.cancelAll()
        }
        return try await body(TaskScope(continuation))
    }
}
