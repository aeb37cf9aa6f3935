// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@testable import Toolkit

@Suite("The time of a question to a person")
struct PersonPausesTests {
    /// Runs a step within 10 s, of which a person takes a part, and returns when it ended.
    private func step(asking pause: Duration, working work: Duration) throws -> (isDone: Bool, after: Duration) {
        let time = VirtualTime()
        return try time.run { () async throws -> (isDone: Bool, after: Duration) in
            try await withTaskScope { scope in
                let (log, pauses, start) = (OperationLog(), PersonPauses(), time.now)
                let context = OperationContext(
                    time: time,
                    scope: scope,
                    timeout: .seconds(10),
                    results: log,
                    notes: log,
                    pauses: pauses
                )
                do {
                    try await context.withTimeout("step") {
                        try await pauses.during(time) { try await time.sleep(for: pause) }
                        try await time.sleep(for: work)
                    }
                    return (true, time.now - start)
                } catch let error as DeadlineExceeded {
                    #expect(error == DeadlineExceeded("step", limit: .seconds(10)))
                    return (false, time.now - start)
                }
            }
        }
    }

    @Test func `a step has its whole time in addition`() throws {
        let long = try step(asking: .seconds(95), working: .seconds(9))
        #expect(long.isDone && long.after == .seconds(104))
    }

    @Test func `the limit still applies to the rest of the step`() throws {
        let late = try step(asking: .seconds(95), working: .seconds(60))
        #expect(!late.isDone && late.after == .seconds(105))
        let unasked = try step(asking: .zero, working: .seconds(60))
        #expect(!unasked.isDone && unasked.after == .seconds(10))
    }

    @Test func `a question at the end of the limit does not keep the processor busy`() throws {
        let time = VirtualTime()
        try time.run { () async throws -> Void in
            let (clock, pauses) = (CountingClock(time), PersonPauses())
            async let asked: Void = pauses.during(time) { try await time.sleep(for: .seconds(30)) }
            await pauses.sleep(for: .nanoseconds(100), clock)
            try await asked
            #expect(clock.sleepCount <= 3_001 && time.now >= .zero + .seconds(30), "\(clock.sleepCount) at \(time.now)")
        }
    }

    @Test func `two questions at the same time count once`() throws {
        let time = VirtualTime()
        try time.run { () async throws -> Void in
            let pauses = PersonPauses()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for seconds in [3, 5] {
                    group.addTask { try await pauses.during(time) { try await time.sleep(for: .seconds(seconds)) } }
                }
                try await group.waitForAll()
            }
            #expect(pauses.total(until: time.now) == .seconds(5))
        }
    }
}

/// A clock that counts how often something has slept.
private final class CountingClock: TimeSource {
    private let base: VirtualTime
    private let count = Mutex(0)

    init(_ base: VirtualTime) { self.base = base }

    var sleepCount: Int { count.withLock { $0 } }
    var now: Instant { base.now }
    var wallClock: WallTime { base.wallClock }
    var executor: (any TaskExecutor)? { base.executor }

    func sleep(until deadline: Instant) async throws(CancellationError) {
        count.withLock { $0 += 1 }
        try await base.sleep(until: deadline)
    }
}
