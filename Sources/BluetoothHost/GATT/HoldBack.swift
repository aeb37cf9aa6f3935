// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// Holds the receive loop of a link with flow control back while an observer of it is full, and the peer with it.
///
/// Answers come behind values, on the same channel, and a device that is held back may read nothing. So that nobody waits
/// for what stands behind values which nobody takes, the loop is never held back while an answer of the device is awaited, or
/// room for what is sent: it goes on, and observers take more than they like (`BoundedQueue.Overflow.pauseThenDrop`).
/// Whoever reads an observer may therefore wait for the device in between. Several observers are waited for: one that is not
/// read holds all of them back, and is to be ended.
final class HoldBack: Sendable {
    private struct State {
        var isAnswerAwaited = false
        var lifts = 0
        /// The observers that will tell when they have room.
        var asked: Set<ObjectIdentifier> = []
        var waiter: CheckedContinuation<Void, Never>?

        var isLifted: Bool { isAnswerAwaited || lifts > 0 }

        /// Who is to go on because it is lifted.
        mutating func released() -> CheckedContinuation<Void, Never>? {
            guard isLifted else { return nil }
            defer { waiter = nil }
            return waiter
        }
    }

    private let state = Mutex(State())

    /// From now on an answer of the device is awaited, or none.
    func setAnswerAwaited(_ isAwaited: Bool) {
        let waiter = state.withLock { state in
            state.isAnswerAwaited = isAwaited
            return state.released()
        }
        waiter?.resume()
    }

    /// Nothing is held back until `restore` was called as many times.
    func lift() {
        let waiter = state.withLock { state in
            state.lifts += 1
            return state.released()
        }
        waiter?.resume()
    }

    func restore() { state.withLock { $0.lifts -= 1 } }

    /// Suspends the receive loop until the observer has room, or nothing may be held back, or the task is cancelled.
    func wait(for observer: any Room) async {
        while observer.isFull, !Task.isCancelled, !state.withLock({ $0.isLifted }) {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let id = ObjectIdentifier(observer)
                    let (mayWait, isAsked) = state.withLock { state in
                        guard !state.isLifted, !Task.isCancelled else { return (false, true) }
                        state.waiter = continuation
                        return (true, !state.asked.insert(id).inserted)
                    }
                    if !mayWait { continuation.resume() }
                    // It tells at once where it has room by now.
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
