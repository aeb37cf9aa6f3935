// SPDX-License-Identifier: MIT

import Dispatch

/// Blocks the executor's thread while only another thread can give it work. It is the one place where a thread blocks.
final class WakeUp: Sendable {
    /// A semaphore, because a thread has to block that is not a task's. It remembers a signal that comes first.
    private let semaphore = DispatchSemaphore(value: 0)

    /// Blocks the thread until a call of `signal`; returns at once if there was one before.
    func wait() { semaphore.wait() }

    /// Wakes the thread, or lets its next `wait` return at once.
    func signal() { semaphore.signal() }
}
