// SPDX-License-Identifier: GPL-2.0-or-later

/// A place for work that outlives the call that started it, such as the receive loop of a connection.
///
/// The work runs as child tasks of `withTaskScope`: it inherits the executor (virtual time needs that), and it is cancelled
/// and awaited when the scope ends. No task of ours is unstructured.
public struct TaskScope: Sendable {
    private let jobs: AsyncStream<@Sendable () async -> Void>.Continuation

    fileprivate init(_ jobs: AsyncStream<@Sendable () async -> Void>.Continuation) {
        self.jobs = jobs
    }

    /// Starts work in the scope. After the scope's end the work is not started.
    public func spawn(_ job: @escaping @Sendable () async -> Void) {
        start(job)
    }

    /// Starts work in the scope; `false` where the scope has ended.
    @discardableResult
    private func start(_ job: @escaping @Sendable () async -> Void) -> Bool {
        if case .enqueued = jobs.yield(job) { true } else { false }
    }

    /// Starts work that can be cancelled by itself, before the scope ends.
    public func spawnCancellable(_ job: @escaping @Sendable () async -> Void) -> ScopedTask {
        let (signal, continuation) = AsyncStream<Never>.makeStream()
        start {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await job() }
                group.addTask { for await _ in signal {} }
                await group.next()
                group.cancelAll()
            }
        }
        return ScopedTask(continuation)
    }
}

extension TaskScope {
    /// Runs `body` to its end in the scope, whether or not the calling task is cancelled: for tidying up.
    ///
    /// It has to come to an end by itself; `withDeadline` sees to that.
    public func shielded<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, any Error>, Never>) in
            let isStarted = start {
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
    private let signal: AsyncStream<Never>.Continuation

    fileprivate init(_ signal: AsyncStream<Never>.Continuation) {
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
