// SPDX-License-Identifier: MIT

import Dispatch

// `Task.sleep` asks the executor for a time, by a protocol that Swift 6.3 has only for those who know its name.
#if os(Linux) && compiler(>=6.3)
    @_spi(ExperimentalScheduling) public import _Concurrency

    /// `Task.sleep`, and the clocks of the standard library, wait in virtual time.
    @_spi(ExperimentalScheduling)
    extension VirtualTime: SchedulingExecutor {
        /// Queues a job that sleeps.
        public func enqueue<C: Clock>(
            _ job: consuming ExecutorJob,
            after delay: C.Duration,
            tolerance: C.Duration?,
            clock: C
        ) {
            let job = UnownedJob(job)
            // A clock with durations of its own has no relation to this one.
            if let delay = delay as? Duration { add(job, after: delay) } else { add(job) }
        }
    }
#endif

/// Blocks the executor's thread while only another thread can give it work. It is the one place where a thread blocks.
final class WakeUp: Sendable {
    /// A semaphore, because a thread has to block that is not a task's. It remembers a signal that comes first.
    private let semaphore = DispatchSemaphore(value: 0)

    /// Blocks the thread until a call of `signal`; returns at once if there was one before.
    func wait() { semaphore.wait() }

    /// Wakes the thread, or lets its next `wait` return at once.
    func signal() { semaphore.signal() }
}
