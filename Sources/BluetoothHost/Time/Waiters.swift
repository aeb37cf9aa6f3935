// SPDX-License-Identifier: MIT

package import Synchronization

/// Tasks that wait for an answer, in the order of their arrival. The lock of what they wait for guards them.
package struct Waiters<Answer: Sendable>: Sendable {
    fileprivate typealias Continuation = CheckedContinuation<Answer, Never>

    private var waiting: [(number: UInt64, continuation: Continuation)] = []
    private var last: UInt64 = 0

    package init() {}

    /// Takes them out, to be resumed without the lock.
    package mutating func takeAll() -> Self {
        defer { waiting = [] }
        return self
    }

    package func resume(returning answer: Answer) {
        for waiter in waiting { waiter.continuation.resume(returning: answer) }
    }

    fileprivate mutating func number() -> UInt64 {
        last += 1
        return last
    }

    fileprivate mutating func add(_ continuation: Continuation, _ number: UInt64) {
        waiting.append((number, continuation))
    }

    fileprivate mutating func take(_ number: UInt64) -> Continuation? {
        waiting.firstIndex { $0.number == number }.map { waiting.remove(at: $0).continuation }
    }
}

/// A state with tasks that wait for it.
package protocol WaitedState: ~Copyable, SendableMetatype {
    associatedtype Answer: Sendable
    var waiters: Waiters<Answer> { get set }
}

extension Mutex where Value: WaitedState & ~Copyable {
    /// Suspends until one of the waiters is resumed with an answer, unless the state has one at once.
    ///
    /// - Parameters:
    ///   - cancelled: The answer to a cancelled task.
    ///   - present: The answer of the state; `nil` if it has none yet.
    package borrowing func answer(
        ifCancelled cancelled: Value.Answer,
        _ present: @Sendable (borrowing Value) -> Value.Answer?
    ) async -> Value.Answer {
        // A number, by which a cancellation finds its own continuation among the waiters.
        let number = withLock { $0.waiters.number() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = withLock { state -> Value.Answer? in
                    // Checked under the lock that `onCancel` takes: either `onCancel` finds the waiter, or this sees
                    // the cancellation.
                    if Task.isCancelled { return cancelled }
                    if let answer = present(state) { return answer }
                    state.waiters.add(continuation, number)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            withLock { $0.waiters.take(number) }?.resume(returning: cancelled)
        }
    }
}
