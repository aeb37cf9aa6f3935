// SPDX-License-Identifier: MIT

import Bluetooth
import CSwiftTasks
import Dispatch
import SimulatedRadio

/// The main actor's executor, as the tasks of worlds see it.
///
/// The main actor belongs to all worlds and runs on the main thread. While it works for a world, the clock of that world
/// stands still, and what it starts belongs to the world.
final class WorldMainExecutor: SerialExecutor {
    static let shared = WorldMainExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let world = Self.world(of: job)
        world?.time.hold()
        // The queue that the main thread works on, as for the runtime's own executor.
        DispatchQueue.main.async {
            let before = swift_tasks_set_world(world?.number ?? 0)
            job.runSynchronously(on: self.asUnownedSerialExecutor())
            _ = swift_tasks_set_world(before)
            world?.time.release()
        }
    }

    /// The world of a job; `nil` if it has none.
    private static func world(of job: UnownedJob) -> (number: UInt64, time: VirtualTime)? {
        let task = swift_tasks_id(unsafeBitCast(job, to: UnsafeMutableRawPointer.self))
        return TaskWorlds.all.world(ofTask: task, from: swift_tasks_world())
    }

    /// Queues a job that sleeps. It wakes the task that called `Task.sleep`, and needs no main thread itself.
    fileprivate func add(_ job: UnownedJob, after delay: Duration) {
        if let world = Self.world(of: job) { return world.time.add(job, after: delay) }
        let delay = DispatchTimeInterval.nanoseconds(Int(delay.clampedNanoseconds))
        DispatchQueue.main.asyncAfter(deadline: .now() + delay) { [self] in enqueue(job) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(.main)) }
}

#if os(Linux) && compiler(>=6.3)
    @_spi(ExperimentalScheduling) import _Concurrency

    /// As for `VirtualTime`: without it, the main actor would sleep in real time.
    extension WorldMainExecutor: SchedulingExecutor {
        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob,
            after delay: C.Duration,
            tolerance: C.Duration?,
            clock: C
        ) {
            let job = UnownedJob(job)
            // A clock with durations of its own has no relation to another one.
            if let delay = delay as? Duration { add(job, after: delay) } else { enqueue(job) }
        }
    }
#endif
