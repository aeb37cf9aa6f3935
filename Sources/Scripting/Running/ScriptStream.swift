// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles
import Synchronization
package import Toolkit

/// The results of a command in the background, until a step looks at them.
///
/// It remembers how far steps have looked: a result is looked at once. If more come than there is room for, the oldest
/// are dropped and counted.
package final class ScriptStream: Sendable {
    /// The maximum number of results that wait for a step.
    package static let limit = 10_000

    /// Why nothing more comes.
    package enum End: Sendable, Equatable {
        /// The command has completed its task.
        case complete
        /// A step has stopped it, or the script has ended.
        case stopped
        case failed(BlectlError)
    }

    /// The next result for a step that waits, or the reason why there will be none.
    package enum Next: Sendable, Equatable {
        case result(JSONValue)
        case ended(End)
    }

    private struct State {
        var waiting: [JSONValue] = []
        /// The index of the first one that no step has looked at.
        var first = 0
        var total = 0
        var dropped = 0
        /// The number of values that the command has lost, because they came too fast for it.
        var lost = 0
        var isArmed = false
        var end: End?
        var waiter: CheckedContinuation<Void, Never>?

        /// The waiter, to be resumed outside of the lock.
        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    package let step: ScriptStep
    private let state = Mutex(State())

    package init(_ step: ScriptStep) { self.step = step }

    package var total: Int { state.withLock { $0.total } }
    /// Why it has ended; `nil` if it has not.
    package var end: End? { state.withLock { $0.end } }

    /// The number of results that were dropped since the last call.
    func takeDropped() -> Int {
        state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped
        }
    }

    /// The number of values that the command has lost since the last call.
    func takeLost() -> Int {
        state.withLock { state in
            defer { state.lost = 0 }
            return state.lost
        }
    }

    /// Notes values that the command has lost.
    package func lose(_ count: Int) { state.withLock { $0.lost += count } }

    package func add(_ record: JSONValue) {
        change { state in
            state.waiting.append(record)
            state.total += 1
            guard state.waiting.count - state.first > Self.limit else { return }
            state.first += 1
            state.dropped += 1
            // Moved seldom, so that a result costs the same however many there are.
            if state.first > Self.limit {
                state.waiting.removeFirst(state.first)
                state.first = 0
            }
        }
    }

    /// The device has answered the subscriptions, or the scan runs.
    func arm() { change { $0.isArmed = true } }

    /// Nothing more comes.
    package func finish(_ end: End) { change { $0.end = $0.end ?? end } }

    /// Skips the results that no step has examined.
    func skip() {
        state.withLock { state in
            state.waiting = []
            state.first = 0
            state.dropped = 0
            state.lost = 0
        }
    }

    /// Returns when the stream is armed or has ended. Throws if the task is cancelled.
    package func armed() async throws { try await wait { $0.isArmed || $0.end != nil } }

    /// Returns when it has ended. Throws if the task is cancelled.
    package func ended() async throws { try await wait { $0.end != nil } }

    /// The next result. Only one task at a time may wait. Throws if the task is cancelled.
    package func next() async throws -> Next {
        try await wait { $0.first < $0.waiting.count || $0.end != nil }
        return state.withLock { state in
            guard state.first < state.waiting.count else { return .ended(state.end ?? .complete) }
            defer {
                state.first += 1
                if state.first == state.waiting.count {
                    state.waiting.removeAll(keepingCapacity: true)
                    state.first = 0
                }
            }
            return .result(state.waiting[state.first])
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state in
            body(&state)
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// Waits until the state meets the condition. It is checked again under the lock before the waiter is stored, so
    /// that a change in between wakes the task.
    private func wait(until isMet: @escaping @Sendable (borrowing State) -> Bool) async throws {
        while true {
            // Any change wakes the waiter, so that the condition is checked after each; and also at the end of the time of a
            // step, which is about all that has come until then.
            if state.withLock({ isMet($0) }) { return }
            try Task.checkCancellation()
            await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                    let isDone = state.withLock { state in
                        // The cancellation handler may have run already: it found no waiter, and does not run again.
                        if Task.isCancelled || isMet(state) { return true }
                        state.waiter = continuation
                        return false
                    }
                    if isDone { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.takeWaiter() }?.resume()
            }
        }
    }
}
