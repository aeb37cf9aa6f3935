// SPDX-License-Identifier: MIT

import Synchronization

/// Suspends the receive loop of a link with flow control, and with it the peer, while an observer is full.
///
/// Answers queue behind values on the same channel, and a device that is held back may stop reading. To prevent a
/// deadlock the loop goes on while an answer of the device, or room for what is sent, is awaited; observers then take
/// more than their limit (`BoundedQueue.Overflow.pauseThenDrop`). The reader of an observer may therefore wait for the
/// device between two values. An observer that is not read holds all others back, and has to be ended.
package final class ReceiveThrottle: Sendable {
    private struct State {
        var isAnswerAwaited = false
        var lifts = 0
        /// The observers that will report when they have room.
        var asked: Set<ObjectIdentifier> = []
        var waiter: CheckedContinuation<Void, Never>?

        var isLifted: Bool { isAnswerAwaited || lifts > 0 }

        /// The waiter to resume, because values may not be held back.
        mutating func released() -> CheckedContinuation<Void, Never>? {
            guard isLifted else { return nil }
            defer { waiter = nil }
            return waiter
        }
    }

    private let state = Mutex(State())

    package init() {}

    package func setAnswerAwaited(_ isAwaited: Bool) {
        let waiter = state.withLock { state in
            state.isAnswerAwaited = isAwaited
            return state.released()
        }
        waiter?.resume()
    }

    /// Stops holding values back until `restore` was called as many times.
    package func lift() {
        let waiter = state.withLock { state in
            state.lifts += 1
            return state.released()
        }
        waiter?.resume()
    }

    package func restore() { state.withLock { $0.lifts -= 1 } }

    /// Suspends the receive loop until the observer has room, or nothing may be held back, or the task is cancelled.
    package func wait(for observer: any BackpressureSource) async {
        while observer.isFull, !Task.isCancelled, !state.withLock({ $0.isLifted }) {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let id = ObjectIdentifier(observer)
                    let (mayWait, isAsked) = state.withLock { state in
                        // Checked under the lock that a lift and a cancellation take: either they find the waiter,
                        // or it sees them.
                        guard !state.isLifted, !Task.isCancelled else { return (false, true) }
                        state.waiter = continuation
                        return (true, !state.asked.insert(id).inserted)
                    }
                    if !mayWait { continuation.resume() }
                    // It reports at once if it has room by now.
                    if !isAsked { observer.whenRoom { self.wake(id) } }
                }
            } onCancel: {
                wake(nil)
            }
        }
    }

    private func wake(_ observer: ObjectIdentifier?) {
        let waiter = state.withLock { state in
            if let observer { state.asked.remove(observer) }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}

/// A queue of any element type that a producer may have to wait for.
package protocol BackpressureSource: AnyObject, Sendable {
    var isFull: Bool { get }

    /// Calls the action once, without locks, as soon as there is room.
    func whenRoom(_ action: @escaping @Sendable () -> Void)
}
