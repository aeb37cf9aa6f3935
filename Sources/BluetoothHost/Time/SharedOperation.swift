// SPDX-License-Identifier: MIT

import Synchronization

/// A piece of work whose result several callers await: two reads that need a larger MTU cause one exchange.
///
/// The work starts at once and runs to its end in the scope even if all callers have left, because it may be possible
/// only once. A caller that is cancelled stops waiting.
final class SharedOperation<Value: Sendable>: Sendable {
    private typealias Outcome = Result<Value, any Error>

    private struct State: WaitedState {
        var outcome: Outcome?
        var waiters = Waiters<Outcome>()
    }

    private let state = Mutex(State())

    init(in scope: TaskScope, _ work: @escaping @Sendable () async throws -> Value) {
        let isStarted = scope.spawn { self.finish(await Result(catching: work)) }
        if !isStarted { finish(.failure(CancellationError())) }
    }

    /// The result of the work; throws `CancellationError` when the caller's task is cancelled.
    func value() async throws -> Value {
        if let outcome = state.withLock({ $0.outcome }) { return try outcome.get() }
        return try await state.answer(ifCancelled: .failure(CancellationError())) { $0.outcome }.get()
    }

    private func finish(_ outcome: Outcome) {
        let waiters = state.withLock { state in
            state.outcome = outcome
            return state.waiters.takeAll()
        }
        waiters.resume(returning: outcome)
    }
}
