// SPDX-License-Identifier: MIT

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
