// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("AsyncLock")
struct AsyncLockTests {
    @Test("callers get it one at a time, in the order of arrival, and a cancelled one leaves")
    func order() throws {
        let log = Mutex<[String]>([])
        let cancelled = try inVirtualTime { time, scope in
            let lock = AsyncLock()
            let callers = (1...4).map { number in
                Running(scope, time) {
                    try await lock.withLock {
                        log.withLock { $0.append("\(number) in at \(time.now.milliseconds)") }
                        try? await time.sleep(for: .seconds(1))
                        log.withLock { $0.append("\(number) out at \(time.now.milliseconds)") }
                    }
                }
            }
            try await time.sleep(for: .milliseconds(500))
            callers[2].cancel()
            try await time.sleep(for: .seconds(10))
            return callers[2].outcome
        }
        #expect(
            log.withLock { $0 } == [
                "1 in at 0", "1 out at 1000", "2 in at 1000", "2 out at 2000", "4 in at 2000", "4 out at 3000",
            ]
        )
        #expect(cancelled?.description == "cancelled at 500 ms")
    }

    @Test("a cancelled task does not wait")
    func cancelledBefore() throws {
        let outcome = try inVirtualTime { time, scope in
            let lock = AsyncLock()
            let holder = Running(scope, time) {
                try await lock.withLock { try await time.sleep(for: .seconds(9)) }
            }
            let cancelled = Running(scope, time) {
                try? await time.sleep(for: .seconds(60))
                try await lock.withLock {}
            }
            try await time.sleep(for: .seconds(1))
            cancelled.cancel()
            try await time.sleep(for: .seconds(20))
            #expect(holder.outcome?.milliseconds == 9_000)
            return cancelled.outcome
        }
        #expect(outcome?.description == "cancelled at 1000 ms")
    }

    @Test("an error, or a cancellation inside it, releases the lock")
    func errors() throws {
        struct Failed: Error {}
        let outcomes = try inVirtualTime { time, scope in
            let lock = AsyncLock()
            let failing = Running(scope, time) { try await lock.withLock { throw Failed() } }
            let sleeping = Running(scope, time) {
                try await lock.withLock { try await time.sleep(for: .seconds(60)) }
            }
            let last = Running(scope, time) { try await lock.withLock { "in" } }
            try await time.sleep(for: .seconds(1))
            let before = last.outcome
            sleeping.cancel()
            try await time.sleep(for: .seconds(1))
            return [failing.outcome, before, sleeping.outcome, last.outcome].map { $0?.description }
        }
        #expect(outcomes == ["Failed() at 0 ms", nil, "cancelled at 1000 ms", "in at 1000 ms"])
    }

    @Test("callers on one actor get it in the order of their calls, wherever their tasks run")
    func callersOnActor() async {
        let actorJobs = StepExecutor()
        let firstJobs = StepExecutor()
        let secondJobs = StepExecutor()
        let callers = Callers(on: actorJobs)
        let first = Task(executorPreference: firstJobs) { await callers.call(1) }
        let second = Task(executorPreference: secondJobs) { await callers.call(2) }
        // The first call, and then no step of its task until the second one has the lock or waits for it.
        firstJobs.runAll()
        actorJobs.runAll()
        for _ in 0..<4 {
            secondJobs.runAll()
            actorJobs.runAll()
        }
        while [firstJobs, actorJobs, secondJobs].contains(where: { $0.runAll() }) {}
        await first.value
        await second.value
        #expect(callers.entered.withLock { $0 } == [1, 2])
    }
}

/// Takes a lock for its callers.
private actor Callers {
    private let lock = AsyncLock()
    private let executor: StepExecutor
    nonisolated let entered = Mutex<[Int]>([])
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(on executor: StepExecutor) { self.executor = executor }

    func call(_ number: Int) async {
        try? await lock.withLock { entered.withLock { $0.append(number) } }
    }
}

/// Runs jobs when the test says so.
private final class StepExecutor: SerialExecutor, TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Returns whether there was a job.
    @discardableResult func runAll() -> Bool {
        var hadJob = false
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            hadJob = true
            job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
        return hadJob
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}
